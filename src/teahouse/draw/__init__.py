"""Boards as text and pictures, from the scene that each game's `board.py` describes."""
