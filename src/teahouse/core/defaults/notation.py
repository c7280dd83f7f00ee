"""Functions that a game's `notation.py` may leave out."""

from typing import Any


def normalize(board: Any, state: Any, text: str) -> str:
    """Return the text in lower case."""
    return text.lower()


def explain(board: Any, state: Any, text: str) -> str:
    """Return a reason that fits every game."""
    return "it is not a legal move in this position"
