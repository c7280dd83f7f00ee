"""The table and its umpire, which touch nothing but what they are given: a state machine."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

import teahouse as th
from teahouse.server import commands
from teahouse.server import events as ev
from teahouse.server import messages as ms
from teahouse.server.errors import Refused
from teahouse.server.events import Happened, Now
from teahouse.server.table import Table

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("orochi", {"side": 2}),
    ("oolong", {}),
    ("fillit", {"mode": "2mini"}),
    ("fillit", {"mode": "3"}),
    ("fillit", {"mode": "teams"}),
    ("toot", {"tiles": 4, "pieces": 2}),
]
CLOCKS: list[ms.NoClock | ms.RealClock | ms.DaysClock] = [
    ms.NoClock(),
    ms.RealClock(kind="real", seconds=20, increment=3),
    ms.DaysClock(kind="days", days=1),
]
DAY = 86_400.0
OFFERS: list[ms.OfferName] = ["takeback", "draw", "resign", "rematch"]


def snapshot(table: Table) -> Any:
    """All there is to know about a table."""
    return (
        table.number,
        table.position,
        table.moves,
        table.seats,
        table.ended,
        table.rematch,
        table.offers,
        table.chat,
        table.clock.left,
        table.clock.running,
    )


class TableMachine(RuleBasedStateMachine):
    """People, bots and clocks do whatever they like; what must hold, holds."""

    seats = Bundle("seats")

    @initialize(
        game=st.sampled_from(GAMES),
        clock=st.sampled_from(CLOCKS),
        kinds=st.lists(st.sampled_from(["here", "link", "bot"]), min_size=4, max_size=4),
    )
    def open(self, game: tuple[str, dict[str, Any]], clock: Any, kinds: list[str]) -> None:
        loaded = th.load(game[0], **game[1])
        self.seats_there = len(loaded.players)
        chosen: list[Any] = [
            ms.BotSeat(kind="bot", level=1)
            if kind == "bot"
            else ms.Person.model_validate({"kind": kind})
            for kind in kinds[: self.seats_there]
        ]
        self.now = Now(1e9, 0.0)
        opened = ev.Opened(
            game=loaded.name, options=loaded.options, seed=1, start=None, seats=chosen, clock=clock
        )
        self.happened = [Happened(1, self.now, opened)]
        self.table = Table.of(self.happened)
        self.clock = clock
        self.used = [0.0] * self.seats_there

    def commit(self, wanted: list[ev.Event]) -> None:
        for event in wanted:
            one = Happened(
                self.table.number + 1, self.now, ev.event.validate_json(event.model_dump_json())
            )
            self.happened.append(one)
            self.table.apply(one)

    def ask(self, **message: Any) -> str | None:
        """Send a message as the house does: time first. The code if it was refused."""
        self.commit(commands.time_up(self.table, self.now))
        before = snapshot(self.table)
        command = ms.command.validate_python({"id": 1, **message})
        try:
            wanted = commands.follow(self.table, command, self.now, lambda: "aaaaaaaaaa")
        except Refused as refused:
            assert snapshot(self.table) == before
            assert refused.why
            return refused.code
        assert snapshot(self.table) == before
        self.commit(wanted)
        return None

    @rule(seconds=st.sampled_from([0.0, 0.5, 7.0, 25.0, DAY / 2, 2 * DAY]), closed=st.booleans())
    def wait(self, seconds: float, closed: bool) -> None:
        """Time goes by; the house may be closed meanwhile."""
        running = self.table.clock.running
        counts = isinstance(self.clock, ms.DaysClock) or not closed
        if running is not None and counts:
            self.used[running] += seconds
        self.now = Now(self.now.wall + seconds, self.now.open + (0.0 if closed else seconds))
        if closed:
            self.table = Table.of(self.happened)

    @rule(seat=st.integers(0, 3))
    def come(self, seat: int) -> None:
        """A person comes, perhaps once more."""
        if seat < self.seats_there and self.table.seats[seat].kind != "bot":
            sat = self.table.seats[seat].sat
            self.commit(commands.time_up(self.table, self.now))
            self.commit(commands.sit(self.table, [seat]))
            assert self.table.seats[seat].sat
            assert commands.sit(self.table, [seat]) == []
            assert sat or not self.table.over or self.table.ended

    @precondition(lambda self: not self.table.over)
    @rule(which=st.integers(0, 1000))
    def play(self, which: int) -> None:
        """Whoever decides plays; the message comes twice."""
        table = self.table
        self.commit(commands.time_up(table, self.now))
        if table.over:
            return
        seat = table.position.player
        move = table.position.legal[which % len(table.position.legal)]
        ply = table.ply
        if table.seats[seat].kind == "bot":
            self.commit([commands.move(table, seat, ply, move)])
            return
        for _ in range(2):
            assert self.ask(type="play", seat=seat, ply=ply, move=move) is None
        assert (table.ply, table.moves[-1].move) == (ply + 1, move)
        assert not {"takeback", "draw", "resign"} & set(table.offers)

    @rule(
        seat=st.integers(0, 4), ply=st.integers(0, 3), move=st.sampled_from(["wa1", "", "x" * 99])
    )
    def misplay(self, seat: int, ply: int, move: str) -> None:
        """Somebody plays anything anywhere."""
        if move:
            before = self.table.moves[:ply]
            self.ask(type="play", seat=seat, ply=ply, move=move)
            assert self.table.moves[:ply] == before

    @rule(seat=st.integers(0, 4), offer=st.sampled_from(OFFERS))
    def offer(self, seat: int, offer: str) -> None:
        """Somebody asks for something."""
        message = {"type": "resign"} if offer == "resign" else {"type": "ask", "offer": offer}
        number = self.table.number
        if self.ask(seat=seat, **message) is None:
            assert self.table.number > number

    @rule(seat=st.integers(0, 4), offer=st.sampled_from(OFFERS), yes=st.booleans())
    def answer(self, seat: int, offer: str, yes: bool) -> None:
        """Somebody answers, asked or not."""
        self.ask(type="answer", seat=seat, offer=offer, yes=yes)

    @rule(seat=st.integers(0, 3), yes=st.booleans())
    def bot_answers(self, seat: int, yes: bool) -> None:
        """A bot has thought about a draw."""
        if seat < self.seats_there and self.table.seats[seat].kind == "bot":
            self.commit(commands.answer_for_bot(self.table, seat, yes))

    @rule(seat=st.integers(0, 4))
    def chat(self, seat: int) -> None:
        """Somebody talks, asks for a hint, changes names."""
        self.ask(type="say", seat=seat, text="hello")
        self.ask(type="hint", seat=seat, ply=self.table.ply)
        self.ask(type="name", seat=seat, name="Anna")

    @invariant()
    def events_tell_it_all(self) -> None:
        assert snapshot(Table.of(self.happened)) == snapshot(self.table)

    @invariant()
    def the_record_is_the_game(self) -> None:
        record = self.table.record()
        assert record.position == self.table.position
        assert record.result == self.table.result
        assert th.Record.parse(record.text()) == record

    @invariant()
    def offers_wait_for_somebody_who_can_answer(self) -> None:
        table = self.table
        for offer in table.offers.values():
            missing = table.missing(offer)
            assert missing
            assert not missing & offer.agreed
            assert offer.seat in offer.agreed
            assert table.over == (offer.offer == "rematch")
            if offer.offer == "takeback":
                assert table.moves[offer.ply].player == offer.seat
            for seat in missing:
                assert table.waits_for(seat)

    @invariant()
    def clocks_are_right(self) -> None:
        table, clock = self.table, self.table.clock
        ready = all(seat.sat for seat in table.seats)
        if clock.left is None:
            assert clock.running is None
            return
        decides = table.player
        person = decides is not None and table.seats[decides].kind != "bot"
        assert clock.running == (decides if ready and person else None)
        for seat, left in enumerate(clock.left):
            assert (left is None) == (table.seats[seat].kind == "bot")
            assert left is None or left >= 0
        if isinstance(self.clock, ms.RealClock):
            shown = clock.shown(self.now)
            assert shown is not None
            for seat, milliseconds in enumerate(shown["left"]):
                if milliseconds is not None and self.used[seat] <= self.clock.seconds:
                    turns = sum(move.player == seat for move in table.moves) + 2 * table.changes
                    least = self.clock.seconds - self.used[seat]
                    assert least * 1e3 - 1 <= milliseconds
                    assert milliseconds <= (least + self.clock.increment * turns) * 1e3 + 1

    @invariant()
    def nobody_plays_on_without_time(self) -> None:
        table = self.table
        if table.clock.fallen(self.now) and not table.over:
            (event,) = commands.time_up(table, self.now)
            assert isinstance(event, ev.Ended | ev.Replaced)
            assert event.how == "time"
            assert event.seat == table.clock.running


TestTable = TableMachine.TestCase
TestTable.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, derandomize=True
)


def opened(game: str, **options: Any) -> Table:
    """A table of people who have all come."""
    loaded = th.load(game, **options)
    event = ev.Opened(
        game=game,
        options=loaded.options,
        seed=1,
        start=None,
        seats=[ms.Person(kind="here") for _ in loaded.players],
        clock=ms.NoClock(),
    )
    return Table.of([Happened(1, Now(0.0, 0.0), event)])


def ended(table: Table, result: str) -> Table:
    event = ev.Ended(result=result, how="resigned", seat=0)
    table.apply(Happened(table.number + 1, Now(0.0, 0.0), event))
    return table


@pytest.mark.parametrize(
    ("game", "options", "result", "order"),
    [
        ("orochi", {}, "White", [1, 0]),
        ("orochi", {}, "draw", [1, 0]),
        ("oolong", {}, "Green", [0, 1]),  # O2: the loser was Black and stays Black
        ("oolong", {}, "Black", [1, 0]),
        ("oolong", {}, "draw", [1, 0]),
        ("fillit", {"mode": "3"}, "draw", [2, 0, 1]),
        ("fillit", {"mode": "teams"}, "Red+Blue", [3, 0, 1, 2]),
    ],
)
def test_who_sits_where_in_a_rematch(
    game: str, options: dict[str, Any], result: str, order: list[int]
) -> None:
    table = opened(game, **options)
    if "+" in result:
        result = "+".join(table.game.players[seat] for seat in table.game.teams[0])
    assert ended(table, result).rematch_seats() == order


def test_days_are_given_anew_each_turn_and_go_on_while_the_house_is_closed() -> None:
    loaded = th.load("orochi", side=2)
    event = ev.Opened(
        game="orochi",
        options=loaded.options,
        seed=1,
        start=None,
        seats=[ms.Person(kind="here"), ms.Person(kind="here")],
        clock=ms.DaysClock(kind="days", days=2),
    )
    table = Table.of([Happened(1, Now(0.0, 0.0), event)])
    later = Now(1.5 * DAY, 0.0)
    table.apply(Happened(2, later, commands.move(table, 0, 0, "wa1")))
    assert table.clock.wait(later) == 2 * DAY
    assert not commands.time_up(table, Now(3.4 * DAY, 0.0))
    (event_of_time,) = commands.time_up(table, Now(3.6 * DAY, 0.0))
    assert isinstance(event_of_time, ev.Ended)
    assert event_of_time.result == "White"
