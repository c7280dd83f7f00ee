"""Bots at tables: kept trees, pondering, seeds, and tables that have only bots."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from support.servers import ServerProcess, running_server
from support.waiting import until

import teahouse as th
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.store import Store
from teahouse.server.tables.bot_turns import table_bot
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.room import Room
from teahouse.server.tables.seat_keys import Access
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError
from teahouse.server.workers.bots import COMPILER, QUICK_SECONDS, Bots, expected_seconds
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.pool import Flow
from teahouse.server.workers.renderer import Renderer
from teahouse.server.workers.search_requests import BotCache
from teahouse.session import commands
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.state import GameSession, Pace

BOTS = [{"kind": "bot", "level": 1}] * 2
AGAINST_BOT = [{"kind": "local"}, {"kind": "bot", "level": 1}]
SMALL = {"game": "orochi", "options": {"side": 2}}


class Spectator:
    """A subscriber that discards what it is sent."""

    address = "127.0.0.1"
    snapshots = False
    diffs = False

    def __init__(self) -> None:
        self.shown = -1
        self.seats: frozenset[int] = frozenset()

    def send(self, message: str) -> None:
        pass

    def disconnect(self, code: int, reason: str) -> None:
        pass


def run_with_registry(
    folder: Path, test: Callable[[Registry], Awaitable[None]], **settings: Any
) -> None:
    async def run() -> None:
        settings.setdefault("bot_move_seconds", 0.0)
        chosen = ServerSettings(database=str(folder / "teahouse.db"), **settings)
        store, bots, renderer, jobs = Store(chosen.database), Bots(chosen), Renderer(1), JobPool()
        store.start()
        registry = Registry(chosen, store, bots, renderer, jobs)
        try:
            async with asyncio.timeout(120):
                await test(registry)
        finally:
            await registry.close()
            for service in (bots, renderer, jobs, store):
                await service.close()

    asyncio.run(run())


async def create(registry: Registry, seats: list[Any], **fields: Any) -> Room:
    request = ms.NewTableIn.model_validate({**SMALL, "seats": seats, "seed": 1, **fields})
    return await registry.room((await registry.create(request))[0])


def test_a_table_of_bots_is_played_while_somebody_watches(tmp_path: Path) -> None:
    async def test(registry: Registry) -> None:
        room = await create(registry, BOTS)
        assert not room._bots.busy
        watcher = Spectator()
        await room.join(watcher, Access(), 0)
        await until(lambda: room.session.ply > 0)
        room.leave(watcher)
        await until(lambda: not room._bots.busy)
        assert not room.session.over
        await room.join(watcher, Access(), 0)
        await until(lambda: room.session.over)

    run_with_registry(tmp_path, test)


def test_the_pace_of_bots(tmp_path: Path) -> None:
    """A paused game takes no worker; the pace is stored, and only a game of bots has one."""

    async def test(registry: Registry) -> None:
        room = await create(registry, BOTS)
        assert registry.settings.bot_move_seconds == 60, "nothing moves at the normal speed"
        await room.submit(commands.SetPace(seat=0, speed=None, paused=True))
        await room.join(Spectator(), Access(), 0)
        assert not room._bots.busy
        assert (await room.body())["state"]["pace"] == Pace(None, paused=True)
        await room.submit(commands.SetPace(seat=0, speed=None, paused=False))
        await until(lambda: room.session.ply > 1)
        await room.submit(commands.SetPace(seat=0, speed=None, paused=True))
        await until(lambda: not room._bots.busy)
        ply, seq = room.session.ply, room.session.seq
        await room.submit(commands.SetPace(seat=0, speed=None, paused=True))
        assert room.session.seq == seq, "nothing has changed"
        stored = await registry.store.load(room.id)
        assert stored is not None
        assert stored.session().pace == Pace(None, paused=True)
        assert stored.session().ply == ply
        people = await create(registry, AGAINST_BOT)
        with pytest.raises(ApiError, match="bots play all seats"):
            await people.submit(commands.SetPace(seat=0, speed=1.0, paused=True))
        assert (await people.body())["state"]["pace"] is None

    run_with_registry(tmp_path, test, bot_move_seconds=60.0)


def test_the_creator_of_a_game_between_bots_sets_its_pace(server: ServerProcess) -> None:
    table, secrets = server.create_table(**SMALL, seats=BOTS)
    with server.join(table, *secrets) as client:
        assert client.receive("table")["state"]["pace"] == {"speed": 1.0, "paused": False}
        assert client.request(type="pace", seat=0, speed=0.5, paused=True)["type"] == "ack"
        refused = client.request(type="pace", seat=0, speed=3, paused=False)
        assert "Choose one of the speeds 0.5, 1, 2, 4, or null." in refused["message"]
    with server.join(table) as spectator:
        assert spectator.receive("table")["state"]["pace"] == {"speed": 0.5, "paused": True}
        refused = spectator.request(type="pace", seat=0, speed=1, paused=False)
        assert refused["code"] == "not_your_seat"


def test_a_client_that_joins_before_the_first_search_has_begun(tmp_path: Path) -> None:
    async def test(registry: Registry) -> None:
        room = await create(registry, AGAINST_BOT[::-1])
        await room.join(Spectator(), Access(), 0)
        await until(lambda: room.session.ply > 0)

    run_with_registry(tmp_path, test)


def test_tables_of_bots_take_turns(tmp_path: Path) -> None:
    async def test(registry: Registry) -> None:
        rooms = [await create(registry, BOTS) for _ in range(2)]
        for room in rooms:
            await room.join(Spectator(), Access(), 0)
        assert rooms[0]._bots.status is None
        await until(lambda: rooms[1]._bots.status is not None)
        assert (await rooms[1].body())["state"]["bot_status"].waiting
        await until(lambda: rooms[0].session.over)
        await until(lambda: rooms[1].session.over)
        assert rooms[1]._bots.status is None

    run_with_registry(tmp_path, test, max_bot_games=1)


def test_a_move_does_not_wait_for_a_drawing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(registry: Registry) -> None:
        room = await create(registry, [{"kind": "local"}] * 2)
        drawing = asyncio.Event()

        async def draw_for_ever(*_: object) -> None:
            drawing.set()
            await asyncio.Event().wait()

        monkeypatch.setattr(registry.renderer, "rendered", draw_for_ever)
        reading = asyncio.ensure_future(room.body())
        await drawing.wait()
        async with asyncio.timeout(60):
            await room.submit(commands.Play(seat=0, ply=0, move="wa1"))
        assert not reading.done()
        reading.cancel()

    run_with_registry(tmp_path, test)


def test_hints_of_an_address_are_limited(tmp_path: Path) -> None:
    async def test(registry: Registry) -> None:
        position = th.load("orochi", side=2).start()
        first = asyncio.ensure_future(registry.bots.analyse(position, Flow("one", "")))
        await asyncio.sleep(0)
        with pytest.raises(ApiError, match="still being computed"):
            await registry.bots.analyse(position, Flow("one", "other table"))
        other = await registry.bots.analyse(position, Flow("two", ""))
        assert {other["best"], (await first)["best"]} <= set(position.legal)
        assert await registry.bots.analyse(position, Flow("one", ""))

    run_with_registry(tmp_path, test, max_hints_per_address=1, hint_seconds=0.05)


def test_seeds_follow_the_game(tmp_path: Path) -> None:
    """Two games differ, also from one position; a game with a given seed is repeated."""

    async def test(registry: Registry) -> None:
        start = str(th.load("orochi", side=2).start())
        rooms = [
            await create(registry, BOTS, seed=1),
            await create(registry, BOTS, seed=1),
            await create(registry, BOTS, seed=2),
            await create(registry, BOTS, seed=None),
            *[await create(registry, BOTS, seed=None, start=start) for _ in range(2)],
        ]
        seeds = [table_bot(room.id, room.session, 0).seed for room in rooms]
        assert seeds[0] == seeds[1]
        assert len(set(seeds)) == 5
        room = rooms[0]
        assert table_bot(room.id, room.session, 1).seed != seeds[0]
        created = replace(room.session.created, tournament="tournament")
        counted = GameSession.replay([LoggedEvent(1, Timestamp(0.0, 0.0), created)])
        assert table_bot(room.id, counted, 0).seed not in seeds, "nobody can compute it"

    run_with_registry(tmp_path, test)


def test_a_bot_that_pondered_continues_its_tree() -> None:
    game = th.load("oolong")
    bot, stop = th.bot(game, 8, seed=1), Event()
    stop.set()
    position = game.start()
    position = position.play(bot.choose(position, cancel=stop))
    bot.ponder(position, 0.3, Event())
    engine = bot._engine
    assert engine is not None
    assert engine.position == position
    visits = [child.visits for child in engine._tree.children()]
    position = position.play(position.legal[visits.index(max(visits))])
    assert engine.set_position(position, seed=1)
    assert sum(child.visits for child in engine._tree.children()) > 0
    assert not engine.set_position(game.start(), seed=1), "after a takeback the tree is new"
    assert engine.set_position(game.start(), seed=1)


def test_the_bots_of_a_worker_are_limited() -> None:
    game = th.load("orochi", side=2)
    bots = BotCache(size=2)
    first, second = (bots.get((table, 0), game, 1, 1) for table in ("first", "second"))
    assert bots.get(("first", 0), game, 1, 1) is first
    assert bots.get(("first", 0), game, 2, 1) is not first, "another level"
    bots.get(("third", 0), game, 1, 1)
    assert bots.get(("second", 0), game, 1, 1) is not second
    assert len(bots) == 2


def test_low_levels_are_expected_to_be_quick() -> None:
    for name in th.games():
        first, middle, last = (expected_seconds(th.load(name), level) for level in (1, 5, 8))
        assert 0 < max(first, middle) < QUICK_SECONDS < last < 10


def test_bots_go_on_when_their_workers_are_killed(tmp_path: Path) -> None:
    position, killed = th.load("orochi", side=2).start(), 0
    with running_server(str(tmp_path / "teahouse.db")) as server:
        table, secrets = server.create_table(**SMALL, seats=AGAINST_BOT, seed=1)
        with server.join(table, *secrets) as client:
            client.receive("table")
            while not position.over:
                if position.player == 0:
                    for worker in workers(server) if not killed else ():
                        with suppress(ProcessLookupError):
                            os.kill(worker, signal.SIGKILL)
                            killed += 1
                    move = position.legal[0]
                    client.send(type="play", id=1, seat=0, ply=position.ply, move=move)
                for event in client.receive("update")["events"]:
                    if event["type"] == "moved":
                        position = position.play(event["move"])
    assert killed == 2


def workers(server: ServerProcess) -> list[int]:
    """Return the process ids of a server's search workers."""
    children = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(server.process.pid)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [int(line.split()[0]) for line in children.splitlines() if COMPILER in line]


@pytest.mark.long
def test_bots_answer_while_their_kernels_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table says how far that is, and when it is done."""
    monkeypatch.setenv("TEAHOUSE_CACHE_DIR", str(tmp_path / "kernels"))
    with running_server(str(tmp_path / "teahouse.db"), prepare=True) as server:
        # Kernels of default options come first.
        table, secrets = server.create_table(game="orochi", seats=AGAINST_BOT[::-1])
        with server.join(table, *secrets) as client:
            state = client.receive("table")["state"]
            while state["ply"] == 0 or state["bot_status"] is None:
                state = client.receive("update")["state"]
            assert 0 <= state["bot_status"]["preparing"] < 100
            while state["bot_status"] is not None:
                state = client.receive("update")["state"]
