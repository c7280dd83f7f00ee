"""Notices to accounts: your turn in a correspondence game, its end, a challenge, a tournament.

Feed and e-mail are made from them. A unique key makes writing idempotent, so a crash between a move
and its notice neither loses nor doubles it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import sqlalchemy as sa

from teahouse.server.correspondence.rows import notices
from teahouse.server.storage.database import table_seats, tables
from teahouse.server.tables.registry import Registry
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError
from teahouse.server.web.sharing import player_names
from teahouse.session.consent import consenting_with
from teahouse.session.events import Realtime
from teahouse.session.result import result_text
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.correspondence.notices")

Kind = Literal["turn", "over", "challenge", "tournament"]
KINDS: tuple[Kind, ...] = ("turn", "over", "challenge", "tournament")
KEPT_SECONDS = 60 * 86_400.0
MARGIN = 60.0
"""Overlap in seconds: games that changed this long before the last notice are checked again."""
MAX_CATCH_UP = 2_000


@dataclass(frozen=True)
class Notice:
    """A message to an account."""

    account_id: str
    key: str
    """Unique per account: the same notice is written once."""
    kind: Kind
    title: str
    text: str
    path: str
    """The page to link to."""


@dataclass(frozen=True)
class StoredNotice(Notice):
    """A notice with its number and its time."""

    id: int
    created: float


class Notices:
    """Writes notices after commits, and at the start those that a stop of the server missed."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._tasks = BackgroundTasks()
        registry.add_listener(self._on_commit)

    async def start(self) -> None:
        """Write the notices of moves that were played just before a stop."""
        self._tasks.start(self._catch_up())

    async def close(self) -> None:
        """Stop; what is missing is written at the next start."""
        await self._tasks.cancel()

    def post(self, new: Iterable[Notice]) -> None:
        """Write notices in the background, unless they are stored already."""
        given = list(new)
        if given:
            self._tasks.start(self.write(given))

    async def write(self, new: Iterable[Notice]) -> None:
        """Write notices; return once they are on disk."""
        now = self._store.now().wall
        await self._store.write(partial(add, new=list(new), now=now))

    def _on_commit(self, table_id: str, before: GameSession | None, after: GameSession) -> None:
        if before is not None and before.over == after.over and before.player == after.player:
            return
        self.post(notices_of(table_id, after))

    async def _catch_up(self) -> None:
        for table_id in await self._store.read(partial(_changed, now=self._store.now().wall)):
            try:
                room = await self._registry.room(table_id)
            except ApiError as error:
                log.warning("Table %s cannot be loaded for notices: %s", table_id, error)
                continue
            await self.write(notices_of(table_id, room.session))


def notices_of(table_id: str, session: GameSession) -> list[Notice]:
    """Return the notices about a correspondence game between people: a turn, or its end."""
    if isinstance(session.created.time_control, Realtime):
        return []
    people = {
        number: seat.account
        for number, seat in enumerate(session.seats)
        if seat.account is not None and _has_opponent(session, number)
    }
    path = f"/tables/{table_id}"
    if session.over:
        text = result_text(session) or ""
        return [
            Notice(
                account,
                f"over/{table_id}",
                "over",
                f"Game over: {_game_text(session, seat)}",
                text,
                path,
            )
            for seat, account in people.items()
        ]
    player = session.player
    if player is None or player not in people:
        return []
    last = session.moves[-1].description if session.moves else "The game begins"
    title = f"Your turn: {_game_text(session, player)}"
    key = f"turn/{table_id}/{_turn_start(session, player)}"
    if undone := session.revision - session.ply:  # the same turn comes again after a takeback
        key += f"/{undone}"
    return [Notice(people[player], key, "turn", title, f"{last.rstrip('.')}.", path)]


def _has_opponent(session: GameSession, number: int) -> bool:
    """Return whether a person plays this seat against a person on another device."""
    device = consenting_with(session, number)
    people = {
        other
        for other, seat in enumerate(session.seats)
        if not seat.program and not session.is_bot(other)
    }
    return number in people and bool(people - device)


def _game_text(session: GameSession, seat: int) -> str:
    """Return a game and the opponents of a seat."""
    others = [name for number, name in enumerate(player_names(session)) if number != seat]
    return f"{session.game.title} against {', '.join(others)}"


def _turn_start(session: GameSession, player: int) -> int:
    """Return the ply at which the current turn of a player began."""
    others = (ply for ply in reversed(range(session.ply)) if session.moves[ply].player != player)
    return next(others, -1) + 1


def latest(connection: sa.Connection, account_id: str, limit: int) -> list[StoredNotice]:
    """Return the notices of an account, the latest first."""
    wanted = (
        sa.select(notices)
        .where(notices.c.account_id == account_id)
        .order_by(notices.c.created.desc(), notices.c.id.desc())
        .limit(limit)
    )
    return [stored_notice(row) for row in connection.execute(wanted)]


def stored_notice(row: sa.Row[tuple[object, ...]]) -> StoredNotice:
    """Return the notice of a row."""
    values = row._mapping
    names = ("account_id", "key", "kind", "title", "text", "path", "id", "created")
    return StoredNotice(**{name: values[name] for name in names})


def add(connection: sa.Connection, new: list[Notice], now: float) -> None:
    """Store notices that are not stored yet, and delete old ones."""
    for notice in new:
        same = (notices.c.account_id == notice.account_id) & (notices.c.key == notice.key)
        if connection.execute(sa.select(notices.c.id).where(same)).first() is None:
            values = {**vars(notice), "created": now, "mailed": False}
            connection.execute(notices.insert().values(values))
    connection.execute(notices.delete().where(notices.c.created < now - KEPT_SECONDS))


def _changed(connection: sa.Connection, now: float) -> list[str]:
    """Return the correspondence games between people that changed since the last notice."""
    last = connection.execute(sa.select(sa.func.max(notices.c.created))).scalar_one()
    since = (now - 86_400.0 if last is None else last) - MARGIN
    wanted = (
        sa.select(tables.c.id, tables.c.summary)
        .where(
            tables.c.updated >= since,
            tables.c.id.in_(sa.select(table_seats.c.table_id)),
        )
        .order_by(tables.c.updated.desc())
        .limit(MAX_CATCH_UP)
    )
    found = ((row.id, json.loads(row.summary)) for row in connection.execute(wanted))
    return [table_id for table_id, summary in found if _may_notify(summary)]


def _may_notify(summary: dict[str, Any]) -> bool:
    """Return whether a game is by correspondence or untimed, between people on several devices."""
    people = set(range(len(summary["players"]))) - set(summary["bots"])
    slow = summary.get("time_control") != "realtime"
    return slow and len(people) > 1 and not people <= set(summary.get("local", ()))
