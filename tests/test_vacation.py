"""Correspondence clocks and vacations: time stands still exactly while a player is away."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teahouse as th
from teahouse.session import checkpoint, commands
from teahouse.session import events as ev
from teahouse.session.clock import DAY, Clock
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.state import GameSession
from teahouse.session.vacation import vacation_events

ACCOUNTS = ("aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc", "dddddddddd")


def created(days: int = 2, tournament: str | None = None) -> ev.Created:
    game = th.load(th.games()[0])
    seats = tuple(
        ev.HumanSeat(account=account, name=account)
        for account, _ in zip(ACCOUNTS, game.players, strict=False)
    )
    return ev.Created(
        game=game.name,
        options=game.options,
        seed=1,
        seats=seats,
        time_control=ev.Correspondence(days=days),
        tournament=tournament,
    )


HOURS = st.integers(0, 60)
STEPS = st.lists(
    st.tuples(st.sampled_from(["wait", "leave", "return", "run", "stop"]), HOURS, st.booleans()),
    max_size=40,
)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(STEPS)
def test_the_clock_agrees_with_counting_every_hour(steps: list[tuple[str, int, bool]]) -> None:
    """A model loses an hour for each hour in which a seat runs and is not on vacation."""
    clock = Clock(ev.Correspondence(days=3), [True, True])
    left, until, running, hour = [72, 72], [0, 0], None, 0
    for what, hours, second in steps:
        now, seat = Timestamp(hour * 3600.0), int(second)
        if what == "leave":
            clock.pause(seat, (hour + hours) * 3600.0, now)
            until[seat] = hour + hours
        elif what == "return":
            clock.pause(seat, None, now)
            until[seat] = 0
        elif what == "run":
            clock.run(seat, now)
            running = seat
        elif what == "stop":
            clock.run(None, now)
            running = None
        else:
            for _ in range(hours):
                if running is not None and until[running] <= hour:
                    left[running] = max(0, left[running] - 1)
                hour += 1
        now = Timestamp(hour * 3600.0)
        restored = Clock(ev.Correspondence(days=3), [True, True])
        restored.restore(clock.state)
        for one in (clock, restored, clock.copy()):
            reading = one.reading(now)
            assert reading is not None
            assert reading.remaining_ms == [hours * 3_600_000 for hours in left]
            expired = running is not None and left[running] == 0
            assert one.expired(now) == expired
        if running is not None:
            away = max(0, until[running] - hour)
            expected = (left[running] + away) * 3600.0 if left[running] else 0.0
            assert clock.expires_in(now) == expected
            assert clock.deadline == now.wall + expected or not left[running]
            paused = until[running] * 3600.0 if away else None
            assert clock.paused_until(running, now) == paused


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("mtvr"), st.integers(0, 50)), max_size=20))
def test_sessions_with_vacations_replay(steps: list[tuple[str, int]]) -> None:
    log = [LoggedEvent(1, Timestamp(1e9), created())]
    session, wall = GameSession.replay(log), 1e9
    for what, number in steps:
        wall += number * 3600.0
        now, events = Timestamp(wall), commands.time_out(session, Timestamp(wall))
        if not events and not session.over:
            if what == "m":
                move = session.position.legal[number % len(session.position.legal)]
                events = [commands.play(session, session.position.player, session.ply, move)]
            elif what == "t" and session.ply:
                events = [ev.TookBack(ply=number % session.ply)]
            elif what in "vr":
                account = ACCOUNTS[number % len(session.seats)]
                until = wall + number * 3600.0 if what == "v" else None
                events = vacation_events(session, account, until, now)
        log += session.commit(events, now)
        replayed = GameSession.replay(log)
        saved = checkpoint.save(session)
        moves = checkpoint.saved_moves(session)
        for other in (replayed, checkpoint.restore(log[0], saved, moves, [])):
            assert other.clock.state == session.clock.state
            assert checkpoint.save(other) == saved
        assert all(left is None or left >= 0 for left in session.clock.remaining or [])


def test_a_vacation_of_the_opponent_costs_me_nothing_and_saves_me_nothing() -> None:
    session = GameSession(created(days=2), Timestamp(0.0))
    mover = session.position.player
    other = (mover + 1) % len(session.seats)
    account = ACCOUNTS[other]
    session.commit(vacation_events(session, account, 10 * DAY, Timestamp(0.0)), Timestamp(0.0))
    assert session.clock.expires_in(Timestamp(DAY)) == DAY
    (event,) = commands.time_out(session, Timestamp(2 * DAY))
    assert isinstance(event, ev.Ended | ev.Replaced)
    assert event.seat == mover


def test_there_is_no_vacation_in_tournaments_and_other_time_controls() -> None:
    now = Timestamp(5.0)
    tournament = GameSession(created(tournament="tttttttttt"), now)
    assert vacation_events(tournament, ACCOUNTS[0], DAY, now) == []
    base = created()
    for control in (ev.Untimed(), ev.Realtime(seconds=60)):
        session = GameSession(
            ev.Created(
                game=base.game,
                options=base.options,
                seed=1,
                seats=base.seats,
                time_control=control,
            ),
            now,
        )
        assert vacation_events(session, ACCOUNTS[0], DAY, now) == []
        session.commit([ev.Vacation(seat=0, until=DAY)], now)  # has no effect
        assert session.clock.paused_until(0, now) is None


def test_a_vacation_is_applied_once() -> None:
    session, now = GameSession(created(), Timestamp(5.0)), Timestamp(5.0)
    events = vacation_events(session, ACCOUNTS[0], DAY, now)
    assert events == [ev.Vacation(seat=0, until=DAY)]
    session.commit(events, now)
    assert vacation_events(session, ACCOUNTS[0], DAY, now) == []
    assert vacation_events(session, "nobodyhere", DAY, now) == []
    reading = session.clock.reading(now)
    assert reading is not None
    running = session.clock.running
    assert reading.paused_until == (DAY if running == 0 else None)
    session.commit(vacation_events(session, ACCOUNTS[0], None, now), now)
    assert session.clock.paused_until(0, now) is None


def test_checkpoints_of_clocks_before_vacations_are_read() -> None:
    from teahouse.server.tables.event_json import checkpoint_adapter

    session = GameSession(created(), Timestamp(5.0))
    body = checkpoint_adapter.dump_python(checkpoint.save(session), mode="json")
    del body["clock"]["pauses"]
    assert checkpoint_adapter.validate_python(body).clock.pauses == {}
    session.commit([ev.Vacation(seat=1, until=DAY)], Timestamp(6.0))
    text = checkpoint_adapter.dump_json(checkpoint.save(session))
    assert checkpoint_adapter.validate_json(text) == checkpoint.save(session)


@pytest.mark.parametrize("until", [None, 3 * DAY])
def test_a_bot_that_takes_over_has_no_vacation(until: float | None) -> None:
    session = GameSession(created(), Timestamp(5.0))
    session.commit([ev.Vacation(seat=0, until=until)], Timestamp(6.0))
    session.commit([ev.Replaced(seat=0, level=3, reason="resigned")], Timestamp(7.0))
    assert session.clock.paused_until(0, Timestamp(8.0)) is None
    assert vacation_events(session, ACCOUNTS[0], DAY, Timestamp(8.0)) == []
