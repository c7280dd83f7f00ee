"""A state machine sends any command to game sessions at any time, and checks invariants."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import teahouse as th
from teahouse.session import checkpoint, commands, offers, rematch
from teahouse.session import events as ev
from teahouse.session.clock import DAY
from teahouse.session.consent import awaiting, is_awaiting
from teahouse.session.errors import CommandError
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.result import result_text
from teahouse.session.state import GameSession

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("orochi", {"side": 2}),
    ("oolong", {}),
    ("fillit", {"mode": "2mini"}),
    ("fillit", {"mode": "3"}),
    ("fillit", {"mode": "teams"}),
    ("toot", {"tiles": 4, "pieces": 2}),
]
TIME_CONTROLS: list[ev.TimeControl] = [
    ev.Untimed(),
    ev.Realtime(seconds=20, increment=3),
    ev.Correspondence(days=1),
]
OFFERS: list[ev.OfferKind] = ["takeback", "draw", "resign", "rematch"]
NOW = Timestamp(1e9, 0.0)


def everything(session: GameSession) -> Any:
    """Return all there is to know about a session."""
    return (
        session.seq,
        session.position,
        session.last,
        list(session.moves),
        list(session.seats),
        session.ended,
        session.rematch,
        dict(session.offers),
        list(session.chat),
        session.chat_count,
        list(session.states),
        session.revision,
        session.hint_users,
        session.pace,
        dict(session.declined),
        session.updated,
        session.clock.remaining and list(session.clock.remaining),
        session.clock.running,
        result_text(session),
    )


class SessionMachine(RuleBasedStateMachine):
    """People, bots and clocks send any command at any time."""

    @initialize(
        game=st.sampled_from(GAMES),
        control=st.sampled_from(TIME_CONTROLS),
        kinds=st.lists(st.sampled_from(["local", "remote", "bot"]), min_size=4, max_size=4),
    )
    def create(self, game: tuple[str, dict[str, Any]], control: Any, kinds: list[Any]) -> None:
        loaded = th.load(game[0], **game[1])
        self.seat_count = len(loaded.players)
        self.now = NOW
        self.control = control
        self.start_game(loaded, kinds[: self.seat_count])

    def start_game(self, game: th.Game, kinds: list[Any]) -> None:
        created = ev.Created(
            game=game.name,
            options=game.options,
            seed=1,
            seats=tuple(
                ev.BotSeat(level=1) if kind == "bot" else ev.HumanSeat(kind=kind) for kind in kinds
            ),
            time_control=self.control,
        )
        self.begin(created)

    def begin(self, created: ev.Created) -> None:
        self.log = [LoggedEvent(1, self.now, created)]
        self.session = GameSession.replay(self.log)
        self.used = [0.0] * self.seat_count

    def commit(self, events: list[ev.Event]) -> None:
        self.log += self.session.commit(events, self.now)

    def send(self, command: commands.Command) -> str | None:
        """Carry a command out, timeouts first; return the error code if it is rejected."""
        self.commit(commands.time_out(self.session, self.now))
        before = everything(self.session)
        try:
            events = commands.decide(self.session, command, self.now, lambda: "aaaaaaaaaa")
        except CommandError as error:
            assert everything(self.session) == before
            assert error.message.endswith(".") or error.code == "illegal_move"
            return error.code
        assert everything(self.session) == before
        changed = self.session.copy()
        changed.commit(events, self.now)
        assert everything(self.session) == before, "a copy is independent"
        self.commit(events)
        assert everything(self.session) == everything(changed)
        return None

    @rule(seconds=st.sampled_from([0.0, 0.5, 7.0, 25.0, DAY / 2, 2 * DAY]), stopped=st.booleans())
    def wait(self, seconds: float, stopped: bool) -> None:
        """Time passes; the server may be stopped meanwhile."""
        running = self.session.clock.running
        counts = isinstance(self.control, ev.Correspondence) or not stopped
        if running is not None and counts:
            self.used[running] += seconds
        uptime = self.now.uptime + (0.0 if stopped else seconds)
        self.now = Timestamp(self.now.wall + seconds, uptime)
        if stopped:
            self.session = GameSession.replay(self.log)

    @rule(seat=st.integers(0, 3))
    def join(self, seat: int) -> None:
        if seat < self.seat_count and not self.session.is_bot(seat):
            joined = self.session.seats[seat].joined
            self.commit(commands.time_out(self.session, self.now))
            self.commit(commands.join(self.session, [seat]))
            assert self.session.seats[seat].joined
            assert commands.join(self.session, [seat]) == []
            assert joined or not self.session.over or self.session.ended

    @precondition(lambda self: not self.session.over)
    @rule(which=st.integers(0, 1000))
    def play(self, which: int) -> None:
        """The seat to move plays; the command arrives twice."""
        session = self.session
        self.commit(commands.time_out(session, self.now))
        if session.over:
            return
        seat, ply = session.position.player, session.ply
        move = session.position.legal[which % len(session.position.legal)]
        if session.is_bot(seat):
            self.commit([commands.play(session, seat, ply, move)])
            return
        for _ in range(2):
            assert self.send(commands.Play(seat=seat, ply=ply, move=move)) is None
        assert (session.ply, session.moves[-1].move) == (ply + 1, move)
        assert not {"takeback", "draw", "resign"} & set(session.offers)

    @rule(
        seat=st.integers(0, 4), ply=st.integers(0, 3), move=st.sampled_from(["wa1", "", "x" * 99])
    )
    def play_anything(self, seat: int, ply: int, move: str) -> None:
        before = self.session.moves[:ply]
        self.send(commands.Play(seat=seat, ply=ply, move=move))
        assert self.session.moves[:ply] == before

    @rule(seat=st.integers(0, 4), offer=st.sampled_from(OFFERS))
    def offer(self, seat: int, offer: Any) -> None:
        command: commands.Command = (
            commands.Resign(seat=seat)
            if offer == "resign"
            else commands.Offer(seat=seat, offer=offer)
        )
        seq = self.session.seq
        if self.send(command) is None:
            assert self.session.seq > seq

    @rule(seat=st.integers(0, 4), offer=st.sampled_from(OFFERS), accept=st.booleans())
    def respond(self, seat: int, offer: Any, accept: bool) -> None:
        self.send(commands.Respond(seat=seat, offer=offer, accept=accept))

    @rule(seat=st.integers(0, 3), accept=st.booleans())
    def respond_as_bot(self, seat: int, accept: bool) -> None:
        if seat < self.seat_count and self.session.is_bot(seat):
            self.commit(offers.respond_as_bot(self.session, seat, accept))

    @rule(seat=st.integers(0, 4))
    def chat(self, seat: int) -> None:
        self.send(commands.Chat(seat=seat, text="hello"))
        self.send(commands.UseHint(seat=seat, ply=self.session.ply))
        self.send(commands.Rename(seat=seat, name="Anna"))

    @precondition(lambda self: self.session.over)
    @rule()
    def start_rematch(self) -> None:
        """The next game has the same players, each on another seat or where the game says."""
        old = self.session
        self.begin(rematch.next_game(old, seed=2))
        order = rematch.seat_order(old)
        assert sorted(order) == list(range(self.seat_count))
        for seat, before in zip(self.session.seats, order, strict=True):
            assert (seat.kind == "bot") == isinstance(old.created.seats[before], ev.BotSeat)
            if seat.kind != "bot":
                assert seat.name == old.seats[before].name

    @rule()
    def save_and_load(self) -> None:
        """A terminal game goes on from its record, with the same people and bots."""
        if not isinstance(self.control, ev.Untimed):
            return
        seats = [
            ev.BotSeat(level=seat.level or 1)
            if seat.kind == "bot"
            else ev.HumanSeat(name=seat.name)
            for seat in self.session.seats
        ]
        loaded = GameSession.from_record(self.session.record(), seats, self.now)
        assert loaded.position == self.session.position
        assert loaded.moves == self.session.moves
        assert loaded.result == self.session.result
        assert loaded.winners == self.session.winners

    @invariant()
    def events_add_up(self) -> None:
        assert everything(GameSession.replay(self.log)) == everything(self.session)

    @invariant()
    def a_checkpoint_restores_the_session(self) -> None:
        session = self.session
        saved, moves = checkpoint.save(session), checkpoint.saved_moves(session)
        restored = checkpoint.restore(self.log[0], saved, moves, list(session.chat))
        assert everything(restored) == everything(session)
        assert checkpoint.save(restored) == saved

    @invariant()
    def the_record_is_the_game(self) -> None:
        record = self.session.record()
        assert record.position == self.session.position
        assert record.result == self.session.result
        assert th.Record.parse(record.text()) == record

    @invariant()
    def offers_can_be_answered(self) -> None:
        session = self.session
        for kind, offer in session.offers.items():
            asked = awaiting(session, offer)
            assert asked
            assert not asked & (offer.agreed | offer.declined)
            assert not offer.agreed & offer.declined
            assert offer.seat in offer.agreed
            assert (session.over or session.bots_only) == (kind == "rematch")
            if kind == "takeback":
                assert session.moves[offer.ply].player == offer.seat
            for seat in asked:
                assert is_awaiting(session, seat)

    @invariant()
    def results_have_a_reason(self) -> None:
        session = self.session
        text = result_text(session)
        assert (text is None) == (not session.over)
        if text is None:
            assert session.result == "*"
            return
        assert text.endswith(".")
        winners = [session.game.players[seat] for seat in session.winners]
        assert all(name in text for name in winners)
        assert ("win" in text) == bool(winners)
        assert winners or "Draw" in text
        sides = {session.game.side(seat) for seat in session.winners}
        assert len(sides) <= 1 or session.ended is None

    @invariant()
    def clocks_are_right(self) -> None:
        session, clock = self.session, self.session.clock
        if clock.remaining is None:
            assert clock.running is None
            return
        ready = all(seat.joined for seat in session.seats)
        timed = session.player is not None and not session.is_bot(session.player)
        assert clock.running == (session.player if ready and timed else None)
        for seat, left in enumerate(clock.remaining):
            assert (left is None) == session.is_bot(seat)
            assert left is None or left >= 0
        if isinstance(self.control, ev.Realtime):
            reading = clock.reading(self.now)
            assert reading is not None
            for seat, milliseconds in enumerate(reading.remaining_ms):
                if milliseconds is not None and self.used[seat] <= self.control.seconds:
                    # A takeback gains no time: only the turns of the history have an increment.
                    turns = session.turns_since(0).count(seat)
                    least = self.control.seconds - self.used[seat]
                    assert least * 1e3 - 1 <= milliseconds
                    assert milliseconds <= (least + self.control.increment * turns) * 1e3 + 1

    @invariant()
    def nobody_plays_without_time(self) -> None:
        session = self.session
        if session.clock.expired(self.now) and not session.over:
            (event,) = commands.time_out(session, self.now)
            assert isinstance(event, ev.Ended | ev.Replaced)
            assert event.reason == "timeout"
            assert event.seat == session.clock.running


TestSession = SessionMachine.TestCase
TestSession.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, derandomize=True
)
