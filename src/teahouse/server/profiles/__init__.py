"""Profiles: the public page of an account with its ratings, games, results and puzzles."""
