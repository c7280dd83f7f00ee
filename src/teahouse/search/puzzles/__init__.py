"""Puzzles: positions of bots' games with exactly one right move, proven and rated."""
