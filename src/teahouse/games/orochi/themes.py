"""Kinds of moves, as themes of Orochi's puzzles."""

from collections.abc import Iterator

from teahouse.core.position import Position

THEMES = {
    "own-stone": "Own colour",
    "other-stone": "The other colour",
    "flip": "Flip a stone",
}


def themes(position: Position, move: str) -> Iterator[str]:
    """Yield whether a move flips a stone, or places one of which colour."""
    if move[0] == "x":
        yield "flip"
    else:
        yield "own-stone" if "wb".index(move[0]) == position.player else "other-stone"
