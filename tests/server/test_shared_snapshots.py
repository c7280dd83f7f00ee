"""Snapshots that one process renders for others: all clients see the same, also if it fails."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from support.diffs import apply_diff
from support.servers import Postgres, new_database

import teahouse as th
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.store import Store
from teahouse.server.tables import feed
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.room import Room
from teahouse.server.tables.seat_keys import Access
from teahouse.server.tables.shared_snapshots import SharedDiff, decode_diff, encode_diff
from teahouse.server.tables.subscribers import ProcessPresence, Subscribers
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import RECONNECT
from teahouse.server.web.wire import from_json
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Rendered, Renderer
from teahouse.session import commands

SEATS = [{"kind": "remote"}, {"kind": "remote"}]


@pytest.mark.parametrize("diff", [None, '{"a":"b c:d"}', '{"a":"é"}', '["é ' + 9_000 * "a" + '"]'])
def test_a_diff_round_trips(diff: str | None) -> None:
    shared = SharedDiff(6, 7, diff)
    assert decode_diff(encode_diff("table", shared)) == ("table", shared)


def test_a_diff_that_is_too_long_is_left_out() -> None:
    """Every process renders itself then."""
    text = random.Random(1).randbytes(9_000).hex()
    item = encode_diff("table", SharedDiff(6, 7, text))
    assert decode_diff(item) == ("table", SharedDiff(6, 7, None))


class Viewer:
    """A client that applies what it is sent."""

    address = "127.0.0.1"

    def __init__(self, seat: int, *, diffs: bool = True) -> None:
        self.seats: frozenset[int] = frozenset()
        self.access = Access(frozenset({seat}))
        self.snapshots = True
        self.diffs = diffs
        self.shown = -1
        self.seen: dict[str, Any] = {}
        self.seqs: list[int] = []
        self.changed = asyncio.Event()

    def send(self, text: str) -> None:
        message = from_json(text)
        if message["type"] in ("table", "snapshot"):
            self.seen = message["snapshot"]
        elif message["type"] == "snapshot_diff":
            self.seen = apply_diff(self.seen, message["diff"])
        if message["type"] in ("update", "snapshot", "snapshot_diff"):
            self.seqs.append(message["seq"])
        self.changed.set()

    def disconnect(self, code: int, reason: str) -> None:
        assert code == RECONNECT, reason

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not done():
                self.changed.clear()
                await self.changed.wait()


class CountingRenderer(Renderer):
    """A renderer that counts what its workers render."""

    count = 0

    async def _render(self, *arguments: Any) -> Rendered | None:
        self.count += 1
        return await super()._render(*arguments)


class Process:
    """A process of a server, of which a test starts several."""

    def __init__(self, database: str) -> None:
        settings = ServerSettings(database=database, run_jobs=False)
        self.store = Store(database)
        self.renderer = CountingRenderer(1)
        self.registry = Registry(settings, self.store, Bots(settings), self.renderer, JobPool())

    async def start(self) -> None:
        listening = asyncio.Event()
        self.store.notifications.on_reconnect(listening.set)
        self.store.start()
        await self.registry.start()
        await listening.wait()

    async def stop(self) -> None:
        await self.registry.close()
        await self.registry.bots.close()
        await self.registry.renderer.close()
        await self.registry.jobs.close()
        await self.store.close()


async def settle(rooms: list[Room]) -> None:
    """Wait until processes know of each other's clients."""
    async with asyncio.timeout(60):
        while not all(
            one.render_peers and one.settled for one in (room.subscribers for room in rooms)
        ):
            await asyncio.sleep(0.01)


async def play(
    processes: list[Process], viewers: list[Viewer], more: list[Viewer], name: str = th.games()[0]
) -> str:
    """Play a game through two processes; all see each position as a whole snapshot shows it.

    Return its table.
    """
    game = th.load(name)
    request = ms.NewTableIn.model_validate({"game": game.name, "seats": SEATS, "seed": 1})
    table, _ = await processes[0].registry.create(request)
    rooms = [await process.registry.room(table) for process in processes]
    for room, viewer in zip(rooms, viewers, strict=True):
        await room.join(viewer, viewer.access, 0)
    for viewer in more:
        await rooms[1].join(viewer, Access(), 0)
    await settle(rooms)
    for process in processes:
        process.renderer.count = 0
    position, everybody = game.start(1), [*viewers, *more]
    for ply in range(6):
        move, seat = position.legal[0], position.player
        await rooms[seat].submit(commands.Play(seat=seat, ply=ply, move=move))
        position = position.play(move)
        for viewer in everybody:
            await viewer.until(lambda: viewer.seen["position"] == str(position))  # noqa: B023
        assert len({str(viewer.seen) for viewer in everybody}) == 1
        assert viewers[0].seen["last"]["move"] == move
    for viewer in everybody:
        assert viewer.seqs == sorted(viewer.seqs), "a board came before its event"
    return table


def run(postgres: Postgres, test: Callable[[list[Process]], Any]) -> None:
    async def main() -> None:
        database = new_database(postgres)
        processes = [Process(database) for _ in range(2)]
        processes.sort(key=lambda process: process.store.notifications.process)
        for process in processes:
            await process.start()
        try:
            await test(processes)
        finally:
            for process in processes:
                await process.stop()

    asyncio.run(main())


def test_one_process_renders_for_both(postgres_server: Postgres) -> None:
    async def test(processes: list[Process]) -> None:
        await play(processes, [Viewer(0), Viewer(1)], [])
        assert [process.renderer.count for process in processes] == [6, 0]
        await play(processes, [Viewer(0), Viewer(1)], [Viewer(2, diffs=False)], th.games()[1])
        assert [process.renderer.count for process in processes] == [
            6,
            6,
        ]  # whole snapshots are not shared

    run(postgres_server, test)


def test_a_process_renders_itself_after_a_timeout(
    postgres_server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Diffs get lost, and their process is not waited for again."""
    monkeypatch.setattr(feed, "LEADER_TIMEOUT", 0.05)

    async def test(processes: list[Process]) -> None:
        monkeypatch.setattr(
            processes[0].registry._services.shared_snapshots, "publish", lambda *_: None
        )
        viewers = [Viewer(0), Viewer(1)]
        await play(processes, viewers, [])
        assert [process.renderer.count for process in processes] == [6, 6]

    run(postgres_server, test)


async def test_a_process_that_never_renders_backs_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though it keeps publishing its presence."""
    now = 0.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    subscribers = Subscribers(list)

    def waits(count: int) -> list[float]:
        nonlocal now
        found = []
        for _ in range(count):
            began = now
            subscribers.back_off("other")
            while not subscribers.render_peers:
                now += 5.0
                subscribers.set_presence(
                    "other", ProcessPresence(frozenset([0]), 0, math.inf, True)
                )
            found.append(now - began)
        return found

    assert waits(8) == [10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 640.0]
    subscribers.reset_backoff("other")  # it has rendered in time
    assert waits(2) == [10.0, 20.0]


def test_a_process_whose_client_just_joined_does_not_wait(
    postgres_server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The leader may not know of a new client yet, and would not publish to its process."""
    monkeypatch.setattr(feed, "LEADER_TIMEOUT", 1_000.0)

    async def test(processes: list[Process]) -> None:
        viewers = [Viewer(0), Viewer(1)]
        table = await play(processes, viewers, [])
        first, second = [await process.registry.room(table) for process in processes]
        second.leave(viewers[1])
        async with asyncio.timeout(60):
            while first.subscribers.render_peers:
                await asyncio.sleep(0.01)
        monkeypatch.setattr(processes[1].registry._presence, "changed", lambda _: None)  # in time
        await second.join(viewers[1], viewers[1].access, 0)
        position = first.session.position
        command = commands.Play(seat=position.player, ply=first.session.ply, move=position.legal[0])
        await (first, second)[position.player].submit(command)
        expected = str(position.play(position.legal[0]))
        await viewers[1].until(lambda: viewers[1].seen["position"] == expected)

    run(postgres_server, test)
