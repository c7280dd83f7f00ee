"""Kinds of moves, as themes of Oolong's puzzles."""

from collections.abc import Iterator

from teahouse.core.position import Position
from teahouse.games.oolong import equipment
from teahouse.games.oolong.notation import decision

THEMES = {
    "claim": "Win a table",
    "free-choice": "Any table",
    "same-table": "Keep the waiter",
    "move-cup": "Marker: move a cup",
    "rotate": "Marker: rotate a table",
    "swap": "Marker: swap tables",
    "send-waiter": "Marker: send the waiter",
    "skip": "Skip a marker",
}
ACTIONS = {
    equipment.MOVE_TOKEN: "move-cup",
    equipment.ROTATION: "rotate",
    equipment.SWAP: "swap",
    equipment.WAITER: "send-waiter",
}


def themes(position: Position, move: str) -> Iterator[str]:
    """Yield what a pour does, or which marker's action it is."""
    kind = decision(position.state_view)
    if kind != equipment.SERVE:
        yield "skip" if move == "-" else ACTIONS[kind]
        return
    child = position.play(move)
    if _tables(child, position.player) > _tables(position, position.player):
        yield "claim"
    if len({text.partition(".")[0] for text in position.legal}) > 1:
        yield "free-choice"
    table, _, seat = move.partition(".")
    if table == seat:
        yield "same-table"


def _tables(position: Position, player: int) -> int:
    """Return the number of tables that a player has won."""
    return sum(spot.owner == player for spot in position.scene.spots)
