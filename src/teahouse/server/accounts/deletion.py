"""Deleting accounts: at once nobody can use them; then, step by step, everything of them goes.

Each step is one transaction of the database, and a server that was killed between two of them goes
on at its next start.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import sqlalchemy as sa

from teahouse.server.accounts import rows
from teahouse.server.accounts.anonymous import (
    Departure,
    anonymize_table,
    anonymous_records,
    replace_records,
)
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.names import DELETED_NAME
from teahouse.server.accounts.open_sockets import OpenSockets
from teahouse.server.accounts.personal_data import SECTIONS
from teahouse.server.accounts.tokens import api_tokens
from teahouse.server.ratings.service import Ratings
from teahouse.server.storage.database import SCHEMA, table_seats, tables
from teahouse.server.storage.store import StoreError
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.registry import Registry
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError
from teahouse.session import events as ev
from teahouse.session.forfeits import forfeit
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.accounts.deletion")

Farewell = Callable[[Departure], Awaitable[None]]
"""Ends what an account takes part in, such as tournaments, before it becomes anonymous."""

RETRY_SECONDS = 5.0

departures = sa.Table(
    "departures",
    SCHEMA,
    sa.Column("account_id", sa.String(10), primary_key=True),
    sa.Column("name", sa.String(20)),
    sa.Column("replaced_by", sa.String(10)),
)


class AccountDeletion:
    """Deletes accounts, in the background."""

    def __init__(
        self,
        registry: Registry,
        open_sockets: OpenSockets,
        ratings: Ratings,
        farewells: tuple[Farewell, ...],
    ) -> None:
        self._registry = registry
        self._store = registry.store
        self._open_sockets = open_sockets
        self._ratings = ratings
        self._farewells = farewells
        self._tasks = BackgroundTasks()

    async def start(self) -> None:
        """Go on with deletions that were interrupted."""
        wanted = sa.select(departures.c.account_id, departures.c.name, departures.c.replaced_by)
        found = await self._store.read(lambda connection: connection.execute(wanted).all())
        self._tasks.start(self._finish_all([Departure(*row) for row in found]))

    async def close(self) -> None:
        """Stop; the next start goes on."""
        await self._tasks.cancel()

    async def delete(self, account: Account) -> None:
        """Delete an account and the programs' accounts that it owns; return when all is gone.

        From the first step on nobody can sign in, so it goes on even if the caller does not wait.
        """
        owned = await self._store.read(lambda connection: rows.owned_by(connection, account.id))
        now = self._store.now().wall
        leaving, credentials = await self._store.write(
            lambda connection: _begin(connection, [*owned, account], now)
        )
        self._open_sockets.close(credentials)
        await asyncio.shield(self._tasks.start(self._finish_all(leaving)))

    async def _finish_all(self, leaving: Sequence[Departure]) -> None:
        for departure in leaving:
            while True:
                try:
                    await self._finish(departure)
                    break
                except (ApiError, StoreError) as error:
                    log.warning("A deletion goes on later: %s", error)
                    await asyncio.sleep(RETRY_SECONDS)

    async def _finish(self, departure: Departure) -> None:
        for farewell in self._farewells:
            await farewell(departure)
        for table_id in await self._tables(departure, over=False):
            await self._resign(table_id, departure.account_id)
        await self._ratings.settled()  # with the account's own rating
        for table_id in await self._tables(departure):
            rewrite = partial(anonymize_table, table_id=table_id, departure=departure)
            await self._registry.rewrite(table_id, rewrite)
        texts = await self._store.read(lambda connection: anonymous_records(connection, departure))
        await self._store.write(lambda connection: replace_records(connection, texts))
        await self._store.write(lambda connection: _end(connection, departure))

    async def _tables(self, departure: Departure, *, over: bool | None = None) -> list[str]:
        wanted = sa.select(table_seats.c.table_id).where(
            table_seats.c.account_id == departure.account_id
        )
        if over is not None:
            wanted = wanted.join(tables, tables.c.id == table_seats.c.table_id).where(
                tables.c.over.is_(over)
            )
        return await self._store.read(
            lambda connection: list(connection.execute(wanted.distinct()).scalars())
        )

    async def _resign(self, table_id: str, account_id: str) -> None:
        try:
            room = await self._registry.room(table_id)
        except ApiError as error:
            if error.code != "not_found":
                raise
            return  # the game is not installed any more
        await room.update(lambda session: _resignations(session, account_id))


def _resignations(session: GameSession, account_id: str) -> list[ev.Event]:
    """Return the end of a game, or that a bot takes over where several sides go on."""
    for number, seat in enumerate(session.seats):
        if seat.account == account_id and not session.is_bot(number) and not session.over:
            return [forfeit(session, number, "resigned")]
    return []


def _begin(
    connection: sa.Connection, accounts: Sequence[Account], now: float
) -> tuple[list[Departure], list[str]]:
    """Close accounts; return their departures, and the sessions and tokens to be disconnected."""
    leaving, credentials = [], []
    for account in accounts:
        departure = Departure(account.id, account.name, new_id())
        leaving.append(departure)
        anonymous = {
            "id": departure.replaced_by,
            "name": DELETED_NAME,
            "name_key": f"deleted {departure.replaced_by}",
            "kind": account.kind,
            "created": now,
            "deleted": True,
        }
        connection.execute(rows.accounts.insert().values(anonymous))
        connection.execute(departures.insert().values(vars(departure)))
        rows.update(connection, account.id, {"deleted": True, "password_hash": None})
        credentials += [one.id for one in rows.sessions_of(connection, account.id)]
        own_tokens = api_tokens.c.account_id == account.id
        credentials += connection.execute(sa.select(api_tokens.c.id).where(own_tokens)).scalars()
        rows.delete_sessions(connection, account.id)
        connection.execute(api_tokens.delete().where(own_tokens))
    return leaving, credentials


def _end(connection: sa.Connection, departure: Departure) -> None:
    """Remove all that is left of an account, and that it ever left."""
    for section in SECTIONS:
        section.remove(connection, departure)
    same = departures.c.account_id == departure.account_id
    connection.execute(departures.delete().where(same))
