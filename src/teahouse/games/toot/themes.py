"""Kinds of moves, as themes of Toot's puzzles."""

from collections.abc import Iterator

from teahouse.core.position import Position
from teahouse.games.toot import movegen

THEMES = {
    "place": "Place a tile",
    "enter": "Enter a piece",
    "step": "Step",
    "jump": "Jump",
    "stop": "Stop in time",
    "return": "Return a piece",
    "give-up": "Sacrifice a piece",
    "capture": "Capture",
}
KINDS = {
    movegen.PLACE: "place",
    movegen.ENTER: "enter",
    movegen.STEP: "step",
    movegen.JUMP: "jump",
    movegen.STOP: "stop",
    movegen.RETURN: "return",
    movegen.SACRIFICE: "give-up",
}


def themes(position: Position, move: str) -> Iterator[str]:
    """Yield the kind of a move, and whether it captures."""
    kind = position.move(move) >> movegen.KIND_SHIFT
    if kind in KINDS:
        yield KINDS[kind]
    other = 1 - position.player
    before, after = (
        at.state_view.captured[other] - at.state_view.remaining[other]
        for at in (position, position.play(move))
    )
    if after > before:
        yield "capture"
