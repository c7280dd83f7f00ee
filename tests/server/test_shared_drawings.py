"""Boards that one process draws for others: everybody sees the same, also if it fails."""

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
from teahouse.server.tables.shared_drawings import Drawing, drawing_word, read_drawing
from teahouse.server.tables.subscribers import Elsewhere, Subscribers
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import RECONNECT
from teahouse.server.web.wire import from_json
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Rendered, Renderer
from teahouse.session import commands

SEATS = [{"kind": "remote"}, {"kind": "remote"}]


@pytest.mark.parametrize("diff", [None, '{"a":"b c:d"}', '{"a":"é"}', '["é ' + 9_000 * "a" + '"]'])
def test_a_drawing_is_told_as_it_is(diff: str | None) -> None:
    drawing = Drawing(6, 7, diff)
    assert read_drawing(drawing_word("table", drawing)) == ("table", drawing)


def test_a_drawing_that_is_too_long_is_left_out() -> None:
    """Everybody draws for themselves then."""
    text = random.Random(1).randbytes(9_000).hex()
    word = drawing_word("table", Drawing(6, 7, text))
    assert read_drawing(word) == ("table", Drawing(6, 7, None))


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
    """A renderer that counts what its workers draw."""

    drawn = 0

    async def _render(self, *arguments: Any) -> Rendered | None:
        self.drawn += 1
        return await super()._render(*arguments)


class House:
    """A process of a server, of which a test has several."""

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
        while not all(one.drawers and one.settled for one in (room.subscribers for room in rooms)):
            await asyncio.sleep(0.01)


async def play(
    houses: list[House], viewers: list[Viewer], more: list[Viewer], name: str = th.games()[0]
) -> str:
    """Play a game through two processes; all see each position, as whoever draws it whole.

    Return its table.
    """
    game = th.load(name)
    request = ms.NewTableIn.model_validate({"game": game.name, "seats": SEATS, "seed": 1})
    table, _ = await houses[0].registry.create(request)
    rooms = [await house.registry.room(table) for house in houses]
    for room, viewer in zip(rooms, viewers, strict=True):
        await room.join(viewer, viewer.access, 0)
    for viewer in more:
        await rooms[1].join(viewer, Access(), 0)
    await settle(rooms)
    for house in houses:
        house.renderer.drawn = 0
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


def run(postgres: Postgres, test: Callable[[list[House]], Any]) -> None:
    async def main() -> None:
        database = new_database(postgres)
        houses = [House(database) for _ in range(2)]
        houses.sort(key=lambda house: house.store.notifications.process)
        for house in houses:
            await house.start()
        try:
            await test(houses)
        finally:
            for house in houses:
                await house.stop()

    asyncio.run(main())


def test_one_process_draws_for_both(postgres_server: Postgres) -> None:
    async def test(houses: list[House]) -> None:
        await play(houses, [Viewer(0), Viewer(1)], [])
        assert [house.renderer.drawn for house in houses] == [6, 0]
        await play(houses, [Viewer(0), Viewer(1)], [Viewer(2, diffs=False)], th.games()[1])
        assert [house.renderer.drawn for house in houses] == [6, 6]  # whole ones are not told

    run(postgres_server, test)


def test_who_waits_in_vain_draws(
    postgres_server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawings get lost, and their process is not waited for again."""
    monkeypatch.setattr(feed, "DRAWN_SECONDS", 0.05)

    async def test(houses: list[House]) -> None:
        monkeypatch.setattr(houses[0].registry._services.drawings, "tell", lambda *_: None)
        viewers = [Viewer(0), Viewer(1)]
        await play(houses, viewers, [])
        assert [house.renderer.drawn for house in houses] == [6, 6]

    run(postgres_server, test)


async def test_who_never_draws_is_waited_for_less_and_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though it goes on saying that it is there."""
    now = 0.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    subscribers = Subscribers(list)

    def waits(count: int) -> list[float]:
        nonlocal now
        found = []
        for _ in range(count):
            began = now
            subscribers.distrust("other")
            while not subscribers.drawers:
                now += 5.0
                subscribers.set_elsewhere("other", Elsewhere(frozenset([0]), 0, math.inf, True))
            found.append(now - began)
        return found

    assert waits(8) == [10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 640.0]
    subscribers.trust("other")  # it has drawn in time
    assert waits(2) == [10.0, 20.0]


def test_who_has_just_come_back_does_not_wait(
    postgres_server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that draws may not know of a client yet, and would not tell it anything."""
    monkeypatch.setattr(feed, "DRAWN_SECONDS", 1_000.0)

    async def test(houses: list[House]) -> None:
        viewers = [Viewer(0), Viewer(1)]
        table = await play(houses, viewers, [])
        first, second = [await house.registry.room(table) for house in houses]
        second.leave(viewers[1])
        async with asyncio.timeout(60):
            while first.subscribers.drawers:
                await asyncio.sleep(0.01)
        monkeypatch.setattr(houses[1].registry._presence, "changed", lambda _: None)  # in time
        await second.join(viewers[1], viewers[1].access, 0)
        position = first.session.position
        command = commands.Play(seat=position.player, ply=first.session.ply, move=position.legal[0])
        await (first, second)[position.player].submit(command)
        expected = str(position.play(position.legal[0]))
        await viewers[1].until(lambda: viewers[1].seen["position"] == expected)

    run(postgres_server, test)
