"""The house with guests who come and go, and which is closed and opened: nobody misses anything."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from teahouse.server import messages as ms
from teahouse.server.bots import Bots
from teahouse.server.database import connect, migrate
from teahouse.server.errors import Refused
from teahouse.server.registry import House
from teahouse.server.renderer import Painter
from teahouse.server.room import seats_opened
from teahouse.server.settings import Settings
from teahouse.server.store import Store


class Listener:
    """A guest who writes everything down."""

    def __init__(self) -> None:
        self.seats: frozenset[int] = frozenset()
        self.views = False
        self.number = 0
        self.moves: list[str] = []
        self.chat: list[str] = []
        self.presence: dict[str, Any] = {}
        self.dismissed: int | None = None

    def send(self, text: str) -> None:
        message = json.loads(text)
        if message["type"] == "table":
            self.moves = [move["move"] for move in message["moves"]]
            self.chat = [said["text"] for said in message["chat"]]
            self.number = message["number"]
        elif message["type"] == "update":
            for event in message["events"]:
                assert event["number"] == self.number + 1, "an event was missed or told twice"
                self.number = event["number"]
                if event["type"] == "moved":
                    assert event["ply"] == len(self.moves)
                    self.moves.append(event["move"])
                elif event["type"] == "taken_back":
                    del self.moves[event["ply"] :]
                elif event["type"] == "said":
                    self.chat.append(event["text"])
            assert self.number == message["number"]

    def dismiss(self, code: int, why: str) -> None:
        self.dismissed = code


class HouseMachine(RuleBasedStateMachine):
    """Players and spectators at one table of two links, on a real database."""

    @initialize(game=st.sampled_from(["orochi", "fillit"]))
    def open(self, game: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.guests: list[Listener] = []
        self.away: list[Listener] = []
        self.runner.run(self.open_house())
        wanted = ms.NewTable.model_validate(
            {"game": game, "seats": [{"kind": "link"}, {"kind": "link"}], "seed": 1}
        )
        self.table, self.secrets = self.runner.run(self.house.open_table(wanted))

    async def open_house(self) -> None:
        chosen = Settings(database=str(Path(self.folder.name) / "house.db"))
        self.store = Store(chosen.database)
        self.store.start()
        self.house = House(chosen, self.store, Bots(1, 1, 0.1), Painter(1))
        await self.house.open()

    async def close_house(self) -> None:
        await self.house.close()
        await self.house.bots.close()
        await self.house.painter.close()
        await self.store.close()

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.runner.run(self.close_house())
            self.runner.close()
            self.folder.cleanup()

    async def live(self) -> Any:
        return await self.house.table(self.table)

    async def join(self, guest: Listener, seats: list[int]) -> None:
        live = await self.live()
        opened = seats_opened(live.keys, [self.secrets[seat] for seat in seats])
        await self.house.join(live, guest, opened, guest.number)

    @rule(seats=st.sampled_from([[], [0], [1], [0, 1]]))
    def come(self, seats: list[int]) -> None:
        guest = Listener()
        self.runner.run(self.join(guest, seats))
        assert guest.seats == frozenset(seats)
        self.guests.append(guest)

    @precondition(lambda self: self.guests)
    @rule(which=st.integers(0, 9))
    def lose_connection(self, which: int) -> None:
        guest = self.guests.pop(which % len(self.guests))
        self.house.leave(self.runner.run(self.live()), guest)
        self.away.append(guest)

    @precondition(lambda self: self.away)
    @rule(which=st.integers(0, 9))
    def come_back(self, which: int) -> None:
        guest = self.away.pop(which % len(self.away))
        self.runner.run(self.join(guest, sorted(guest.seats)))
        self.guests.append(guest)

    @rule(moves=st.lists(st.integers(0, 99), min_size=1, max_size=3), at_once=st.booleans())
    def play(self, moves: list[int], at_once: bool) -> None:
        """Somebody plays; perhaps several try the same decision at once."""

        async def try_all() -> None:
            live = await self.live()
            table = live.table
            legal, ply = table.position.legal, table.ply
            messages = [
                {"id": 1, "type": "play", "seat": table.position.player, "ply": ply, "move": move}
                for move in {legal[move % len(legal)] for move in moves if legal}
            ]
            tries = [
                self.house.follow(live, ms.command.validate_python(message))
                for message in messages[: len(messages) if at_once else 1]
            ]
            outcomes = await asyncio.gather(*tries, return_exceptions=True)
            won = [one for one in outcomes if not isinstance(one, BaseException)]
            lost = [one for one in outcomes if isinstance(one, BaseException)]
            assert all(isinstance(one, Refused) for one in lost)
            assert len(won) == (1 if tries else 0)

        self.runner.run(try_all())

    @rule(seat=st.integers(0, 1), offer=st.sampled_from(["takeback", "rematch"]))
    def ask(self, seat: int, offer: str) -> None:
        async def both() -> None:
            live = await self.live()
            for who, kind in ((seat, "ask"), (1 - seat, "answer")):
                extra = {"yes": True} if kind == "answer" else {}
                message = {"id": 1, "type": kind, "seat": who, "offer": offer, **extra}
                try:
                    await self.house.follow(live, ms.command.validate_python(message))
                except Refused:
                    return

        self.runner.run(both())

    @rule(seat=st.integers(0, 1), text=st.text("ab<&\"'é", min_size=1, max_size=5))
    def say(self, seat: int, text: str) -> None:
        async def say() -> None:
            message = {"id": 1, "type": "say", "seat": seat, "text": text}
            await self.house.follow(await self.live(), ms.command.validate_python(message))

        self.runner.run(say())

    @rule()
    def close_and_open(self) -> None:
        """The house closes, everybody is sent away and comes back."""
        self.runner.run(self.close_house())
        assert all(guest.dismissed == 1012 for guest in self.guests)
        self.runner.run(self.open_house())
        back, self.guests = self.guests, []
        for guest in back:
            guest.dismissed = None
            self.runner.run(self.join(guest, sorted(guest.seats)))
            self.guests.append(guest)

    @rule()
    def fail_to_write(self) -> None:
        """The disk is full: the message is refused, nothing has changed, and all come back."""

        async def fail() -> None:
            live = await self.live()
            before = live.table.number
            with self.store._engine.begin() as connection:  # somebody spoils the table
                connection.execute(sa.text("UPDATE tables SET number = number + 100"))
            message = {"id": 1, "type": "say", "seat": 0, "text": "lost"}
            try:
                await self.house.follow(live, ms.command.validate_python(message))
                raise AssertionError("what was not written was told")
            except RuntimeError:
                pass
            with self.store._engine.begin() as connection:
                connection.execute(sa.text("UPDATE tables SET number = number - 100"))
            assert (await self.live()).table.number == before

        self.runner.run(fail())
        back, self.guests = self.guests, []
        for guest in back:
            assert guest.dismissed == 1012
            guest.dismissed = None
            self.runner.run(self.join(guest, sorted(guest.seats)))
            self.guests.append(guest)

    @invariant()
    def everybody_knows_everything(self) -> None:
        if not hasattr(self, "table"):
            return
        table = self.runner.run(self.live()).table
        stored = self.runner.run(self.store.load(self.table))
        assert stored is not None
        assert [one.number for one in stored[1]] == list(range(1, table.number + 1))
        for guest in self.guests:
            assert guest.number == table.number
            assert guest.moves == [move.move for move in table.moves]
            assert guest.chat == [said["text"] for said in table.chat]


TestHouse = HouseMachine.TestCase
TestHouse.settings = settings(
    max_examples=15, stateful_step_count=20, deadline=None, derandomize=True
)


def test_migrations_make_what_the_house_reads(database: str) -> None:
    """The tables that migrations make are those that the store uses, column by column."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from teahouse.server.database import TABLES

    engine = connect(database)
    with engine.begin() as connection:
        migrate(connection)
        migrate(connection)  # once more is no harm
        names = {
            name: {column["name"] for column in sa.inspect(connection).get_columns(name)}
            for name in TABLES.tables
        }
        assert names == {name: set(table.c.keys()) for name, table in TABLES.tables.items()}
        context = MigrationContext.configure(connection)
        changes = [change[0] for change in compare_metadata(context, TABLES) if len(change) == 2]
        assert not {"add_table", "add_column"} & set(changes)
    engine.dispose()


def test_a_store_keeps_records_once_and_sweeps_what_never_began(database: str) -> None:
    async def run() -> None:
        store = Store(database)
        store.start()
        house = House(Settings(database=database), store, Bots(1, 1, 0.1), Painter(1))
        first = await store.keep_record("aaaaaaaaaa", "text", store.now())
        assert await store.keep_record("bbbbbbbbbb", "text", store.now()) == first
        assert await store.record(first) == "text"
        assert await store.record("bbbbbbbbbb") is None
        assert await store.count_records() == 1
        wanted = ms.NewTable.model_validate(
            {"game": "orochi", "seats": [{"kind": "here"}, {"kind": "here"}]}
        )
        kept, _ = await house.open_table(wanted)
        gone, _ = await house.open_table(wanted)
        played, _ = await house.open_table(wanted)
        say = ms.command.validate_python({"id": 1, "type": "say", "seat": 0, "text": "hello"})
        await house.follow(await house.table(played), say)
        await store.sweep(store.now().wall + 1, [kept])
        found = await store.rows([kept, gone, played])
        assert set(found) == {kept, played}
        assert await store.count_open(0.0) == 2
        await house.close()
        await house.bots.close()
        await house.painter.close()
        await store.close()

    asyncio.run(run())
