"""Games whose players have to come, and to make their first moves, in time."""

from __future__ import annotations

from typing import Any

import pytest
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core.result import UNFINISHED
from teahouse.session import checkpoint, commands, rematch
from teahouse.session import events as ev
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.result import reason_text, result_text
from teahouse.session.start import awaited_seats, next_deadline, start_deadline
from teahouse.session.state import GameSession

LIMIT = 60
TWO_SIDES = [name for name in th.games() if len(th.load(name).players) == 2]


def created(game: str, *, tournament: str | None = None, **options: Any) -> GameSession:
    """Return a game of people who are not there yet."""
    loaded = th.load(game, **options)
    event = ev.Created(
        game=game,
        options=loaded.options,
        seed=1,
        seats=tuple(ev.HumanSeat(kind="remote") for _ in loaded.players),
        tournament=tournament,
        start_within=LIMIT,
    )
    return GameSession.replay([LoggedEvent(1, Timestamp(), event)])


def at(uptime: float) -> Timestamp:
    return Timestamp(1e9 + uptime, uptime)


def join(session: GameSession, seats: list[int], uptime: float) -> None:
    session.commit(commands.join(session, seats), at(uptime))


def play_first(session: GameSession, uptime: float) -> None:
    move = session.position.legal[0]
    event = commands.play(session, session.position.player, session.ply, move)
    session.commit([event], at(uptime))


def give_up(session: GameSession, uptime: float) -> list[ev.Event]:
    events = commands.time_out(session, at(uptime))
    session.commit(events, at(uptime))
    return events


@pytest.mark.parametrize("game", TWO_SIDES)
def test_a_game_that_nobody_joins_is_aborted(game: str) -> None:
    session = created(game)
    join(session, [1], 10.0)
    assert awaited_seats(session) == [0]
    assert start_deadline(session, at(30.0)) == LIMIT - 20.0
    assert next_deadline(session, at(30.0)) == LIMIT - 20.0
    assert not give_up(session, 69.0)
    (event,) = give_up(session, 70.0)
    assert event == ev.Ended(result=UNFINISHED, reason="aborted", seat=0)
    assert session.over
    assert session.winners == ()
    name = session.game.players[0]
    assert result_text(session) == f"{name} did not join in time. The game was aborted."
    assert reason_text(session) == f"{name} did not join in time."
    assert session.record().result == UNFINISHED
    assert next_deadline(session, at(80.0)) is None


@pytest.mark.parametrize("game", TWO_SIDES)
def test_everybody_makes_a_first_move_in_time(game: str) -> None:
    session = created(game)
    join(session, [0, 1], 50.0)
    first = session.position.player
    assert not give_up(session, 100.0)
    play_first(session, 100.0)
    while awaited_seats(session) == [] and session.position.player == first:
        play_first(session, 100.0)
    late = session.position.player
    assert awaited_seats(session) == [late]
    assert not give_up(session, 159.0)
    saved = checkpoint.save(session)
    moves = checkpoint.saved_moves(session)
    restored = checkpoint.restore(LoggedEvent(1, Timestamp(), session.created), saved, moves, [])
    for one in (session, restored):
        (event,) = give_up(one, 160.0)
        assert event == ev.Ended(result=UNFINISHED, reason="aborted", seat=late)
        name = one.game.players[late]
        assert result_text(one) == f"{name} made no first move in time. The game was aborted."


@pytest.mark.parametrize("game", TWO_SIDES)
def test_a_game_that_is_under_way_has_no_deadline(game: str) -> None:
    session = created(game)
    join(session, [0, 1], 1.0)
    while awaited_seats(session) or len({one.player for one in session.moves}) < 2:
        play_first(session, 2.0)
    assert start_deadline(session, at(3.0)) is None
    assert not give_up(session, 1e6)


@pytest.mark.parametrize("game", TWO_SIDES)
def test_in_a_tournament_the_absent_side_loses(game: str) -> None:
    session = created(game, tournament="t")
    join(session, [0], 0.0)
    (event,) = give_up(session, 60.0)
    white, black = session.game.players
    assert event == ev.Ended(result=white, reason="absent", seat=1)
    assert result_text(session) == f"{black} did not join in time. {white} wins."
    assert rematch.next_game(session, 1).tournament is None


@pytest.mark.parametrize("game", TWO_SIDES)
def test_a_tournament_game_without_players_has_no_winner(game: str) -> None:
    session = created(game, tournament="t")
    give_up(session, 60.0)
    assert (session.result, session.winners) == (UNFINISHED, ())
    assert result_text(session) == "Nobody joined in time. The game has no winner."


@pytest.mark.parametrize("game", [one for one in KINDS if len(one.teams) == 3], ids=ids)
def test_with_three_sides_bots_play_for_the_absent(game: th.Game) -> None:
    session = created(game.name, tournament="t", **game.options)
    join(session, [1], 0.0)
    events = give_up(session, 60.0)
    assert [type(event) for event in events] == [ev.Replaced, ev.Replaced]
    assert [session.is_bot(seat) for seat in range(3)] == [True, False, True]
    assert not session.over
