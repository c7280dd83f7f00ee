"""All tournaments of a server: creating, finding, joining, leaving and cancelling them."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial

import sqlalchemy as sa

from teahouse.server.accounts.anonymous import DeletedAccount
from teahouse.server.accounts.models import Account
from teahouse.server.correspondence.notices import Notice, Notices
from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.registry import Registry
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.tournaments import director, payloads, rows
from teahouse.server.tournaments import events as ev
from teahouse.server.tournaments.host import TOURNAMENTS, Host
from teahouse.server.tournaments.results import decided
from teahouse.server.tournaments.state import Tournament
from teahouse.server.web.errors import ApiError
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.tournaments")

POLL_SECONDS = 5.0
MAX_IDLE = 50
"""Tournaments that are over and stay in memory."""
NOT_FOUND = "There is no such tournament."


class Tournaments:
    """The tournaments that are open or running, and some that are over."""

    def __init__(self, registry: Registry, notices: Notices) -> None:
        self._registry = registry
        self._notices = notices
        self._store = registry.store
        self._settings = registry.settings
        self._hosts: OrderedDict[str, Host] = OrderedDict()
        self._tasks = BackgroundTasks()
        registry.add_listener(self._table_changed)

    async def start(self) -> None:
        """Resume the tournaments that are not over."""
        if self._store.multi_process:
            self._store.notifications.subscribe(TOURNAMENTS, self._changed_elsewhere)
            self._tasks.start(self._poll())
        for number in await self._store.read(rows.unfinished):
            host = await self.host(number)
            if host.tournament.status == "running":
                self._notify(host.tournament)  # a notice that is written already is left out
            host.wake()

    async def close(self) -> None:
        """Stop all work; after a restart tournaments resume from what is stored."""
        await self._tasks.cancel()
        for host in self._hosts.values():
            await host.close()

    def _table_changed(self, table_id: str, before: GameSession | None, after: GameSession) -> None:
        number = after.created.tournament
        if number is None or not after.over or (before is not None and before.over):
            return
        host = self._hosts.get(number)
        if host is not None:  # else it is loaded later, with all results so far
            self._tasks.start(self._game_over(host, decided(table_id, after)))
        elif self._store.multi_process:  # another process may have it, and does not see this table
            self._tasks.start(self._load_and_end(number, decided(table_id, after)))

    async def _load_and_end(self, number: str, result: ev.Decided) -> None:
        await self._game_over(await self.host(number), result)

    def _changed_elsewhere(self, text: str) -> None:
        for number in text.split(" "):
            host = self._hosts.get(number)
            if host is not None:
                host.changed_elsewhere()

    async def _poll(self) -> None:
        """Poll for changes of other processes whose notification was lost."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            known = {one: host for one, host in self._hosts.items() if not host.tournament.over}
            try:
                stored = await self._store.read(partial(rows.last_events, ids=list(known)))
            except StoreError as error:
                log.warning("Polling for changes of tournaments failed: %s", error)
                continue
            for number, seq in stored.items():
                if seq > known[number].tournament.seq:
                    known[number].changed_elsewhere()

    async def _game_over(self, host: Host, result: ev.Decided) -> None:
        try:
            await host.game_over(result)
        except Exception:
            host.forget_table(result.table)  # its result is looked up in the database
            raise

    def _notify(self, tournament: Tournament) -> None:
        """Write notices to the players that the tournament has started."""
        self._notices.post(
            Notice(
                player.account,
                f"tournament/{tournament.id}",
                "tournament",
                f"Tournament: {tournament.rules.name}",
                "The tournament has started. Open its page to play your game.",
                f"/tournaments/{tournament.id}",
            )
            for player in tournament.active
            if player.kind == "person" and player.account is not None
        )

    async def host(self, number: str) -> Host:
        """Return a tournament; raise `ApiError` if there is no such one."""
        host = self._hosts.get(number)
        if host is None:
            found = await self._store.read(partial(rows.load, tournament_id=number))
            if found is None:
                raise ApiError("not_found", NOT_FOUND)
            host = self._hosts.setdefault(number, Host(found, self._registry, self._notify))
            self._drop_idle()
        self._hosts.move_to_end(number)
        return host

    def _drop_idle(self) -> None:
        idle = [
            number
            for number, host in self._hosts.items()
            if host.tournament.over and not host.subscribers
        ]
        for number in idle[:-MAX_IDLE]:
            del self._hosts[number]

    # Requests of accounts.

    async def create(self, account: Account, rules: ev.Rules, password_hash: str | None) -> Host:
        """Create a tournament; raise `ApiError` if there are too many."""
        now = self._store.now().wall
        opened = ev.Opened(
            creator=account.id,
            creator_name=account.name,
            rules=rules,
            seed=secrets.randbelow(1 << 53),
        )
        tournament = Tournament(new_id(), opened, now)
        change = rows.Change([(now, opened)], tournament, payloads.summary(tournament))

        def job(connection: sa.Connection) -> None:
            self._check_capacity(
                connection, account
            )  # here: the account may create several at once
            rows.insert(connection, change, password_hash)

        await self._store.write(job)
        created = Host(tournament, self._registry, self._notify)
        host = self._hosts.setdefault(tournament.id, created)  # somebody may have opened it already
        host.wake()
        return host

    def _check_capacity(self, connection: sa.Connection, account: Account) -> None:
        """Raise `ApiError` if there are too many tournaments."""
        settings = self._settings
        own = rows.count_unfinished(connection, account.id)
        if own >= settings.max_tournaments_per_account:
            message = (
                f"You have {own} tournaments that are not over. Wait for one to end, or cancel one."
            )
            raise ApiError("at_capacity", message)
        if rows.count_unfinished(connection) >= settings.max_tournaments:
            message = "The server has too many tournaments. Please try again later."
            raise ApiError("at_capacity", message)

    async def join(self, number: str, account: Account, rating: float | None) -> Host:
        """Let an account join, or come back; raise `ApiError` if it is too late."""

        def decide(tournament: Tournament) -> Sequence[ev.Event]:
            player = tournament.player_of(account.id)
            if player is not None and player.withdrawn is None:
                return []
            if reason := director.may_join(tournament):
                raise ApiError("tournament_closed", reason)
            if player is not None:
                return [ev.Returned(player=player.number)]
            return [
                ev.Joined(kind=account.kind, account=account.id, name=account.name, rating=rating)
            ]

        host = await self.host(number)
        await host.submit(decide)
        return host

    async def withdraw(self, number: str, account: Account) -> Host:
        """Withdraw an account; a game in progress continues."""
        host = await self.host(number)
        await host.submit(lambda tournament: _withdrawal(tournament, account.id))
        return host

    async def cancel(self, number: str, account: Account, *, operator: bool = False) -> Host:
        """Cancel a tournament for its creator, before its start, or at any time for an operator."""

        def decide(tournament: Tournament) -> Sequence[ev.Event]:
            if tournament.status == "cancelled":
                return []
            if operator and not tournament.over:
                return [ev.Cancelled(reason="operator")]
            if tournament.opened.creator != account.id:
                raise ApiError("forbidden", "Only its creator may cancel a tournament.")
            if tournament.status != "open":
                message = "The tournament has started, so it can no longer be cancelled."
                raise ApiError("tournament_closed", message)
            return [ev.Cancelled(reason="creator")]

        host = await self.host(number)
        await host.submit(decide)
        return host

    async def rename(self, account_id: str, name: str) -> None:
        """Show the new name of an account in all its tournaments."""
        for number in await self._store.read(partial(rows.ids_of, account=account_id)):
            host = await self.host(number)
            await host.submit(lambda _: [ev.Renamed(account=account_id, name=name)])

    async def on_account_deleted(self, deleted: DeletedAccount) -> None:
        """Withdraw a deleted account, cancel its announced tournaments, and replace its name."""
        account_id = deleted.account_id
        for number in await self._store.read(partial(rows.ids_of, account=account_id)):
            host = await self.host(number)
            await host.submit(lambda tournament: _deletion_events(tournament, account_id))
        await self._store.write(partial(rows.forget_account, deleted=deleted))
        for host in list(self._hosts.values()):
            host.forget_account(account_id)


def _withdrawal(tournament: Tournament, account_id: str) -> Sequence[ev.Event]:
    player = tournament.player_of(account_id)
    if player is None:
        raise ApiError("not_found", "You have not joined this tournament.")
    if tournament.over:
        raise ApiError("tournament_closed", "This tournament is over.")
    if player.withdrawn is not None:
        return []
    return [ev.Withdrew(player=player.number, reason="left")]


def _deletion_events(tournament: Tournament, account_id: str) -> Sequence[ev.Event]:
    """Return what the deletion of an account leads to."""
    if tournament.over:
        return []
    if tournament.status == "open" and tournament.opened.creator == account_id:
        return [ev.Cancelled(reason="creator")]
    player = tournament.player_of(account_id)
    if player is None or player.withdrawn is not None:
        return []
    return [ev.Withdrew(player=player.number, reason="left")]
