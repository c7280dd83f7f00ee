"""Defaults for what a game's package leaves out, a module for each module of a game."""
