"""Events and checkpoints as JSON, for the database and for worker processes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter

from teahouse.session.checkpoint import Checkpoint
from teahouse.session.events import Event, LoggedEvent, Timestamp

LogRow = tuple[int, float, float, str]
"""An event as it is stored: `seq`, wall time, uptime, body."""

event_adapter: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="type")])
checkpoint_adapter: TypeAdapter[Checkpoint] = TypeAdapter(Checkpoint)


def to_log_row(logged: LoggedEvent) -> LogRow:
    """Return an event as it is stored."""
    body = event_adapter.dump_json(logged.event).decode()
    return logged.seq, logged.time.wall, logged.time.uptime, body


def from_log_row(row: LogRow) -> LoggedEvent:
    """Return a stored event."""
    seq, wall, uptime, body = row
    return LoggedEvent(seq, Timestamp(wall, uptime), event_adapter.validate_json(body))
