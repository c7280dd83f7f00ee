"""Notifications of changed tables: id, last sequence number, and the new events if short.

A process that has the table in memory applies the events, and reads only what it misses. A move
comes with its outcome, so no other process has to compute the legal moves of the position.
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
"""The topic of notifications about changed tables."""
MAX_EVENTS = 2_000
"""Characters of events in a notification; longer ones are read from the database."""


@dataclass(frozen=True)
class RemoteEvents:
    """Events of a table that another process has stored."""

    log: Sequence[LoggedEvent]
    outcomes: Mapping[int, MoveOutcome] = field(default_factory=dict)
    """Outcomes of moves, by the sequence number of the event."""
    made_by: str = ""
    """The version that has computed the outcomes, as in checkpoints."""


def encode_change(change: Change) -> str:
    """Return a change as an item of a notification."""
    rows = [to_log_row(one) for one in change.log]
    events = pack([change.saved.checkpoint.made_by, rows, _outcomes(change)])
    sent = events if len(events) <= MAX_EVENTS else ""
    return f"{change.row.id}:{change.log[-1].seq}:{sent}"


def _outcomes(change: Change) -> list[tuple[int, str, str]]:
    """Return the numbers of moves, their descriptions and the states after them."""
    plies = {one.event.ply: one.seq for one in change.log if isinstance(one.event, Moved)}
    return [
        (plies[move.ply], move.description, base64.b64encode(move.state).decode())
        for move in change.saved.moves
        if move.ply in plies
    ]


def decode_change(item: str) -> tuple[str, int, str]:
    """Return the table, its last sequence number, and its new events, which may be left out."""
    table_id, seq, events = item.split(":")
    return table_id, int(seq), events


def decode_events(events: str) -> RemoteEvents:
    """Return the events of an item."""
    made_by, rows, outcomes = unpack(events)
    return RemoteEvents(
        [from_log_row((seq, wall, up, body)) for seq, wall, up, body in rows],
        {
            seq: MoveOutcome(description, base64.b64decode(state))
            for seq, description, state in outcomes
        },
        made_by,
    )
