"""Events of Oolong for reports: which markers act, which are skipped, and what pours do."""

from collections.abc import Iterator, Mapping
from typing import Any

from teahouse.core.position import Position
from teahouse.games.oolong import equipment, themes
from teahouse.games.oolong.notation import decision

MARKERS = {
    equipment.MOVE_BLACK: ("mb", "Marker: Black moves a cup"),
    equipment.MOVE_GREEN: ("mg", "Marker: Green moves a cup"),
    equipment.ROTATE: ("ro", "Marker: rotate a table"),
    equipment.SWAP_UNCLAIMED: ("su", "Marker: swap unclaimed tables"),
    equipment.SWAP_CLAIMED: ("sc", "Marker: swap a claimed table"),
    equipment.WAITER_BLACK: ("wb", "Marker: Black sends the waiter"),
    equipment.WAITER_GREEN: ("wg", "Marker: Green sends the waiter"),
}
POURS = ("claim", "free-choice", "same-table")
EVENTS = {
    **{name: themes.THEMES[name] for name in POURS},
    **dict(MARKERS.values()),
    "skip": themes.THEMES["skip"],
}


def events(position: Position, move: str) -> Iterator[str]:
    """Yield what a pour does, or which marker acts or is skipped."""
    state = position.state_view
    if decision(state) == equipment.SERVE:
        yield from themes.themes(position, move)
    elif move == "-":
        yield "skip"
    else:
        yield MARKERS[state.markers[state.pending - 1]][0]


def impossible(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the events that these options rule out: those of markers, if there are none."""
    if not options["specials"]:
        yield from (name for name in EVENTS if name not in POURS)
