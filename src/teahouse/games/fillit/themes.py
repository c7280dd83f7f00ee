"""Kinds of moves, as themes of Fillit's puzzles."""

from collections.abc import Iterator

from teahouse.core.position import Position
from teahouse.games.fillit.notation import chips_in_hand

THEMES = {
    "pawn": "Slide the pawn",
    "stone": "Move a stone",
    "send-home": "Send chips home",
}


def themes(position: Position, move: str) -> Iterator[str]:
    """Yield which piece a move is made with, and whether chips of another side go home."""
    yield "pawn" if move.startswith("P") else "stone"
    board, own = position.game.board, position.game.side(position.player)
    before, after = (chips_in_hand(board, at.state_view) for at in (position, position.play(move)))
    if any(after[side] > before[side] for side in range(len(before)) if side != own):
        yield "send-home"
