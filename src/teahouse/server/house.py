"""The house: its live tables, who looks at them, their bots and their clocks."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections import deque
from collections.abc import Iterable, Sequence
from hashlib import sha256
from hmac import compare_digest
from typing import Any, Protocol

from teahouse.core.catalog import load_foreign
from teahouse.core.errors import OptionError, PositionError
from teahouse.core.game import Game
from teahouse.server import events as ev
from teahouse.server import messages as ms
from teahouse.server.bots import Bots, BotTrouble
from teahouse.server.events import Event, Happened, Now
from teahouse.server.refusal import Refused
from teahouse.server.settings import Settings
from teahouse.server.store import Row, Store
from teahouse.server.table import Table, option_texts
from teahouse.server.views import view

log = logging.getLogger("teahouse.house")

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that look alike
RECENT = 64  # events kept for those who come back
IDLE_SECONDS = 60.0
BEAT_SECONDS = 5.0
SWEEP_SECONDS = 3_600.0
STALE_SECONDS = 7 * 86_400.0
BOT_AGAIN_SECONDS = 5.0
FAR = 86_400.0  # timers are set anew at least this often


def new_id() -> str:
    """A name nobody can guess."""
    return "".join(secrets.choice(LETTERS) for _ in range(10))


def hashed(secret: str) -> str:
    """What is kept of a secret. They are drawn from 2¹³² ones, so a plain hash cannot be undone."""
    return sha256(secret.encode()).hexdigest()


class Guest(Protocol):
    """Somebody connected to a table."""

    seats: frozenset[int]

    def send(self, message: str) -> None:
        """Pass a message on, now or soon."""

    def dismiss(self, code: int, why: str) -> None:
        """End the connection."""


class Live:
    """A table in memory, with those who look at it. Whoever reads or changes the table holds `lock`."""

    def __init__(self, table_id: str, table: Table, keys: list[str | None]) -> None:
        self.id = table_id
        self.table = table
        self.keys = keys
        self.lock = asyncio.Lock()
        self.guests: set[Guest] = set()
        self.recent: deque[dict[str, Any]] = deque(maxlen=RECENT)
        self.thinking: asyncio.Task[None] | None = None
        self.judging: asyncio.Task[None] | None = None
        self.gone = False
        self.used = 0.0
        self.presence_due = False
        self._view: tuple[int, str] | None = None

    def seats_of(self, given: Iterable[str]) -> frozenset[int]:
        """The seats these secrets open; Refused if one opens none."""
        seats = set()
        for secret in given:
            digest = hashed(secret)
            matches = [
                seat for seat, key in enumerate(self.keys) if compare_digest(key or "", digest)
            ]
            if not matches:
                raise Refused("secret", "this secret opens no seat at this table")
            seats.update(matches)
        return frozenset(seats)

    @property
    def here(self) -> list[bool]:
        """For each seat whether its owner is connected; a bot always is."""
        held: set[int] = set().union(*(guest.seats for guest in self.guests))
        return [
            seat.kind == "bot" or number in held for number, seat in enumerate(self.table.seats)
        ]

    @property
    def watching(self) -> int:
        """How many look on without a seat."""
        return sum(not guest.seats for guest in self.guests)

    def view(self) -> str:
        """The position now, as JSON; drawn once."""
        table = self.table
        if self._view is None or self._view[0] != table.moves_made:
            last = table.moves[-1] if table.moves else None
            self._view = (table.moves_made, view(table.position, table.ply, last))
        return self._view[1]

    def state(self, now: Now) -> dict[str, Any]:
        """What may change, but for moves, chat and the position."""
        table = self.table
        here = self.here
        seats = [
            {
                "kind": seat.kind,
                "name": seat.name,
                "level": seat.level,
                "sat": seat.sat,
                "here": here[number],
            }
            for number, seat in enumerate(table.seats)
        ]
        offers = [
            {
                "offer": offer.offer,
                "seat": offer.seat,
                "ply": offer.ply,
                "agreed": sorted(offer.agreed),
                "waits": sorted(table.missing(offer)),
            }
            for offer in table.offers.values()
        ]
        return {
            "seats": seats,
            "ply": table.ply,
            "player": table.player,
            "over": table.over,
            "result": table.result,
            "winners": table.winners,
            "how": table.ended.how if table.ended else None,
            "offers": offers,
            "thinking": table.bot_to_play,
            "rematch": table.rematch,
            "time": table.clock.shown(now),
        }

    def whole(self, now: Now) -> dict[str, Any]:
        """Everything but the view, which is JSON already."""
        table = self.table
        return {
            "number": table.number,
            "table": {
                "id": self.id,
                "game": table.game.name,
                "title": table.game.title,
                "options": table.game.options,
                "seed": table.opened.seed,
                "players": table.game.players,
                "teams": table.game.teams,
                "opened": table.opened_at,
                "clock": table.opened.clock.model_dump(),
            },
            "state": self.state(now),
            "moves": [move.listed() for move in table.moves],
            "chat": table.chat,
        }

    def summary(self) -> dict[str, Any]:
        """What a list of games shows."""
        table = self.table
        return {
            "game": table.game.name,
            "title": table.game.title,
            "players": table.game.players,
            "names": [seat.name for seat in table.seats],
            "ply": table.ply,
            "player": table.player,
            "over": table.over,
            "result": table.result,
            "how": table.ended.how if table.ended else None,
            "rematch": table.rematch,
            "waits": [seat for seat in range(len(table.seats)) if table.waits_for(seat)],
        }

    def row(self) -> Row:
        """What is kept beside the events."""
        table = self.table
        asked_bots = any(
            table.seats[seat].kind == "bot"
            for offer in table.offers.values()
            for seat in table.missing(offer)
        )
        alarm = table.bot_to_play or asked_bots or table.clock.running is not None
        return Row(self.id, self.summary(), table.over, alarm, self.keys)


class House:
    """All tables, live and stored."""

    def __init__(self, settings: Settings, store: Store, bots: Bots) -> None:
        self.settings = settings
        self.store = store
        self.bots = bots
        self.sockets = 0
        self._live: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Lock] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False
        self._open_tables = 0

    async def open(self) -> None:
        """Take up where the house was closed: bots' turns and running clocks."""
        self._open_tables = await self.store.count_open()
        self.spawn(self._wake(await self.store.alarmed()))
        self.spawn(self._upkeep())

    async def _wake(self, ids: Sequence[str]) -> None:
        for table_id in ids:
            try:
                await self.table(table_id)
            except Exception:
                log.exception("table %s cannot be taken up", table_id)
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Let everybody go; they will come back."""
        self._closing = True
        for timer in self._timers.values():
            timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for live in list(self._live.values()):
            async with live.lock:  # whatever is being committed is told first
                for guest in list(live.guests):
                    guest.dismiss(1012, "the house closes")

    def spawn(self, work: Any) -> asyncio.Task[Any]:
        """Do something beside; an error is logged, and the house goes on."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._spawned)
        return task

    def _spawned(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("something beside went wrong", exc_info=task.exception())

    async def _upkeep(self) -> None:
        """Now and then: remember the open hours, forget what nobody looks at."""
        swept = 0.0
        while True:
            now = self.store.now()
            if (
                any(live.table.clock.running is not None for live in self._live.values())
                or self._timers
            ):
                await self.store.beat()
            if now.open - swept > SWEEP_SECONDS or not swept:
                swept = now.open
                self._open_tables -= await self.store.sweep(now.wall - STALE_SECONDS)
            for live in list(self._live.values()):
                if self._idle(live, now):
                    live.gone = True
                    del self._live[live.id]
                    self._loading.pop(live.id, None)
            await asyncio.sleep(BEAT_SECONDS)

    def _idle(self, live: Live, now: Now) -> bool:
        busy = live.guests or live.thinking or live.judging or live.lock.locked()
        return not busy and now.open - live.used > IDLE_SECONDS

    # Tables.

    async def table(self, table_id: str) -> Live:
        """The table of this name, read from the store if need be."""
        live = self._live.get(table_id)
        if live is None:
            async with self._loading.setdefault(table_id, asyncio.Lock()):
                live = self._live.get(table_id)
                if live is None:
                    found = await self.store.load(table_id)
                    if found is None:
                        self._loading.pop(table_id, None)
                        raise Refused("missing", "there is no such table")
                    keys, happened = found
                    live = Live(table_id, Table.of(happened), keys)
                    live.recent.extend(_shown(one, live.table) for one in happened[-RECENT:])
                    self._live[table_id] = live
                    self._arrange(live)
        live.used = self.store.now().open
        return live

    async def open_table(self, wanted: ms.NewTable) -> tuple[str, dict[int, str]]:
        """Open a table; its id and a secret for every person's seat."""
        game, start = checked_setup(wanted.game, wanted.options, wanted.start)
        if len(wanted.seats) != len(game.players):
            names = ", ".join(game.players)
            raise Refused(
                "invalid",
                f"{game.title} has {len(game.players)} seats here: {names}",
                list(game.players),
            )
        if self._open_tables >= self.settings.most_tables:
            raise Refused("limit", "all tables of the house are taken; try again later")
        opened = ev.Opened(
            game=game.name,
            options=game.options,
            seed=None
            if start
            else secrets.randbelow(1 << 53)
            if wanted.seed is None
            else wanted.seed,
            start=start,
            seats=wanted.seats,
            clock=wanted.clock,
        )
        told = {
            seat: secrets.token_urlsafe(16)
            for seat, choice in enumerate(wanted.seats)
            if choice.kind != "bot"
        }
        keys = [hashed(told[seat]) if seat in told else None for seat in range(len(wanted.seats))]
        live, first = self._opening(new_id(), opened, keys)
        await self.store.append([first], live.row(), new=True)
        self._opened(live, first)
        return live.id, told

    def _opening(
        self, table_id: str, opened: ev.Opened, keys: list[str | None]
    ) -> tuple[Live, Happened]:
        first = Happened(1, self.store.now(), opened)
        return Live(table_id, Table.of([first]), keys), first

    def _opened(self, live: Live, first: Happened) -> None:
        live.recent.append(_shown(first, live.table))
        live.used = self.store.now().open
        self._live[live.id] = live
        self._open_tables += 1
        self._arrange(live)

    async def follow(self, live: Live, command: ms.TableCommand) -> tuple[int, bool]:
        """Do what a seat's owner asks; the number of the last event, and whether it was a repetition."""
        async with live.lock:
            self._still(live)
            now = self.store.now()
            await self._commit(live, live.table.time_up(now), now)
            wanted = live.table.follow(command, now, new_id())
            await self._commit(live, wanted, now)
            return live.table.number, isinstance(command, ms.Play) and not wanted

    def _still(self, live: Live) -> None:
        if live.gone or self._closing:
            raise Refused("busy", "the table is being set up again; come back in a moment")

    async def _commit(self, live: Live, wanted: Sequence[Event], now: Now) -> None:
        """Make events so: on disk first, then for everybody to see. The lock is held."""
        if not wanted:
            return
        table = live.table
        before, was_over = table.moves_made, table.over
        happened = [Happened(table.number + count, now, one) for count, one in enumerate(wanted, 1)]
        try:
            for one in happened:
                table.apply(one)
            changes = [(happened, live.row(), False)]
            next_table = self._rematch(live, happened[-1].event)
            if next_table is not None:
                changes.append(([next_table[1]], next_table[0].row(), True))
            writing = asyncio.create_task(self.store.append_all(changes))
            await asyncio.sleep(0)  # the disk is busy while the board is drawn
            drawn = f',"view":{live.view()}' if table.moves_made != before else ""
            await asyncio.shield(writing)
        except BaseException:
            self._forget(live)
            raise
        self._open_tables -= table.over and not was_over
        if next_table is not None:
            self._opened(*next_table)
        shown = [_shown(one, table) for one in happened]
        live.recent.extend(shown)
        update = {
            "type": "update",
            "number": table.number,
            "events": shown,
            "state": live.state(now),
        }
        self.tell(live, f"{_json(update)[:-1]}{drawn}}}")
        self._arrange(live)

    def _forget(self, live: Live) -> None:
        """What is in memory may not be what is on disk: read it again when somebody asks."""
        live.gone = True
        if self._live.get(live.id) is live:
            del self._live[live.id]
        for guest in list(live.guests):
            guest.dismiss(1012, "the table is being set up again")

    def _rematch(self, live: Live, event: Event) -> tuple[Live, Happened] | None:
        """The table of a rematch that has been agreed to. Secrets go with their owners."""
        if not isinstance(event, ev.Rematch):
            return None
        table = live.table
        order = table.rematch_seats()
        chosen = [table.opened.seats[seat] for seat in order]
        seats: list[Any] = [
            choice
            if choice.kind == "bot"
            else ms.Person(kind=choice.kind, name=table.seats[seat].name)
            for seat, choice in zip(order, chosen, strict=True)
        ]
        seed = None if table.opened.start else secrets.randbelow(1 << 53)
        opened = table.opened.model_copy(update={"seats": seats, "seed": seed})
        return self._opening(event.table, opened, [live.keys[seat] for seat in order])

    # Guests.

    async def join(self, live: Live, guest: Guest, seats: frozenset[int], seen: int) -> None:
        """Seat a guest and tell what has been missed."""
        async with live.lock:
            self._still(live)
            if not seats and live.watching >= self.settings.most_watching:
                raise Refused("limit", "too many look on at this table")
            now = self.store.now()
            await self._commit(live, live.table.time_up(now), now)
            await self._commit(live, live.table.sit(set(seats)), now)
            guest.seats = seats
            live.guests.add(guest)
            guest.send(self._welcome(live, guest, seen))
        self._presence(live)

    def leave(self, live: Live, guest: Guest) -> None:
        """A guest is gone."""
        if guest in live.guests:
            live.guests.discard(guest)
            live.used = self.store.now().open
            self._presence(live)

    def _welcome(self, live: Live, guest: Guest, seen: int) -> str:
        now = self.store.now()
        missed = [one for one in live.recent if one["number"] > seen]
        if 0 < seen <= live.table.number and len(missed) == live.table.number - seen:
            update = {
                "type": "update",
                "number": live.table.number,
                "events": missed,
                "state": live.state(now),
            }
            return f'{_json(update)[:-1]},"view":{live.view()}}}'
        head = {
            "type": "table",
            "yours": sorted(guest.seats),
            "watching": live.watching,
            **live.whole(now),
        }
        return f'{_json(head)[:-1]},"view":{live.view()}}}'

    def tell(self, live: Live, message: str) -> None:
        """The same bytes for everybody at a table."""
        for guest in list(live.guests):
            guest.send(message)

    def _presence(self, live: Live) -> None:
        """Tell soon who is there; many who come at once are told of once."""
        if not live.presence_due:
            live.presence_due = True
            asyncio.get_running_loop().call_later(0.2, self._tell_presence, live)

    def _tell_presence(self, live: Live) -> None:
        live.presence_due = False
        self.tell(live, _json({"type": "presence", "here": live.here, "watching": live.watching}))

    # Bots and clocks.

    def _arrange(self, live: Live) -> None:
        """See to it that whoever acts next without being asked will: a bot, or the clock."""
        table = live.table
        if self._closing or live.gone:
            return
        if live.thinking is not None and not table.bot_to_play:
            live.thinking.cancel()
        if table.bot_to_play and live.thinking is None:
            live.thinking = self.spawn(self._think(live))
        offer = table.offers.get("draw")
        if offer is not None and live.judging is None:
            asked = [seat for seat in table.missing(offer) if table.seats[seat].kind == "bot"]
            if asked:
                live.judging = self.spawn(self._judge(live, asked[0]))
        self._set_timer(live)

    def _set_timer(self, live: Live) -> None:
        timer = self._timers.pop(live.id, None)
        if timer is not None:
            timer.cancel()
        wait = live.table.clock.wait(self.store.now())
        if wait is not None:
            loop = asyncio.get_running_loop()
            due = min(wait, FAR) + 0.001
            self._timers[live.id] = loop.call_later(due, lambda: self.spawn(self._time(live.id)))

    async def _time(self, table_id: str) -> None:
        """A clock may have run out."""
        live = await self.table(table_id)
        async with live.lock:
            if not live.gone:
                now = self.store.now()
                await self._commit(live, live.table.time_up(now), now)
                self._set_timer(live)

    async def _think(self, live: Live) -> None:
        """Let bots play as long as it is their turn."""
        try:
            while True:
                async with live.lock:
                    table = live.table
                    if live.gone or not table.bot_to_play:
                        return
                    assert table.player is not None
                    position, made, level = (
                        table.position,
                        table.moves_made,
                        table.seats[table.player].level,
                    )
                try:
                    move = await self.bots.choose(position, level or 1)
                except BotTrouble as trouble:
                    log.warning("table %s: %s", live.id, trouble)
                    await asyncio.sleep(BOT_AGAIN_SECONDS)
                    continue
                async with live.lock:
                    if not live.gone and table.moves_made == made and table.bot_to_play:
                        seat = table.position.player
                        now = self.store.now()
                        await self._commit(live, [table.move(seat, table.ply, move)], now)
        finally:
            live.thinking = None
            if not live.gone and not self._closing and live.table.bot_to_play:
                self._arrange(live)

    async def _judge(self, live: Live, seat: int) -> None:
        """Let a bot answer an offered draw: it agrees unless it thinks that it will do better."""
        try:
            position = live.table.position
            try:
                yes = await self.bots.accepts_draw(position, seat)
            except BotTrouble:
                yes = False
            async with live.lock:
                if not live.gone:
                    now = self.store.now()
                    await self._commit(live, live.table.answer_for_bot(seat, yes), now)
        finally:
            live.judging = None
            if not live.gone and not self._closing:
                self._arrange(live)


def checked_setup(name: str, options: dict[str, Any], start: str | None) -> tuple[Game, str | None]:
    """The game with its options and start, if they are allowed."""
    try:
        game = load_foreign(name, option_texts(options))
        return game, None if start is None else str(game.position(start))
    except (OptionError, PositionError) as error:
        raise Refused("invalid", str(error)) from None


def _shown(happened: Happened, table: Table) -> dict[str, Any]:
    """An event as everybody gets it."""
    event = happened.event
    shown: dict[str, Any] = {"number": happened.number, "at": happened.now.wall, "type": event.type}
    if isinstance(event, ev.Opened):
        return shown
    if (
        isinstance(event, ev.Moved)
        and event.ply < table.ply
        and table.moves[event.ply].move == event.move
    ):
        shown["says"] = table.moves[event.ply].says
    return {**shown, **event.model_dump()}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
