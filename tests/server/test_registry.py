"""Rooms with clients that come and go, a server that restarts, and a database that fails."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from support.registries import open_registry

from teahouse.server.settings import ServerSettings
from teahouse.server.storage.server_clock import LocalClock
from teahouse.server.storage.store import Store
from teahouse.server.tables import room_updates
from teahouse.server.tables.event_json import from_log_row
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.room import Room
from teahouse.server.tables.rows import Change, SavedSession
from teahouse.server.tables.seat_keys import Access, unlocked_seats
from teahouse.server.tables.session_row import session_row
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Renderer
from teahouse.session import checkpoint, commands
from teahouse.session import events as ev
from teahouse.session.state import GameSession


class RecordingSubscriber:
    """A subscriber that checks the order of events and follows the game."""

    def __init__(self) -> None:
        self.address = "127.0.0.1"
        self.seats: frozenset[int] = frozenset()
        self.snapshots = False
        self.diffs = False
        self.shown = -1
        self.seq = 0
        self.moves: list[str] = []
        self.chat: list[str] = []
        self.close_code: int | None = None

    def send(self, text: str) -> None:
        message = json.loads(text)
        if message["type"] == "table":
            self.moves = [move["move"] for move in message["moves"]]
            self.chat = [chat["text"] for chat in message["chat"]]
            self.seq = message["seq"]
        elif message["type"] == "update":
            for event in message["events"]:
                assert event["seq"] == self.seq + 1, "an event was missed or sent twice"
                self.seq = event["seq"]
                if event["type"] == "moved":
                    assert event["ply"] == len(self.moves)
                    self.moves.append(event["move"])
                elif event["type"] == "took_back":
                    del self.moves[event["ply"] :]
                elif event["type"] == "chatted":
                    self.chat.append(event["text"])
            assert self.seq == message["seq"]

    def disconnect(self, code: int, reason: str) -> None:
        self.close_code = code


class RegistryMachine(RuleBasedStateMachine):
    """Players and spectators at one table with two remote seats, on a real database."""

    @initialize(game=st.sampled_from(["orochi", "fillit"]))
    def create(self, game: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.connected: list[RecordingSubscriber] = []
        self.disconnected: list[RecordingSubscriber] = []
        self.runner.run(self.start())
        request = ms.NewTableIn.model_validate(
            {"game": game, "seats": [{"kind": "remote"}, {"kind": "remote"}], "seed": 1}
        )
        self.table, self.secrets = self.runner.run(self.registry.create(request))

    async def start(self) -> None:
        chosen = ServerSettings(database=str(Path(self.folder.name) / "teahouse.db"))
        self.store = Store(chosen.database)
        self.store.start()
        self.registry = Registry(chosen, self.store, Bots(chosen), Renderer(1), JobPool())
        await self.registry.start()

    async def stop(self) -> None:
        await self.registry.close()
        await self.registry.bots.close()
        await self.registry.renderer.close()
        await self.registry.jobs.close()
        await self.store.close()

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.runner.run(self.stop())
            self.runner.close()
            self.folder.cleanup()

    async def room(self) -> Room:
        return await self.registry.room(self.table)

    async def join(self, subscriber: RecordingSubscriber, seats: list[int]) -> None:
        room = await self.room()
        unlocked = unlocked_seats(room.key_hashes, [self.secrets[seat] for seat in seats])
        await room.join(subscriber, Access(unlocked), subscriber.seq)

    def reconnect_all(self) -> None:
        """Everybody was disconnected and joins again."""
        subscribers, self.connected = self.connected, []
        for subscriber in subscribers:
            assert subscriber.close_code == 1012
            subscriber.close_code = None
            self.runner.run(self.join(subscriber, sorted(subscriber.seats)))
            self.connected.append(subscriber)

    @rule(seats=st.sampled_from([[], [0], [1], [0, 1]]))
    def connect(self, seats: list[int]) -> None:
        subscriber = RecordingSubscriber()
        self.runner.run(self.join(subscriber, seats))
        assert subscriber.seats == frozenset(seats)
        self.connected.append(subscriber)

    @precondition(lambda self: self.connected)
    @rule(which=st.integers(0, 9))
    def lose_connection(self, which: int) -> None:
        subscriber = self.connected.pop(which % len(self.connected))
        self.runner.run(self.leave(subscriber))
        self.disconnected.append(subscriber)

    async def leave(self, subscriber: RecordingSubscriber) -> None:
        (await self.room()).leave(subscriber)

    @precondition(lambda self: self.disconnected)
    @rule(which=st.integers(0, 9))
    def reconnect(self, which: int) -> None:
        subscriber = self.disconnected.pop(which % len(self.disconnected))
        self.runner.run(self.join(subscriber, sorted(subscriber.seats)))
        self.connected.append(subscriber)

    @rule(moves=st.lists(st.integers(0, 99), min_size=1, max_size=3), at_once=st.booleans())
    def play(self, moves: list[int], at_once: bool) -> None:
        """Play a move; perhaps several commands for the same ply compete."""

        async def compete() -> None:
            room = await self.room()
            session = room.session
            legal, ply, seat = session.position.legal, session.ply, session.position.player
            attempts = [
                commands.Play(seat=seat, ply=ply, move=move)
                for move in {legal[move % len(legal)] for move in moves if legal}
            ]
            submitted = [room.submit(one) for one in attempts[: len(attempts) if at_once else 1]]
            outcomes = await asyncio.gather(*submitted, return_exceptions=True)
            failures = [one for one in outcomes if isinstance(one, BaseException)]
            assert all(isinstance(one, ApiError) for one in failures)
            assert len(outcomes) - len(failures) == (1 if submitted else 0)

        self.runner.run(compete())

    @rule(seat=st.integers(0, 1), offer=st.sampled_from(["takeback", "rematch"]))
    def offer(self, seat: int, offer: Any) -> None:
        async def both() -> None:
            room = await self.room()
            try:
                await room.submit(commands.Offer(seat=seat, offer=offer))
                await room.submit(commands.Respond(seat=1 - seat, offer=offer, accept=True))
            except ApiError:
                return

        self.runner.run(both())

    async def send_chat(self, seat: int, text: str) -> None:
        await (await self.room()).submit(commands.Chat(seat=seat, text=text))

    @rule(seat=st.integers(0, 1), text=st.text("ab<&\"'é", min_size=1, max_size=5))
    def chat(self, seat: int, text: str) -> None:
        self.runner.run(self.send_chat(seat, text))

    @rule()
    def restart(self) -> None:
        self.runner.run(self.stop())
        self.runner.run(self.start())
        self.reconnect_all()

    @rule()
    def fail_to_write(self) -> None:
        """A write fails: the command fails, nothing has changed, everybody reconnects."""

        async def fail() -> None:
            before = (await self.room()).session.seq
            with self.store._engine.begin() as connection:  # as another process might
                connection.execute(sa.text("UPDATE tables SET seq = seq + 100"))
            try:
                await self.send_chat(0, "lost")
                raise AssertionError("what was not written was acknowledged")
            except RuntimeError:
                pass
            with self.store._engine.begin() as connection:
                connection.execute(sa.text("UPDATE tables SET seq = seq - 100"))
            assert (await self.room()).session.seq == before

        self.runner.run(fail())
        self.reconnect_all()

    @rule(seat=st.integers(0, 1), text=st.text("ab", min_size=1, max_size=3))
    def lose_a_race(self, seat: int, text: str) -> None:
        """Another process stores an event first: it is shown, and the command decided anew."""

        async def race() -> None:
            room = await self.room()
            session, before = room.session.copy(), room.session.seq
            log = session.commit([ev.Chatted(seat=1 - seat, text=text)], self.store.now())
            row = session_row(room.id, room.key_hashes, session, self.store.now())
            change = Change(log, row, SavedSession.of(session, log))
            assert await self.store.append([change])
            await self.send_chat(seat, text)
            assert room.session.seq == before + 2
            assert not room.closed

        self.runner.run(race())

    @invariant()
    def everybody_is_up_to_date(self) -> None:
        if not hasattr(self, "table"):
            return
        session = self.runner.run(self.room()).session
        stored = self.runner.run(self.store.load(self.table))
        assert stored is not None
        rows = self.runner.run(self.store.log(self.table))
        assert [row[0] for row in rows] == list(range(1, session.seq + 1))
        replayed = GameSession.replay([from_log_row(row) for row in rows])
        for other in (stored.session(), replayed):
            assert checkpoint.save(other) == checkpoint.save(session)
            assert checkpoint.saved_moves(other) == checkpoint.saved_moves(session)
            assert other.chat == session.chat
        for subscriber in self.connected:
            assert subscriber.seq == session.seq
            assert subscriber.moves == [move.move for move in session.moves]
            assert subscriber.chat == [chat.text for chat in session.chat]


TestRegistry = RegistryMachine.TestCase
TestRegistry.settings = settings(
    max_examples=15, stateful_step_count=20, deadline=None, derandomize=True
)


def test_idle_rooms_are_evicted_and_woken_by_their_clock(tmp_path: Path, monkeypatch: Any) -> None:
    """A clock that runs out ends the game even if the table is not in memory."""
    monkeypatch.setattr("teahouse.server.tables.upkeep.IDLE_SECONDS", -1.0)
    monkeypatch.setattr("teahouse.server.tables.upkeep.UPKEEP_SECONDS", 0.02)

    async def run() -> None:
        store = Store(str(tmp_path / "teahouse.db"))
        store.start()
        registry = Registry(ServerSettings(), store, Bots(ServerSettings()), Renderer(1), JobPool())
        request = {
            "game": "orochi",
            "seats": [{"kind": "local"}, {"kind": "local"}],
            "time_control": {"kind": "realtime", "seconds": 10},
        }
        table, _ = await registry.create(ms.NewTableIn.model_validate(request))
        room = await registry.room(table)
        monkeypatch.setattr(Room, "deadline", property(lambda _: 0.2))
        await registry.start()
        async with asyncio.timeout(60):
            while not room.closed:
                await asyncio.sleep(0.01)
        monkeypatch.undo()
        assert isinstance(store._clock, LocalClock)
        store._clock._uptime_before += 10.0
        async with asyncio.timeout(60):
            while not (await store.stored_tables([table]))[table].summary["over"]:
                await asyncio.sleep(0.02)
        stored = (await store.stored_tables([table]))[table]
        assert (stored.summary["result"], stored.summary["reason"]) == ("Black", "timeout")
        assert await registry.room(table) is not room
        await registry.close()
        await registry.bots.close()
        await registry.renderer.close()
        await registry.jobs.close()
        await store.close()

    asyncio.run(run())


async def test_an_update_of_a_table_that_is_loaded_again_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room fails while the update waits for it."""
    monkeypatch.setattr(room_updates, "RETRY_SECONDS", 0.01)
    async with open_registry(str(tmp_path / "teahouse.db"), workers=1) as registry:
        request = {"game": "orochi", "seats": [{"kind": "local"}, {"kind": "local"}]}
        table, _ = await registry.create(ms.NewTableIn.model_validate(request))
        room = await registry.room(table)
        async with room._lock:
            updating = asyncio.create_task(
                room_updates.update_table(
                    registry, table, lambda _: [ev.Renamed(seat=0, name="Anna")]
                )
            )
            await asyncio.sleep(0)
            room.fail()
        async with asyncio.timeout(60):
            await updating
        assert (await registry.room(table)).session.seats[0].name == "Anna"


def test_a_table_of_a_game_that_is_not_installed(tmp_path: Path) -> None:
    """It is reported, and other tables are not affected."""

    async def run() -> None:
        store = Store(str(tmp_path / "teahouse.db"))
        store.start()
        registry = Registry(ServerSettings(), store, Bots(ServerSettings()), Renderer(1), JobPool())
        request = {"game": "orochi", "seats": [{"kind": "bot", "level": 1}, {"kind": "local"}]}
        table, _ = await registry.create(ms.NewTableIn.model_validate(request))
        await registry.close()
        with store._engine.begin() as connection:
            rename = "UPDATE events SET body = REPLACE(body, 'orochi', 'chess')"
            connection.execute(sa.text(rename))
        registry = Registry(
            ServerSettings(), store, registry.bots, registry.renderer, registry.jobs
        )
        await registry.start()
        with pytest.raises(ApiError, match=r"cannot be opened.*'chess'") as error:
            await registry.room(table)
        assert error.value.status == 404
        request["seats"] = [{"kind": "local"}, {"kind": "local"}]
        other, _ = await registry.create(ms.NewTableIn.model_validate(request))
        assert (await registry.room(other)).session.seq == 1
        await registry.close()
        await registry.bots.close()
        await registry.renderer.close()
        await registry.jobs.close()
        await store.close()

    asyncio.run(run())


def test_pages_of_tables_are_shown_until_the_server_has_stopped(tmp_path: Path) -> None:
    """What is read is what is stored; nothing can be done there any more."""

    async def run() -> None:
        store = Store(str(tmp_path / "teahouse.db"))
        store.start()
        registry = Registry(ServerSettings(), store, Bots(ServerSettings()), Renderer(1), JobPool())
        request = {"game": "orochi", "seats": [{"kind": "local"}, {"kind": "local"}]}
        table, _ = await registry.create(ms.NewTableIn.model_validate(request))
        room = await registry.room(table)
        assert await registry.readable_room(table) is room
        await registry.drain()
        shown = await registry.readable_room(table)
        assert shown is not room
        assert (await shown.body())["seq"] == room.session.seq
        command = commands.Chat(seat=0, text="late")
        for one in (shown, room):
            with pytest.raises(ApiError, match="being reloaded"):
                await one.submit(command)
        await registry.close()
        await registry.bots.close()
        await registry.renderer.close()
        await registry.jobs.close()
        await store.close()

    asyncio.run(run())
