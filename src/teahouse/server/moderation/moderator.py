"""Carries out the actions of operators, from the operators' page and the command line.

Every action is a row of the log. The server polls for actions that the command line has added, and
after a restart completes those that were interrupted: all effects are idempotent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace

import sqlalchemy as sa

from teahouse.core.result import UNFINISHED
from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts import tokens
from teahouse.server.accounts.open_sockets import OpenSockets
from teahouse.server.lobby.lobby import Lobby
from teahouse.server.moderation import rows
from teahouse.server.moderation.actions import apply
from teahouse.server.moderation.rows import OperatorAction
from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.registry import Registry
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError
from teahouse.session import events as ev
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.moderation")

POLL_SECONDS = 0.5
RECONNECT_NOTE = "An operator changed your account. Please reconnect."
REFRESH_NOTE = "Your list of blocked players has changed. Please reconnect."
ALL_TABLES = 1_000_000


class Moderator:
    """Changes accounts and tables on behalf of operators."""

    def __init__(
        self,
        registry: Registry,
        sockets: OpenSockets,
        lobby: Lobby,
        renamed: Callable[[str, str], Awaitable[None]],
    ) -> None:
        """Take what to call with an account's id and its new name after it was renamed."""
        self._renamed = renamed
        self._registry = registry
        self._store = registry.store
        self._sockets = sockets
        self._lobby = lobby
        self._tasks = BackgroundTasks()

    async def start(self) -> None:
        """Complete interrupted actions, and poll for actions of the command line."""
        self._tasks.start(self._run())

    async def close(self) -> None:
        """Stop; the next start resumes."""
        await self._tasks.cancel()

    async def carry_out(self, action: OperatorAction) -> str:
        """Carry out an action; return what was done, or raise `ApiError`."""

        def job(connection: sa.Connection) -> str:
            answer = apply(connection, action, action.created)
            rows.add_action(connection, replace(action, answer=answer))
            return answer

        answer = await self._store.write(job)
        await self._finish(action)
        return answer

    async def _run(self) -> None:
        while True:
            try:
                for action in await self._store.read(rows.unfinished_actions):
                    await self._complete(action)
            except StoreError as error:
                log.warning("Reading the actions of operators failed: %s", error)
            except Exception:
                log.exception("An action of an operator failed.")
            await asyncio.sleep(POLL_SECONDS)

    async def _complete(self, action: OperatorAction) -> None:
        """Carry out an action of the command line, or complete an interrupted one."""

        def job(connection: sa.Connection) -> bool:
            current = rows.get_action(connection, action.id)
            if current is None or current.finished:
                return False
            if current.answer is None:
                try:
                    answer = apply(connection, action, action.created)
                except ApiError as error:
                    failed = f"Failed: {error.message}"
                    rows.update_action(connection, action.id, answer=failed, finished=True)
                    return False
                rows.update_action(connection, action.id, answer=answer)
            return True

        if await self._store.write(job):
            await self._finish(action)

    async def _finish(self, action: OperatorAction) -> None:
        """Apply the effects on tables and connections."""
        log.info(
            "%s by %s: account %s, table %s, %r",
            *(action.action, action.operator, action.account_id, action.table_id, action.reason),
        )
        account_id, table_id = action.account_id, action.table_id
        if action.action in ("suspend", "unsuspend", "rename") and account_id is not None:
            if action.action == "rename":
                await self._rename_seats(account_id)
            await self.reconnect(account_id)
        if action.action == "close-table" and table_id is not None:
            try:
                room = await self._registry.room(table_id)
            except ApiError as error:
                log.warning("Table %s cannot be closed: %s", table_id, error)
            else:
                await room.update(lambda session: _closing(session, action.reason))
        await self._store.write(
            lambda connection: rows.update_action(connection, action.id, finished=True)
        )

    async def reconnect(self, account_id: str) -> None:
        """Close all sockets of an account and its bot accounts; clients open them again.

        Open challenges are withdrawn.
        """

        def job(connection: sa.Connection) -> tuple[list[str], list[str]]:
            owned = [one.id for one in account_rows.owned_by(connection, account_id)]
            accounts, credentials = [account_id, *owned], []
            for one in accounts:
                credentials += [found.id for found in account_rows.sessions_of(connection, one)]
                credentials += [found.id for found in tokens.tokens_of(connection, one)]
            return accounts, credentials

        accounts, credentials = await self._store.read(job)
        self._sockets.reconnect(credentials, RECONNECT_NOTE)
        for one in accounts:
            await self._lobby.forget_account(one)
            self._lobby.reconnect(one, RECONNECT_NOTE)

    def refresh_lobby(self, account_id: str) -> None:
        """Reconnect an account to the lobby, because the visitors it may see have changed."""
        self._lobby.reconnect(account_id, REFRESH_NOTE)

    async def _rename_seats(self, account_id: str) -> None:
        """Show the new name at all tables of an account, finished ones too."""

        def job(connection: sa.Connection) -> tuple[str, list[str]]:
            account = account_rows.get(connection, account_id)
            found = account_rows.tables_of(connection, account_id, ALL_TABLES)
            return (account.name, found) if account else ("", [])

        name, found = await self._store.read(job)
        for table_id in found:
            try:
                room = await self._registry.room(table_id)
            except ApiError:  # the game is not installed any more
                continue
            await room.update(lambda session: _renaming(session, account_id, name))
        await self._renamed(account_id, name)


def _closing(session: GameSession, note: str) -> list[ev.Event]:
    """Return the end of a game that an operator closes."""
    if session.over:
        return []
    return [ev.Ended(result=UNFINISHED, reason="closed", seat=None, note=note)]


def _renaming(session: GameSession, account_id: str, name: str) -> list[ev.Event]:
    """Return the new name of an account at its seats."""
    return [
        ev.Renamed(seat=number, name=name)
        for number, seat in enumerate(session.seats)
        if seat.account == account_id and seat.name != name
    ]
