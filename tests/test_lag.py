"""Lag compensation: what a move took to travel is given back, within a quota."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teahouse as th
from teahouse.session import checkpoint, commands
from teahouse.session import events as ev
from teahouse.session.clock import Clock
from teahouse.session.errors import CommandError
from teahouse.session.events import Correspondence, Realtime, Timestamp, Untimed
from teahouse.session.lag import FIRST_MOVES, MAX_GRACE, MAX_MOVES, lag_gain
from teahouse.session.state import GameSession

GAME = th.games()[0]
SEATS = len(th.load(GAME).players)


def at(seconds: float) -> Timestamp:
    return Timestamp(1e9 + seconds, seconds)


def new_session(control: ev.TimeControl) -> GameSession:
    seats = tuple(ev.HumanSeat(kind="local") for _ in range(SEATS))
    created = ev.Created(game=GAME, options={}, seed=1, seats=seats, time_control=control)
    return GameSession(created, at(0))


def play(session: GameSession, seconds: float, round_trip: float) -> list[ev.LoggedEvent]:
    """Play the first legal move, as a client with this round trip."""
    player, move = session.position.player, session.position.legal[0]
    now = at(seconds)
    events = (
        []
        if commands.time_out(session, now)
        else commands.decide(
            session,
            commands.Play(seat=player, ply=session.ply, move=move, round_trip=round_trip),
            now,
            str,
        )
    )
    return session.commit(events, now)


def left(session: GameSession, seat: int) -> float:
    assert session.clock.remaining is not None
    found = session.clock.remaining[seat]
    assert found is not None
    return found


def test_a_move_gets_its_round_trip_back() -> None:
    session = new_session(Realtime(seconds=300))
    seat = session.position.player
    (logged,) = play(session, 2.0, round_trip=0.25)
    assert isinstance(logged.event, ev.Moved)
    assert logged.event.lag == 0.25
    assert left(session, seat) == pytest.approx(300 - 1.75)


def test_no_more_is_given_back_than_was_used() -> None:
    session = new_session(Realtime(seconds=300))
    seat = session.position.player
    play(session, 0.1, round_trip=0.8)
    assert left(session, seat) == 300


def test_the_quota_ends_and_grows_again() -> None:
    """Who claims ten seconds for every move gets the quota once, and then its growth."""
    clock = Clock(Realtime(seconds=300), [True])
    gain, given_back, now = lag_gain(Realtime(seconds=300)), [], 0.0
    for _ in range(5):
        clock.run(0, at(now))
        now += 20.0
        given_back.append(clock.compensation(0, 10.0, at(now)))
        clock.stop_turn(0, at(now), given_back[-1])
    assert given_back == [FIRST_MOVES * gain, gain, gain, gain, gain]
    for _ in range(100):
        clock.run(0, at(now))
        clock.stop_turn(0, at(now), 0.0)
    assert clock.compensation(0, 100.0, at(now + 50.0)) == MAX_MOVES * gain


@pytest.mark.parametrize("control", [Untimed(), Correspondence(days=1)], ids=lambda one: one.kind)
def test_other_clocks_have_no_lag(control: ev.TimeControl) -> None:
    session = new_session(control)
    (logged,) = play(session, 5.0, round_trip=3.0)
    assert isinstance(logged.event, ev.Moved)
    assert logged.event.lag == 0.0


def test_faster_games_give_less() -> None:
    gains = [lag_gain(Realtime(seconds=seconds)) for seconds in (15, 60, 120, 180, 3_600)]
    assert gains == sorted(gains)
    assert gains[0] < gains[-2] == gains[-1] == 1.0


def test_a_move_on_its_way_is_not_too_late() -> None:
    """A timeout waits for what the quota may give back, also if no move was late before."""
    control = Realtime(seconds=60)
    session = new_session(control)
    seat = session.position.player
    wait = min(MAX_GRACE, FIRST_MOVES * lag_gain(control))
    assert session.clock.expires_in(at(0)) == pytest.approx(60 + wait)
    assert commands.time_out(session, at(60.49)) == []
    late = session.copy()
    play(late, 60.4, round_trip=0.5)
    assert left(late, seat) == pytest.approx(0.1, abs=2e-3)
    with pytest.raises(CommandError, match="run out"):
        play(session, 60.4, round_trip=0.3)
    assert commands.time_out(session, at(60 + wait + 0.01))


def test_only_moves_profit_from_the_wait() -> None:
    """Whoever has no time left agrees to nothing; the others may act, by their own rules."""
    session = new_session(Realtime(seconds=60))
    seat = session.position.player
    other = (seat + 1) % SEATS

    def decide(command: commands.Command) -> list[ev.Event]:
        return commands.decide(session, command, at(60.1), str)

    session.commit([ev.Offered(seat=other, offer="draw", ply=0)], at(1))
    assert commands.time_out(session, at(60.1)) == []
    for late in (
        commands.Respond(seat=seat, offer="draw", accept=True),
        commands.Offer(seat=seat, offer="draw", ply=0),
        commands.Resign(seat=seat),
    ):
        with pytest.raises(CommandError, match="run out"):
            decide(late)
    move = session.position.legal[0]
    with pytest.raises(CommandError, match="turn"):
        decide(commands.Play(seat=other, ply=0, move=move, round_trip=9.0))
    assert decide(commands.Respond(seat=seat, offer="draw", accept=False))
    assert decide(commands.Resign(seat=other))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.floats(0.0, 30.0), st.floats(0.0, 30.0)), min_size=1, max_size=12))
def test_replaying_and_restoring_give_the_same_clock(
    turns: list[tuple[float, float]],
) -> None:
    """No clock ever grows by lag, and quotas survive a restart."""
    session = new_session(Realtime(seconds=600, increment=1))
    first = ev.LoggedEvent(1, at(0), session.created)
    log, now = [first], 0.0
    for thought, round_trip in turns:
        if session.over:
            break
        before, seat = session.clock.copy(), session.position.player
        now += thought
        log += play(session, now, round_trip)
        assert before.remaining is not None
        was = before.remaining[seat]
        assert was is not None
        assert left(session, seat) <= was + 1 + 1e-9
    replayed = GameSession.replay(log)
    assert replayed.clock.state == session.clock.state
    saved, moves = checkpoint.save(session), checkpoint.saved_moves(session)
    assert checkpoint.restore(first, saved, moves, []).clock.state == session.clock.state
