"""Vacations of accounts: days a year in which their correspondence clocks stand still."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import sqlalchemy as sa

from teahouse.server.correspondence.rows import vacations
from teahouse.server.storage.database import table_seats, tables
from teahouse.server.storage.fresh_reader import FreshReader
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.room_updates import update_table
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError
from teahouse.session.clock import DAY
from teahouse.session.events import Event
from teahouse.session.state import GameSession
from teahouse.session.vacation import vacation_events

VACATIONS = "vacations"
"""The topic of notifications about vacations that begin or end."""
YEAR = 365 * DAY
LEAST = DAY
"""The least that a vacation counts, so that nobody pauses the clock turn by turn."""


@dataclass(frozen=True)
class VacationHistory:
    """The vacations of an account in the last year."""

    taken: list[tuple[float, float]]
    """When each began, and when it ended or is going to end."""

    def until(self, now: float) -> float | None:
        """Return when the current vacation ends, or None if there is none."""
        return next((until for started, until in self.taken if started <= now < until), None)

    def seconds_used(self, now: float) -> float:
        """Return how much vacation counts for the year that ends now."""
        year = ((max(started, now - YEAR), until) for started, until in self.taken)
        return sum(max(until - started, LEAST) for started, until in year if until > now - YEAR)

    def days_left(self, now: float, allowed: int) -> float:
        """Return the days that can still be taken, the rest of a current vacation included."""
        current = self.until(now)
        unused = 0.0 if current is None else current - now
        return max(0.0, allowed - (self.seconds_used(now) - unused) / DAY)


class Vacations:
    """The accounts on vacation; pauses the clocks of their games."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._reader = FreshReader(registry.store)
        self._allowed = registry.settings.vacation_days
        self._current: dict[str, float] = {}
        """The accounts on vacation, and until when."""
        self._tasks = BackgroundTasks()
        registry.add_listener(self._on_commit)

    async def start(self) -> None:
        """Load the vacations, and apply them to tables that a stop of the server has left out."""
        self._store.notifications.subscribe(VACATIONS, lambda _: self._tasks.start(self._load()))
        self._store.notifications.on_reconnect(lambda: self._tasks.start(self._load()))
        await self._load()
        for account_id in self._current:
            self._tasks.start(self._apply(account_id))

    async def _load(self) -> None:
        """Read who is on vacation."""
        now = self._store.now().wall
        self._current = await self._reader.read(partial(_current, now=now))

    async def close(self) -> None:
        """Stop."""
        await self._tasks.cancel()

    async def describe(self, account_id: str) -> dict[str, Any]:
        """Return whether an account is on vacation, and how many days it has left."""
        now = self._store.now().wall
        history = await self._store.read(partial(_history, account_id=account_id, now=now))
        return {
            "until": history.until(now),
            "days_left": round(history.days_left(now, self._allowed), 2),
            "days_a_year": self._allowed,
        }

    async def begin(self, account_id: str, days: int) -> None:
        """Start a vacation of some days from now on, or change the end of the current one."""
        now = self._store.now().wall

        def job(connection: sa.Connection) -> float:
            history = _history(connection, account_id, now)
            left = history.days_left(now, self._allowed)
            if days > left:
                message = f"You have {left:.1f} days of vacation left this year."
                raise ApiError("invalid", message)
            self._store.notifications.publish(connection, VACATIONS, [account_id])
            return _begin(connection, account_id, now, now + days * DAY)

        until = await self._store.write(job)
        self._reader.changed()
        self._current[account_id] = until
        await self._apply(account_id)

    async def end(self, account_id: str) -> None:
        """End the current vacation now."""
        now = self._store.now().wall

        def job(connection: sa.Connection) -> None:
            _end(connection, account_id, now)
            self._store.notifications.publish(connection, VACATIONS, [account_id])

        await self._store.write(job)
        self._reader.changed()
        self._current.pop(account_id, None)
        await self._apply(account_id)

    def _on_commit(self, table_id: str, _: GameSession | None, after: GameSession) -> None:
        """Pause the clock of a player who joins a game while on vacation."""
        if not self._current or after.over:
            return
        now = self._store.now()
        for seat in after.seats:
            until = self._current.get(seat.account or "")
            if seat.account is None or until is None or until <= now.wall:
                continue
            if vacation_events(after, seat.account, until, now):
                self._tasks.start(self._update(table_id, seat.account))

    async def _apply(self, account_id: str) -> None:
        """Pause or resume the clocks of an account's unfinished games."""
        for table_id in await self._store.read(partial(_running, account_id=account_id)):
            await self._update(table_id, account_id)

    async def _update(self, table_id: str, account_id: str) -> None:
        def decide(session: GameSession) -> list[Event]:
            now, until = self._store.now(), self._current.get(account_id)
            if until is not None and until <= now.wall:
                until = None
            return vacation_events(session, account_id, until, now)

        await update_table(self._registry, table_id, decide)


def _history(connection: sa.Connection, account_id: str, now: float) -> VacationHistory:
    taken = (vacations.c.account_id == account_id) & (vacations.c.until > now - YEAR)
    wanted = sa.select(vacations.c.started, vacations.c.until).where(taken)
    rows = connection.execute(wanted.order_by(vacations.c.started))
    return VacationHistory([(row.started, row.until) for row in rows])


def _begin(connection: sa.Connection, account_id: str, now: float, until: float) -> float:
    """Store a vacation, or the new end of the current one; return the end."""
    current = (vacations.c.account_id == account_id) & (vacations.c.until > now)
    if not connection.execute(vacations.update().where(current).values(until=until)).rowcount:
        values = {"account_id": account_id, "started": now, "until": until}
        connection.execute(vacations.insert().values(values))
    return until


def _end(connection: sa.Connection, account_id: str, now: float) -> None:
    current = (vacations.c.account_id == account_id) & (vacations.c.until > now)
    connection.execute(vacations.update().where(current).values(until=now))


def _current(connection: sa.Connection, now: float) -> dict[str, float]:
    wanted = sa.select(vacations.c.account_id, vacations.c.until).where(vacations.c.until > now)
    return {row.account_id: row.until for row in connection.execute(wanted)}


def _running(connection: sa.Connection, account_id: str) -> list[str]:
    """Return the unfinished games of an account in which a clock may run."""
    wanted = (
        sa.select(tables.c.id)
        .join(table_seats, table_seats.c.table_id == tables.c.id)
        .where(table_seats.c.account_id == account_id, tables.c.over.is_(False))
        .distinct()
    )
    return list(connection.execute(wanted).scalars())
