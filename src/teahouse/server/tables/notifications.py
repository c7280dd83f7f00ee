"""What processes tell each other of tables: ids, numbers, and the new events if they are short.

Whoever has the table in memory applies the events, and reads only what is missing. A move is told
with its outcome, so nobody else has to compute all legal moves of the position for it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from teahouse.server.storage.notifications import pack, unpack
from teahouse.server.tables.event_json import from_log_row, to_log_row
from teahouse.server.tables.rows import Change
from teahouse.session.events import LoggedEvent, Moved
from teahouse.session.moves import MoveOutcome

TABLES = "tables"
"""The topic of notifications of tables that have changed."""
MAX_EVENTS = 2_000
"""Characters of events; longer ones are read."""


@dataclass(frozen=True)
class ToldEvents:
    """Events of a table that another process has stored."""

    log: Sequence[LoggedEvent]
    outcomes: Mapping[int, MoveOutcome] = field(default_factory=dict)
    """Of moves, by the numbers of their events."""
    made_by: str = ""
    """The version that has computed the outcomes, as in checkpoints."""


def changed_word(change: Change) -> str:
    """Return what others are told of a change."""
    rows = [to_log_row(one) for one in change.log]
    events = pack([change.saved.checkpoint.made_by, rows, _outcomes(change)])
    told = events if len(events) <= MAX_EVENTS else ""
    return f"{change.row.id}:{change.log[-1].seq}:{told}"


def _outcomes(change: Change) -> list[tuple[int, str, str]]:
    """Return the numbers of moves, their descriptions and the states after them."""
    plies = {one.event.ply: one.seq for one in change.log if isinstance(one.event, Moved)}
    return [
        (plies[move.ply], move.description, base64.b64encode(move.state).decode())
        for move in change.saved.moves
        if move.ply in plies
    ]


def read_word(word: str) -> tuple[str, int, str]:
    """Return the table, its last number, and its new events, which may be empty."""
    table_id, seq, events = word.split(":")
    return table_id, int(seq), events


def read_events(events: str) -> ToldEvents:
    """Return the events of a notification."""
    made_by, rows, outcomes = unpack(events)
    return ToldEvents(
        [from_log_row((seq, wall, up, body)) for seq, wall, up, body in rows],
        {
            seq: MoveOutcome(description, base64.b64decode(state))
            for seq, description, state in outcomes
        },
        made_by,
    )
