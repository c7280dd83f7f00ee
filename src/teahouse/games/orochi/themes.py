"""Kinds of moves, as themes of Orochi's puzzles."""

from collections.abc import Iterator

from teahouse.core.position import Position
from teahouse.games.orochi.notation import SWAP

THEMES = {
    "own-stone": "Own colour",
    "other-stone": "The other colour",
    "flip": "Flip a stone",
    "swap": "Swap sides",
}


def themes(position: Position, move: str) -> Iterator[str]:
    """Yield whether a move swaps, flips a stone, or places one of which colour."""
    if move == SWAP:
        yield "swap"
    elif move[0] == "x":
        yield "flip"
    else:
        yield "own-stone" if "wb".index(move[0]) == position.player else "other-stone"
