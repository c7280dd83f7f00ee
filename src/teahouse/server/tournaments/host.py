"""A tournament in memory: it stores and applies events, pairs rounds and creates their tables.

Pairings name their tables before these exist, so a crash in between is repaired by creating those
that are missing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa

from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.models import Account
from teahouse.server.ratings.pools import pool_of
from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.deadline_timer import MAX_TIMER_SECONDS
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.setup import load_setup
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.tournaments import director, payloads, rows
from teahouse.server.tournaments import events as ev
from teahouse.server.tournaments.results import decided_by_summary
from teahouse.server.tournaments.state import Game, Player, Tournament
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError
from teahouse.server.web.wire import to_json
from teahouse.session.events import Correspondence

log = logging.getLogger("teahouse.server.tournaments")

START_SECONDS = 60
"""Seconds after which a player who does not join, or does not move, loses."""
DAY_SECONDS = 86_400
RETRY_SECONDS = 5.0
BROADCAST_SECONDS = 0.5
"""Changes within this time share a message."""
CREATED_AT_ONCE = 16

CHANGED_SECONDS = 0.2
"""Seconds until a step is retried that another process may have done."""
MAX_ATTEMPTS = 20
TOURNAMENTS = "tournaments"
"""The topic of notifications about changed tournaments."""


class TournamentChangedError(StoreError):
    """Another process has changed the tournament first."""

    def __init__(self, tournament_id: str) -> None:
        super().__init__(f"Tournament {tournament_id} was changed by another process.")


Decide = Callable[[Tournament], Sequence[ev.Event]]


class Host:
    """One tournament. All changes of `tournament` hold the lock.

    A tournament is replaced, never changed, so a reference can be read across an `await`.
    """

    def __init__(
        self, tournament: Tournament, registry: Registry, started: Callable[[Tournament], None]
    ) -> None:
        self.tournament = tournament
        self._started = started
        self._registry = registry
        self._store = registry.store
        self._lock = asyncio.Lock()
        self._tasks = BackgroundTasks()
        self._timer: asyncio.TimerHandle | None = None
        self._broadcast_timer: asyncio.TimerHandle | None = None
        self._stale = False
        """Whether memory and database may differ."""
        self._tables: set[str] = set()
        """Tables of unfinished games that exist."""
        self._closing = False
        self._shown: tuple[Tournament | None, dict[str, Any]] = (None, {})
        self.subscribers: set[payloads.Listener] = set()

    async def close(self) -> None:
        """Stop all work; what is being stored is finished first."""
        self._closing = True
        for timer in (self._timer, self._broadcast_timer):
            if timer is not None:
                timer.cancel()
        await self._tasks.cancel()

    # Changes.

    async def submit(self, decide: Decide) -> None:
        """Store the events that a function derives from the tournament, and do what is due then."""
        async with self._lock:
            for attempt in range(MAX_ATTEMPTS):
                await self._refresh()
                try:
                    await self._commit(decide(self.tournament))
                    break
                except TournamentChangedError:  # another process was first: decide again
                    if attempt == MAX_ATTEMPTS - 1:
                        raise
        self.wake()

    def changed_elsewhere(self) -> None:
        """Read what another process has changed."""
        self._stale = True
        self.wake()

    def wake(self) -> None:
        """Schedule what is due."""
        if not self._closing:
            self._tasks.start(self._run())

    async def _commit(self, events: Sequence[ev.Event]) -> None:
        """Store events, then apply and broadcast them. The lock is held."""
        if not events:
            return
        now = self._store.now().wall
        after = self.tournament.copy()
        for event in events:
            after.apply(event, now)
        change = rows.Change([(now, event) for event in events], after, payloads.summary(after))

        def job(connection: sa.Connection) -> bool:
            if not rows.append(connection, change):
                return False
            self._store.notifications.publish(connection, TOURNAMENTS, [after.id])
            return True

        try:
            if not await asyncio.shield(self._store.write(job)):
                raise TournamentChangedError(after.id)
        except BaseException:
            self._stale = True
            raise
        self.tournament = after
        self._announce()
        if any(isinstance(event, ev.Started) for event in events):
            self._started(after)

    async def _refresh(self) -> None:
        """Load the tournament again after a failed write."""
        if not self._stale:
            return
        number = self.tournament.id
        self._stale = False  # another process may change it while it is read
        try:
            found = await self._store.read(lambda connection: rows.load(connection, number))
        except BaseException:
            self._stale = True
            raise
        assert found is not None, "tournaments are never deleted"
        changed = found.seq != self.tournament.seq
        self.tournament = found
        self._tables.clear()
        if changed:
            self._announce()

    # Scheduled steps.

    async def _run(self) -> None:
        """Do what is due, create missing tables, and set the timer for the next step."""
        try:
            async with self._lock:
                await self._refresh()
                await self._create_tables()
                while await self._step():
                    await self._create_tables()
        except TournamentChangedError:
            self._set_timer(CHANGED_SECONDS)
        except (ApiError, StoreError) as error:
            log.warning("Tournament %s: a step failed; retrying: %s", self.tournament.id, error)
            self._set_timer(RETRY_SECONDS)
        except Exception:
            log.exception("Tournament %s: a step failed.", self.tournament.id)
            self._set_timer(RETRY_SECONDS)

    async def _step(self) -> bool:
        """Do the next step if it is due; else set the timer for it and return False."""
        next_step = director.due(self.tournament)
        if next_step is None:
            return False
        step, moment = next_step
        wait = moment - self._store.now().wall
        if wait > 0.0:
            self._set_timer(wait)
            return False
        await self._commit(await self._events(step))
        return True

    async def _events(self, step: director.Step) -> Sequence[ev.Event]:
        tournament = self.tournament
        if step == "start":
            return director.start(tournament, self._new_bot)
        if step == "cancel":
            return [ev.Cancelled(reason="too_few")]
        if step == "finish":
            return [ev.Finished()]
        if tournament.rules.format == "arena":
            return [director.arena_round(tournament, new_id)]
        if tournament.rules.format == "round_robin":
            return [director.round_robin_round(tournament, new_id)]
        bot = director.odd_bot(tournament, self._new_bot)
        if bot:
            return bot
        entrants = director.swiss_entrants(tournament)
        pairs = await self._registry.jobs.pair_swiss(entrants)
        return [director.paired(pairs, new_id)]

    def _new_bot(self, number: int) -> ev.Joined:
        rules = self.tournament.rules
        level = rules.bot_level
        assert level is not None, "only where bots fill up"
        game, _ = load_setup(rules.game, rules.options, None)
        pool = pool_of(game)
        rating = None if pool is None else pool.level(level)
        return ev.Joined(
            kind="level",
            account=None,
            name=f"Level {level} #{number}",
            level=level,
            rating=None if rating is None else rating.value,
        )

    def _set_timer(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if not self._closing:
            delay = min(seconds, MAX_TIMER_SECONDS) + 0.001
            self._timer = asyncio.get_running_loop().call_later(delay, self.wake)

    # Tables.

    async def _create_tables(self) -> None:
        """Create the tables that unfinished games lack, and store results that were missed."""
        missing = [
            one for one in self.tournament.unfinished_games() if one.table not in self._tables
        ]
        if not missing or self.tournament.over:  # cancelled by an operator
            return
        stored = await self._store.stored_tables([game.table for game in missing])
        for game in missing:
            if game.table in stored:
                self._tables.add(game.table)
                if stored[game.table].summary["over"]:
                    result = decided_by_summary(game.table, stored[game.table].summary)
                    await self._commit(director.after_game(self.tournament, result))
        new = [game for game in missing if game.table not in stored]
        accounts = await self._accounts(new)
        for first in range(0, len(new), CREATED_AT_ONCE):
            some = new[first : first + CREATED_AT_ONCE]
            creations = (self._create_table(game, accounts) for game in some)
            for failed in await asyncio.gather(*creations, return_exceptions=True):
                if failed is not None:
                    raise failed

    async def _accounts(self, games: Sequence[Game]) -> dict[str, Account]:
        players = self.tournament.players
        ids = {players[number].account for game in games for number in game.seats} - {None}
        return await self._store.read(
            lambda connection: account_rows.get_many(connection, [one for one in ids if one])
        )

    async def _create_table(self, game: Game, accounts: dict[str, Account]) -> None:
        rules = self.tournament.rules
        players = [self.tournament.players[number] for number in game.seats]
        clock = rules.time_control
        request = ms.NewTableIn.model_validate(
            {
                "game": rules.game,
                "options": rules.options,
                "seats": [_seat(player) for player in players],
                "time_control": asdict(clock),
                "listed": not rules.private,
            }
        )
        limit = clock.days * DAY_SECONDS if isinstance(clock, Correspondence) else START_SECONDS
        await self._registry.create(
            request,
            accounts=[accounts.get(player.account or "") for player in players],
            rated=rules.rated,
            tournament=self.tournament.id,
            start_within=limit,
            table_id=game.table,
        )
        self._tables.add(game.table)

    async def game_over(self, result: ev.Decided) -> None:
        """Store the result of a game, unless it is known."""
        await self.submit(
            lambda tournament: (
                director.after_game(tournament, result)
                if result.table in tournament.pending and not tournament.over
                else []
            )
        )

    def forget_table(self, table_id: str) -> None:
        """Read a table again soon: its result could not be stored."""
        self._tables.discard(table_id)
        self._set_timer(RETRY_SECONDS)

    def forget_account(self, account_id: str) -> None:
        """Load the tournament again if it names an account that was deleted."""
        named = self.tournament.player_of(account_id) is not None
        if named or self.tournament.opened.creator == account_id:
            self._stale = True
            self.wake()

    # Subscribers.

    def subscribe(self, listener: payloads.Listener) -> None:
        """Send a client the tournament, and again whenever it has changed."""
        self.subscribers.add(listener)
        listener.send(self._message())

    def _announce(self) -> None:
        if self.subscribers and self._broadcast_timer is None and not self._closing:
            loop = asyncio.get_running_loop()
            self._broadcast_timer = loop.call_later(BROADCAST_SECONDS, self._broadcast)

    def _broadcast(self) -> None:
        self._broadcast_timer = None
        message = self._message()
        for listener in list(self.subscribers):
            listener.send(message)

    @property
    def body(self) -> dict[str, Any]:
        """All that a page shows, except the time; computed once after a change."""
        shown, body = self._shown
        if shown is not self.tournament:
            body = payloads.body(self.tournament)
            self._shown = (self.tournament, body)
        return body

    def _message(self) -> str:
        now = self._store.now().wall
        return to_json({"type": "tournament", "now": now, **self.body})


def _seat(player: Player) -> dict[str, object]:
    if player.kind == "level":
        return {"kind": "bot", "level": player.level}
    return {"kind": "remote", "name": player.name}
