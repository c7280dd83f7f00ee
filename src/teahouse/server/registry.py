"""The house: opens tables, follows what their guests ask, keeps it, and tells everybody."""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections import deque
from collections.abc import Sequence
from typing import Any

from teahouse.core.catalog import load_untrusted
from teahouse.core.errors import OptionError, PositionError
from teahouse.core.game import Game
from teahouse.server import commands
from teahouse.server import events as ev
from teahouse.server import messages as ms
from teahouse.server.bots import Bots
from teahouse.server.errors import Refused
from teahouse.server.events import Event, Happened, Now
from teahouse.server.ipc import option_texts
from teahouse.server.renderer import Painter
from teahouse.server.room import Guest, Live, hashed, view_message
from teahouse.server.settings import Settings
from teahouse.server.store import Store, StoreError
from teahouse.server.tasks import Beside
from teahouse.server.worker_pool import WorkError

log = logging.getLogger("teahouse.house")

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that look alike
IDLE_SECONDS = 60.0
BEAT_SECONDS = 1.0
SWEEP_SECONDS = 3_600.0
STALE_SECONDS = 7 * 86_400.0  # tables at which nothing has happened at all
ABANDONED_SECONDS = 30 * 86_400.0  # games that no longer count as open
AGAIN_SECONDS = 5.0
PRESENCE_SECONDS = 0.2
BEHIND = 20  # views that wait, before positions that were played on are left out
FAR = 86_400.0  # a timer is set anew at least this often


def new_id() -> str:
    """A name that nobody guesses."""
    return "".join(secrets.choice(LETTERS) for _ in range(10))


def checked_setup(name: str, options: dict[str, Any], start: str | None) -> tuple[Game, str | None]:
    """The game with its options and start, if they are allowed."""
    try:
        game = load_untrusted(name, option_texts(options))
        return game, None if start is None else str(game.position(start))
    except (OptionError, PositionError) as error:
        raise Refused("invalid", str(error)) from None


class House:
    """All tables, in memory and stored."""

    def __init__(self, settings: Settings, store: Store, bots: Bots, painter: Painter) -> None:
        self.settings = settings
        self.store = store
        self.bots = bots
        self.painter = painter
        self.sockets = 0
        self._live: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Task[Live]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._beside = Beside()
        self._closing = False
        self._open_tables = 0

    async def open(self) -> None:
        """Take up where the house was closed: bots' turns and running clocks."""
        self._open_tables = await self.store.count_open(self.store.now().wall - ABANDONED_SECONDS)
        self._beside.start(self._wake(await self.store.alarmed()))
        self._beside.start(self._upkeep())

    async def close(self) -> None:
        """Let everybody go; they will come back."""
        self._closing = True
        for timer in self._timers.values():
            timer.cancel()
        await self._beside.stop()
        for live in list(self._live.values()):
            async with live.lock:  # what is being committed is told first
                for guest in list(live.guests):
                    guest.dismiss(1012, "the house closes")

    async def _wake(self, table_ids: Sequence[str]) -> None:
        """Take up tables at which a bot or a clock may act."""
        for table_id in table_ids:
            try:
                await self.table(table_id)
            except Refused:
                pass  # it was forgotten meanwhile
            except StoreError as trouble:
                log.warning("table %s cannot be taken up yet: %s", table_id, trouble)
                self._wake_later(table_id)
            except Exception:
                log.exception("table %s cannot be taken up", table_id)
            await asyncio.sleep(0)

    def _wake_later(self, table_id: str) -> None:
        if not self._closing:
            loop = asyncio.get_running_loop()
            loop.call_later(
                AGAIN_SECONDS, lambda: self._beside.start(self._wake([table_id])) and None
            )

    async def _upkeep(self) -> None:
        """Now and then: remember the open hours, forget what nobody looks at."""
        swept = -math.inf
        while True:
            now = self.store.now()
            try:
                if self._timers:
                    await self.store.beat()
                if now.open - swept >= SWEEP_SECONDS:
                    await self.store.sweep(now.wall - STALE_SECONDS, list(self._live))
                    self._open_tables = await self.store.count_open(now.wall - ABANDONED_SECONDS)
                    swept = now.open
            except StoreError as trouble:
                log.warning("the database does not answer: %s", trouble)
                await asyncio.sleep(AGAIN_SECONDS)
            for live in list(self._live.values()):
                busy = live.guests or live.thinking or live.judging or live.lock.locked()
                if not busy and now.open - live.used > IDLE_SECONDS:
                    live.gone = True
                    del self._live[live.id]
            await asyncio.sleep(BEAT_SECONDS)

    # Tables.

    async def table(self, table_id: str) -> Live:
        """The table of this name, read from the store if need be."""
        live = self._live.get(table_id)
        if live is None:
            loading = self._loading.get(table_id)
            if loading is None:
                loading = self._loading[table_id] = asyncio.create_task(self._load(table_id))
                loading.add_done_callback(lambda _: self._loading.pop(table_id, None))
            live = await asyncio.shield(loading)
        live.used = self.store.now().open
        return live

    async def _load(self, table_id: str) -> Live:
        found = await self.store.load(table_id)
        if found is None:
            raise Refused("missing", "there is no such table")
        live = Live(table_id, *found)
        live.used = self.store.now().open
        self._live[table_id] = live
        self._arrange(live)
        return live

    async def open_table(self, wanted: ms.NewTable) -> tuple[str, dict[int, str]]:
        """Open a table; its id and a secret for every person's seat."""
        game, start = checked_setup(wanted.game, dict(wanted.options), wanted.start)
        players = game.players
        if len(wanted.seats) != len(players):
            why = f"{game.title} has {len(players)} seats here: {', '.join(players)}"
            raise Refused("invalid", why, list(players))
        if self._open_tables >= self.settings.max_tables:
            raise Refused("limit", "all tables of the house are taken; try again later")
        drawn = secrets.randbelow(1 << 53) if wanted.seed is None else wanted.seed
        opened = ev.Opened(
            game=game.name,
            options=game.options,
            seed=None if start else drawn,
            start=start,
            seats=wanted.seats,
            clock=wanted.clock,
        )
        people = [seat for seat, choice in enumerate(wanted.seats) if choice.kind != "bot"]
        told = {seat: secrets.token_urlsafe(16) for seat in people}
        keys = [hashed(told[seat]) if seat in told else None for seat in range(len(players))]
        first = Happened(1, self.store.now(), opened)
        live = Live(new_id(), keys, [first])
        await self.store.append([([first], live.row(), True)])
        self._opened(live)
        return live.id, told

    def _opened(self, live: Live) -> None:
        live.used = self.store.now().open
        self._live[live.id] = live
        self._open_tables += 1
        self._arrange(live)

    async def follow(self, live: Live, command: ms.TableCommand) -> tuple[int, bool]:
        """Do what a seat's owner asks; the last event's number, and whether it was a repetition."""
        async with live.lock:
            self._check(live)
            now = self.store.now()
            await self._commit(live, commands.time_up(live.table, now), now)
            wanted = commands.follow(live.table, command, now, new_id)
            await self._commit(live, wanted, now)
            return live.table.number, isinstance(command, ms.Play) and not wanted

    def _check(self, live: Live) -> None:
        if live.gone or self._closing:
            raise Refused("busy", "the table is being set up again; come back in a moment")

    async def _commit(self, live: Live, wanted: Sequence[Event], now: Now) -> None:
        """Make events so: on disk first, then for everybody to see. The lock is held."""
        if not wanted:
            return
        table = live.table
        before, was_over = table.changes, table.over
        happened = [Happened(table.number + count, now, one) for count, one in enumerate(wanted, 1)]
        try:
            for one in happened:
                table.apply(one)
            changes = [(happened, live.row(), False)]
            following = self._rematch(live, happened[-1])
            if following is not None:
                first = Happened(1, now, following.table.opened)
                changes.append(([first], following.row(), True))
            writing = self.store.append(changes)
            await asyncio.shield(writing)
        except BaseException:
            # What is in memory may not be what is on disk: it is read anew when somebody asks.
            self._forget(live)
            raise
        if following is not None:
            self._opened(following)
        if table.over and not was_over:
            self._open_tables -= 1
        live.tell(live.update(happened, now))
        if table.changes != before and any(guest.views for guest in live.guests):
            live.to_paint.append(live.sight())
            live.painting = live.painting or self._beside.start(self._paint(live))
        self._arrange(live)

    def _forget(self, live: Live) -> None:
        live.gone = True
        self._live.pop(live.id, None)
        for guest in list(live.guests):
            guest.dismiss(1012, "the table is being set up again")
        self._wake_later(live.id)

    def _rematch(self, live: Live, happened: Happened) -> Live | None:
        """The table of a rematch that has been agreed to. Secrets go with their owners."""
        if not isinstance(happened.event, ev.Rematch):
            return None
        table = live.table
        order = table.rematch_seats()
        opened = table.opened.model_copy(
            update={
                "seats": [table.rematch_seat(seat) for seat in order],
                "seed": None if table.opened.start else secrets.randbelow(1 << 53),
            }
        )
        keys = [live.keys[seat] for seat in order]
        return Live(happened.event.table, keys, [Happened(1, happened.now, opened)])

    # Guests.

    async def join(self, live: Live, guest: Guest, seats: frozenset[int], seen: int) -> None:
        """Seat a guest and tell what has been missed."""
        async with live.lock:
            self._check(live)
            if not seats and live.watching >= self.settings.max_watching:
                raise Refused("limit", "too many look on at this table")
            now = self.store.now()
            await self._commit(live, commands.time_up(live.table, now), now)
            await self._commit(live, commands.sit(live.table, seats), now)
            drawn = await self.view(live) if guest.views else None
            guest.seats = seats
            live.guests.add(guest)
            missed = live.missed(seen, now)
            if missed is None:
                guest.send(live.welcome(guest, now, drawn))
            else:
                guest.send(missed)
                if drawn is not None:
                    guest.send(view_message(live.table.number, drawn))
        self._presence(live)

    async def view(self, live: Live) -> str:
        """The view of a table's position now. The lock is held."""
        sight = live.sight()
        if live.drawn[0] != sight.changes:
            drawn = await self.painter.view(sight.position, sight.ply, sight.last)
            live.drawn = (sight.changes, drawn)
        return live.drawn[1]

    async def _paint(self, live: Live) -> None:
        """Show the positions of a table as they are drawn; if that takes too long, the last one."""
        try:
            while live.to_paint and not live.gone:
                if self.painter.waiting > BEHIND:
                    live.to_paint = deque([live.to_paint[-1]])
                sight = live.to_paint.popleft()
                drawn = await self.painter.view(sight.position, sight.ply, sight.last)
                live.show(sight, drawn)
        finally:
            live.painting = None

    def leave(self, live: Live, guest: Guest) -> None:
        """A guest is gone."""
        if guest in live.guests:
            live.guests.discard(guest)
            live.used = self.store.now().open
            self._presence(live)

    def _presence(self, live: Live) -> None:
        """Tell soon who is there; of many who come at once is told once."""
        if not live.presence_due:
            live.presence_due = True
            loop = asyncio.get_running_loop()
            loop.call_later(PRESENCE_SECONDS, self._tell_presence, live)

    def _tell_presence(self, live: Live) -> None:
        live.presence_due = False
        live.tell(live.presence())

    # Bots and clocks.

    def _arrange(self, live: Live) -> None:
        """See to it that who acts without being asked will: a bot, or the clock."""
        if self._closing or live.gone:
            return
        table = live.table
        if live.thinking is None:
            if table.bot_to_play:
                live.thinking = self._beside.start(self._think(live))
        elif live.thinking is not asyncio.current_task() and live.thinks_about != table.turn:
            live.thinking.cancel()  # it asks again at its end
        offer = table.offers.get("draw")
        if offer is not None and live.judging is None:
            asked = [seat for seat in table.missing(offer) if table.seats[seat].kind == "bot"]
            if asked:
                live.judging = self._beside.start(self._judge(live, asked[0]))
        self._set_timer(live)

    def _set_timer(self, live: Live) -> None:
        timer = self._timers.pop(live.id, None)
        if timer is not None:
            timer.cancel()
        wait = live.table.clock.wait(self.store.now())
        if wait is not None:
            loop = asyncio.get_running_loop()
            due = min(wait, FAR) + 0.001
            self._timers[live.id] = loop.call_later(
                due, lambda: self._beside.start(self._time(live.id)) and None
            )

    async def _time(self, table_id: str) -> None:
        """A clock may have run out."""
        try:
            live = await self.table(table_id)
            async with live.lock:
                if not live.gone:
                    now = self.store.now()
                    await self._commit(live, commands.time_up(live.table, now), now)
                    self._set_timer(live)
        except Refused:
            pass  # it was forgotten meanwhile
        except StoreError as trouble:
            log.warning("table %s: %s", table_id, trouble)
            self._wake_later(table_id)

    async def _think(self, live: Live) -> None:
        """Let bots play as long as it is their turn."""
        table = live.table
        try:
            while not live.gone and table.bot_to_play:
                live.thinks_about, position = table.turn, table.position
                try:
                    move = await self.bots.choose(position, table.seats[position.player].level or 1)
                except WorkError as trouble:
                    log.warning("table %s: %s", live.id, trouble)
                    await asyncio.sleep(AGAIN_SECONDS)
                    continue
                async with live.lock:
                    if not live.gone and table.turn == live.thinks_about:
                        event = commands.move(table, position.player, table.ply, move)
                        await self._commit(live, [event], self.store.now())
        finally:
            live.thinking = None
            self._arrange(live)

    async def _judge(self, live: Live, seat: int) -> None:
        """Let a bot answer an offered draw."""
        try:
            try:
                yes = await self.bots.accepts_draw(live.table.position, seat)
            except WorkError:
                yes = False
            async with live.lock:
                if not live.gone:
                    answer = commands.answer_for_bot(live.table, seat, yes)
                    await self._commit(live, answer, self.store.now())
        finally:
            live.judging = None
            self._arrange(live)
