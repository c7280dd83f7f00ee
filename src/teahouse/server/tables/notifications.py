"""What processes tell each other of tables: ids, numbers, and the new events if they are short.

Whoever has the table in memory applies the events, and reads only what is missing.
"""

from __future__ import annotations

from collections.abc import Sequence

from teahouse.server.storage.notifications import pack, unpack
from teahouse.server.tables.event_json import from_log_row, to_log_row
from teahouse.server.tables.rows import Change
from teahouse.session.events import LoggedEvent

TABLES = "tables"
"""The topic of notifications of tables that have changed."""
MAX_EVENTS = 1_500
"""Characters of events; longer ones are read."""


def changed_word(change: Change) -> str:
    """Return what others are told of a change."""
    events = pack([to_log_row(one) for one in change.log])
    told = events if len(events) <= MAX_EVENTS else ""
    return f"{change.row.id}:{change.log[-1].seq}:{told}"


def read_word(word: str) -> tuple[str, int, str]:
    """Return the table, its last number, and its new events, which may be empty."""
    table_id, seq, events = word.split(":")
    return table_id, int(seq), events


def read_events(events: str) -> Sequence[LoggedEvent]:
    """Return the events of a notification."""
    return [from_log_row((seq, wall, up, body)) for seq, wall, up, body in unpack(events)]
