"""The rows of one table: its events and a checkpoint, so that loading needs no replay.

The events are the source of truth. `tables.checkpoint` and `moves` are written with every change,
in the same transaction, and can be rebuilt from the events.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from teahouse.server.storage.database import events, moves, tables
from teahouse.server.tables.append_statements import (
    APPEND_MOVE,
    INSERT_EVENTS,
    INSERT_MOVES,
    INSERT_SEATS,
    INSERT_TABLE,
    UPDATE_SEATS,
    UPDATE_TABLE,
)
from teahouse.server.tables.event_json import LogRow, checkpoint_adapter, from_log_row, to_log_row
from teahouse.server.tables.seat_results import SeatResult
from teahouse.server.web.wire import to_json
from teahouse.session import checkpoint
from teahouse.session import events as ev
from teahouse.session.checkpoint import Checkpoint, CheckpointError, SavedMove
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.state import CHAT_WINDOW, ChatMessage, GameSession

MAX_SEQ = (1 << 31) - 1
"""The largest sequence number that a database can compare."""
RECENT_EVENTS = 64
"""Events kept in memory for clients that reconnect."""
_LOG_COLUMNS = (events.c.seq, events.c.time, events.c.uptime, events.c.body)
_LOG_NAMES = tuple(column.name for column in _LOG_COLUMNS)

# Built once: building a statement takes longer than executing it.
_EVENTS_BY_NUMBER = (
    sa.select(events.c.table_id, *_LOG_COLUMNS)
    .where(sa.tuple_(events.c.table_id, events.c.seq).in_(sa.bindparam("wanted", expanding=True)))
    .order_by(events.c.table_id, events.c.seq)
)


@dataclass(frozen=True)
class TableRow:
    """A table without its events, for queries that need not load them."""

    id: str
    summary: dict[str, Any]
    over: bool
    wake_on_start: bool
    """Whether a bot or a clock may act without anybody being connected."""
    key_hashes: list[str | None]
    """For every seat the hash of its secret."""
    created: float
    game: str
    pool: str | None
    """The pool in which the players could be rated."""
    rated: bool
    listed: bool
    """Whether everybody may find it."""
    results: Sequence[SeatResult]
    """For every seat the result, if the game has one; empty where no account plays."""
    due: Timestamp | None
    """When a bot or a clock has to act, by the clock that counts; the other one is infinite."""


@dataclass(frozen=True)
class SavedSession:
    """A checkpoint with the moves that have changed."""

    checkpoint: Checkpoint
    moves: Sequence[SavedMove]
    replaced_from: int | None
    """Stored moves from this ply on are deleted first."""

    @classmethod
    def of(cls, session: GameSession, log: Sequence[LoggedEvent] | None = None) -> SavedSession:
        """Return what these latest events have changed, by default everything."""
        first, replaced = 0, 0 if log is None else None
        if log is not None:
            undone = [one.event.ply for one in log if isinstance(one.event, ev.TookBack)]
            played = [one.event.ply for one in log if isinstance(one.event, ev.Moved)]
            first, replaced = min(undone + played, default=session.ply), min(undone, default=None)
        return cls(checkpoint.save(session), checkpoint.saved_moves(session, first), replaced)


@dataclass(frozen=True)
class Change:
    """Events to append to a table, and what it is afterwards."""

    log: Sequence[LoggedEvent]
    row: TableRow
    saved: SavedSession
    new: bool = False
    news: Sequence[str] = ()
    """News for the accounts of the table, published to other processes."""

    @property
    def is_move(self) -> bool:
        """Whether it is one move and nothing else."""
        return (
            not self.new
            and len(self.log) == len(self.saved.moves) == 1
            and isinstance(self.log[0].event, ev.Moved)
            and self.saved.replaced_from is None
        )


@dataclass(frozen=True)
class LoadedTable:
    """A table as it is read from the database."""

    key_hashes: list[str | None]
    created: LoggedEvent
    checkpoint: Checkpoint | None
    """None if there is none that can be read."""
    moves: Sequence[SavedMove]
    chat: Sequence[ChatMessage]
    recent: Sequence[LoggedEvent]
    """The latest events, at least those since the checkpoint."""

    def session(self) -> GameSession:
        """Return the session; raise `CheckpointError` if the events have to be replayed."""
        if self.checkpoint is None:
            GameSession(_creation(self.created), self.created.time)  # an unknown game is an error
            raise CheckpointError("There is no checkpoint.")
        session = checkpoint.restore(self.created, self.checkpoint, self.moves, self.chat)
        later = [one for one in self.recent if one.seq > session.seq]
        if [one.seq for one in later] != list(range(session.seq + 1, session.seq + 1 + len(later))):
            raise CheckpointError("Events after the checkpoint are missing.")
        for logged in later:
            session.apply(logged)
        return session


def _creation(first: LoggedEvent) -> ev.Created:
    assert isinstance(first.event, ev.Created), "the first event creates the game"
    return first.event


def append(connection: sa.Connection, change: Change) -> bool:
    """Append events to a table and store its new state.

    Return False, with nothing changed, if other events were appended meanwhile.
    """
    row, last = change.row, change.log[-1]
    values = {
        "summary": to_json(row.summary),
        "seq": last.seq,
        "over": row.over,
        "wake_on_start": row.wake_on_start,
        "updated": change.saved.checkpoint.updated,
        "checkpoint": checkpoint_adapter.dump_json(change.saved.checkpoint).decode(),
        "due_uptime": None if row.due is None else row.due.uptime,
        "due_wall": None if row.due is None else row.due.wall,
    }
    if change.new:
        hashes = json.dumps(row.key_hashes)
        fixed = {"rated": row.rated, "listed": row.listed}
        connection.execute(INSERT_TABLE, {"id": row.id, "key_hashes": hashes, **fixed, **values})
    else:
        current = {"table_id": row.id, "seq_before": change.log[0].seq - 1}
        if connection.dialect.name == "postgresql" and change.is_move and not row.over:
            values |= current | _event_values(last) | _move_values(change.saved.moves[0])
            return APPEND_MOVE.execute(connection, values) == 1
        if UPDATE_TABLE.execute(connection, {**current, **values}) != 1:
            return False
    for logged in change.log:
        INSERT_EVENTS.execute(connection, {"table_id": row.id, **_event_values(logged)})
    _save_moves(connection, row.id, change.saved)
    seats = [seat for logged in change.log for seat in _account_seats(logged.event)]
    if seats:
        about = {"created": row.created, "game": row.game, "pool": row.pool}
        key = {"table_id": row.id}
        rows = [{**key, "seat": at, "account_id": account, **about} for at, account in seats]
        connection.execute(INSERT_SEATS, rows)
    if row.results and (seats or row.over):
        connection.execute(
            UPDATE_SEATS,
            [
                {
                    "table": row.id,
                    "at": seat,
                    "outcome": result.outcome,
                    "against_level": result.against_level,
                }
                for seat, result in enumerate(row.results)
            ],
        )
    return True


def _event_values(logged: LoggedEvent) -> dict[str, Any]:
    return dict(zip(_LOG_NAMES, to_log_row(logged), strict=True))


def _move_values(move: SavedMove) -> dict[str, Any]:
    return {name: getattr(move, name) for name in SavedMove.__slots__}


def _account_seats(event: ev.Event) -> list[tuple[int, str]]:
    """Return the seats that an event gives to accounts; a seat never changes its account."""
    match event:
        case ev.Created(seats=specs):
            return [
                (seat, spec.account)
                for seat, spec in enumerate(specs)
                if isinstance(spec, ev.HumanSeat) and spec.account is not None
            ]
        case ev.Joined(seat=seat, account=str(account)) | ev.Claimed(seat=seat, account=account):
            return [(seat, account)]
    return []


def save(connection: sa.Connection, table_id: str, saved: SavedSession) -> None:
    """Store a checkpoint and its moves, unless the table has changed since."""
    body = checkpoint_adapter.dump_json(saved.checkpoint).decode()
    current = (tables.c.id == table_id) & (tables.c.seq == saved.checkpoint.seq)
    stored = connection.execute(tables.update().where(current).values(checkpoint=body))
    if stored.rowcount == 1:
        _save_moves(connection, table_id, saved)


def _save_moves(connection: sa.Connection, table_id: str, saved: SavedSession) -> None:
    if saved.replaced_from is not None:
        obsolete = (moves.c.table_id == table_id) & (moves.c.ply >= saved.replaced_from)
        connection.execute(moves.delete().where(obsolete))
    for one in saved.moves:
        INSERT_MOVES.execute(connection, {"table_id": table_id, **_move_values(one)})


def is_over(connection: sa.Connection, table_id: str) -> bool:
    """Return whether the game of a table has ended."""
    wanted = sa.select(tables.c.over).where(tables.c.id == table_id)
    return bool(connection.execute(wanted).scalar_one_or_none())


def load(connection: sa.Connection, table_id: str) -> LoadedTable | None:
    """Return a table, or None if there is no such table."""
    columns = (tables.c.key_hashes, tables.c.seq, tables.c.checkpoint)
    row = connection.execute(sa.select(*columns).where(tables.c.id == table_id)).one_or_none()
    if row is None:
        return None
    saved = _checkpoint(row.checkpoint)
    after = row.seq - RECENT_EVENTS if saved is None else min(saved.seq, row.seq - RECENT_EVENTS)
    return LoadedTable(
        key_hashes=json.loads(row.key_hashes),
        created=_log(connection, table_id, events.c.seq == 1)[0],
        checkpoint=saved,
        moves=_moves(connection, table_id) if saved else [],
        chat=chat(connection, table_id, saved.seq + 1) if saved and saved.chat_count else [],
        recent=_log(connection, table_id, events.c.seq > after),
    )


def listed_tables(connection: sa.Connection, since: float, limit: int) -> list[str]:
    """Return the unfinished games that everybody may watch, the latest first."""
    live = tables.c.over.is_(False) & (tables.c.updated >= since) & tables.c.listed.is_(True)
    columns = (tables.c.id, tables.c.summary)
    latest = sa.select(*columns).where(live).order_by(tables.c.updated.desc()).limit(4 * limit)
    found = connection.execute(latest).all()
    return [row.id for row in found if json.loads(row.summary)["ply"]][:limit]


@dataclass(frozen=True)
class LiveTable:
    """An unfinished game between people, with its last states."""

    id: str
    created: ev.Created
    states: list[bytes]
    made_by: str
    """The version that has stored them, as in checkpoints; empty if there are none."""
    updated: float


def live_tables(connection: sa.Connection, since: float, count: int) -> list[LiveTable]:
    """Return the games between people that were played since a time, with their last states."""
    live = tables.c.over.is_(False) & (tables.c.updated >= since) & (tables.c.seq > 1)
    columns = (tables.c.id, tables.c.summary, tables.c.checkpoint, tables.c.updated)
    found = []
    for row in connection.execute(sa.select(*columns).where(live).order_by(tables.c.updated)).all():
        if json.loads(row.summary).get("help_allowed"):  # not stored by 0.2.0
            continue
        created = _creation(_log(connection, row.id, events.c.seq == 1)[0])
        if created.without_help:
            states = (
                sa.select(moves.c.state)
                .where(moves.c.table_id == row.id)
                .order_by(moves.c.ply.desc())
                .limit(count)
            )
            last = [bytes(state) for state in connection.execute(states).scalars()]
            saved = _checkpoint(row.checkpoint)
            made_by = "" if saved is None else saved.made_by
            found.append(LiveTable(row.id, created, last[::-1], made_by, row.updated))
    return found


def _checkpoint(text: str | None) -> Checkpoint | None:
    try:
        return None if text is None else checkpoint_adapter.validate_json(text)
    except ValidationError:
        return None


def _log(connection: sa.Connection, table_id: str, where: Any) -> list[LoggedEvent]:
    return [from_log_row(row) for row in log_rows(connection, table_id, where)]


def events_after(connection: sa.Connection, table_id: str, seq: int) -> list[LoggedEvent]:
    """Return the events of a table after a sequence number."""
    return _log(connection, table_id, events.c.seq > seq)


def events_by_number(
    connection: sa.Connection, wanted: Iterable[tuple[str, int]]
) -> dict[str, list[LoggedEvent]]:
    """Return events of several tables by their numbers, those of each table in order."""
    found: dict[str, list[LoggedEvent]] = {}
    for row in connection.execute(_EVENTS_BY_NUMBER, {"wanted": list(wanted)}):
        logged = from_log_row((row.seq, row.time, row.uptime, row.body))
        found.setdefault(row.table_id, []).append(logged)
    return found


def log_rows(connection: sa.Connection, table_id: str, where: Any = None) -> list[LogRow]:
    """Return the events of a table as they are stored, by default all."""
    wanted = sa.select(*_LOG_COLUMNS).where(events.c.table_id == table_id)
    if where is not None:
        wanted = wanted.where(where)
    found = connection.execute(wanted.order_by(events.c.seq))
    return [(row.seq, row.time, row.uptime, row.body) for row in found]


def _moves(connection: sa.Connection, table_id: str) -> list[SavedMove]:
    wanted = sa.select(moves).where(moves.c.table_id == table_id).order_by(moves.c.ply)
    return [
        SavedMove(row.ply, row.move, row.player, row.description, bytes(row.state))
        for row in connection.execute(wanted)
    ]


def chat(
    connection: sa.Connection, table_id: str, before: int, limit: int = CHAT_WINDOW
) -> list[ChatMessage]:
    """Return the latest chat messages before a sequence number, oldest first."""
    # Quotes inside of a text are escaped, so only the type of an event matches.
    chatted = sa.or_(*(events.c.body.like(f'%"type":{space}"chatted"%') for space in ("", " ")))
    wanted = (
        sa.select(*_LOG_COLUMNS)
        .where(events.c.table_id == table_id, events.c.seq < min(before, MAX_SEQ), chatted)
        .order_by(events.c.seq.desc())
        .limit(limit)
    )
    rows = connection.execute(wanted).all()
    found = [from_log_row((row.seq, row.time, row.uptime, row.body)) for row in reversed(rows)]
    return [
        ChatMessage(one.seq, one.event.seat, one.event.text, one.time.wall)
        for one in found
        if isinstance(one.event, ev.Chatted)
    ]
