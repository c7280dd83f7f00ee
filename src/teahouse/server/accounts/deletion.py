"""Account deletion: access is revoked at once, then personal data is removed step by step.

Each step is one transaction, and a server that was killed between two steps resumes at its next
start.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import sqlalchemy as sa

from teahouse.server.accounts import rows
from teahouse.server.accounts.anonymous import (
    DeletedAccount,
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
from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.registry import Registry
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError
from teahouse.session import events as ev
from teahouse.session.forfeits import forfeit
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.accounts.deletion")

DeletionHook = Callable[[DeletedAccount], Awaitable[None]]
"""Withdraws an account, for example from tournaments, before it is anonymised."""

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
        hooks: tuple[DeletionHook, ...],
    ) -> None:
        self._registry = registry
        self._store = registry.store
        self._open_sockets = open_sockets
        self._ratings = ratings
        self._hooks = hooks
        self._tasks = BackgroundTasks()

    async def start(self) -> None:
        """Resume interrupted deletions."""
        wanted = sa.select(departures.c.account_id, departures.c.name, departures.c.replaced_by)
        found = await self._store.read(lambda connection: connection.execute(wanted).all())
        self._tasks.start(self._finish_all([DeletedAccount(*row) for row in found]))

    async def close(self) -> None:
        """Stop; the next start resumes."""
        await self._tasks.cancel()

    async def delete(self, account: Account) -> None:
        """Delete an account and the bot accounts that it owns; return when all data is removed.

        The first step prevents signing in; the rest continues even if the caller is cancelled.
        """
        owned = await self._store.read(lambda connection: rows.owned_by(connection, account.id))
        now = self._store.now().wall
        accounts, credentials = await self._store.write(
            lambda connection: _begin(connection, [*owned, account], now)
        )
        self._open_sockets.close(credentials)
        await asyncio.shield(self._tasks.start(self._finish_all(accounts)))

    async def _finish_all(self, accounts: Sequence[DeletedAccount]) -> None:
        for deleted in accounts:
            while True:
                try:
                    await self._finish(deleted)
                    break
                except (ApiError, StoreError) as error:
                    log.warning(
                        "Deleting account %s failed; retrying: %s", deleted.account_id, error
                    )
                    await asyncio.sleep(RETRY_SECONDS)

    async def _finish(self, deleted: DeletedAccount) -> None:
        for hook in self._hooks:
            await hook(deleted)
        for table_id in await self._tables(deleted, over=False):
            await self._resign(table_id, deleted.account_id)
        await self._ratings.settled()  # while the account still has its rating
        for table_id in await self._tables(deleted):
            rewrite = partial(anonymize_table, table_id=table_id, deleted=deleted)
            await self._registry.rewrite(table_id, rewrite)
        texts = await self._store.read(lambda connection: anonymous_records(connection, deleted))
        await self._store.write(lambda connection: replace_records(connection, texts))
        await self._store.write(lambda connection: _end(connection, deleted))

    async def _tables(self, deleted: DeletedAccount, *, over: bool | None = None) -> list[str]:
        wanted = sa.select(table_seats.c.table_id).where(
            table_seats.c.account_id == deleted.account_id
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
    """Return the forfeit of an account's unfinished game."""
    for number, seat in enumerate(session.seats):
        if seat.account == account_id and not session.is_bot(number) and not session.over:
            return [forfeit(session, number, "resigned")]
    return []


def _begin(
    connection: sa.Connection, accounts: Sequence[Account], now: float
) -> tuple[list[DeletedAccount], list[str]]:
    """Close accounts; return them, and the sessions and tokens to disconnect."""
    closed, credentials = [], []
    for account in accounts:
        deleted = DeletedAccount(account.id, account.name, new_id())
        closed.append(deleted)
        anonymous = {
            "id": deleted.replaced_by,
            "name": DELETED_NAME,
            "name_key": f"deleted {deleted.replaced_by}",
            "kind": account.kind,
            "created": now,
            "deleted": True,
        }
        connection.execute(rows.accounts.insert().values(anonymous))
        connection.execute(departures.insert().values(vars(deleted)))
        rows.update(connection, account.id, {"deleted": True, "password_hash": None})
        credentials += [one.id for one in rows.sessions_of(connection, account.id)]
        own_tokens = api_tokens.c.account_id == account.id
        credentials += connection.execute(sa.select(api_tokens.c.id).where(own_tokens)).scalars()
        rows.delete_sessions(connection, account.id)
        connection.execute(api_tokens.delete().where(own_tokens))
    return closed, credentials


def _end(connection: sa.Connection, deleted: DeletedAccount) -> None:
    """Remove the remaining data of an account, and its deletion from the queue."""
    for section in SECTIONS:
        section.remove(connection, deleted)
    same = departures.c.account_id == deleted.account_id
    connection.execute(departures.delete().where(same))
