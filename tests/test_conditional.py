"""Conditional moves: lines are checked, followed, and dropped when the game leaves them."""

from __future__ import annotations

import random
import re

import pytest

import teahouse as th
from teahouse.session import commands, conditional
from teahouse.session import events as ev
from teahouse.session.conditional import Plan
from teahouse.session.errors import CommandError
from teahouse.session.events import Timestamp
from teahouse.session.state import GameSession

NOW = Timestamp(1e9)


def created(name: str, control: ev.TimeControl | None = None) -> GameSession:
    """Return a new game between people on several devices."""
    game = th.load(name)
    event = ev.Created(
        game=name,
        options=game.options,
        seed=1,
        seats=tuple(ev.HumanSeat(kind="remote") for _ in game.players),
        time_control=control or ev.Correspondence(days=3),
    )
    return GameSession(event, NOW)


def line_from(position: th.Position, seat: int, rng: random.Random) -> list[str]:
    """Return random moves until a seat has played two whole turns."""
    moves: list[str] = []
    turns = 0
    while not position.over and turns < 2:
        before = position.player
        moves.append(rng.choice(position.legal))
        position = position.play(moves[-1])
        turns += before == seat and (position.over or position.player != seat)
    return moves


def plan_of(session: GameSession, lines: list[list[str]], seat: int) -> Plan:
    checked = conditional.normalized_lines(session.position, seat, lines)
    found, players = zip(*checked, strict=True)
    return Plan(seat, session.ply, session.revision, found, players)


def follow(session: GameSession, plan: Plan) -> list[str]:
    """Play what is due by a plan; return the moves."""
    played = []
    while due := conditional.reply(session, plan):
        session.commit([due], NOW)
        played.append(due.move)
    return played


@pytest.mark.parametrize("name", th.games())
@pytest.mark.parametrize("seed", range(5))
def test_the_answers_of_a_line_are_played_and_nothing_else(name: str, seed: int) -> None:
    rng = random.Random(seed)
    session = created(name)
    seat = rng.choice([one for one in range(len(session.seats)) if one != session.player])
    line = line_from(session.position, seat, rng)
    plan = plan_of(session, [line], seat)
    own = []
    for ply, move in enumerate(line):
        if session.ply > ply:
            assert session.moves[ply].move == move
            continue
        assert conditional.reply(session, plan) is None
        assert conditional.expected_lines(session, plan) == [tuple(line[ply:])]
        assert conditional.expected_players(session, plan)[0][0] == session.player
        session.commit([commands.play(session, session.position.player, ply, move)], NOW)
        own += follow(session, plan)
    assert [one.move for one in session.moves] == line
    assert own == [one.move for one in session.moves if one.player == seat]
    assert [session.moves[ply].move for ply in conditional.moves_played(session, plan)] == own
    assert conditional.expected_lines(session, plan) == []


@pytest.mark.parametrize("name", th.games())
def test_a_game_that_leaves_the_lines_has_no_answer(name: str) -> None:
    rng = random.Random(1)
    session = created(name)
    seat = next(one for one in range(len(session.seats)) if one != session.player)
    line = line_from(session.position, seat, rng)
    plan = plan_of(session, [line], seat)
    other = next(move for move in session.position.legal if move != line[0])
    session.commit([commands.play(session, session.position.player, 0, other)], NOW)
    while not session.over and session.player != seat:
        move = session.position.legal[0]
        session.commit([commands.play(session, session.position.player, session.ply, move)], NOW)
    assert conditional.reply(session, plan) is None
    assert conditional.expected_lines(session, plan) == []
    assert conditional.moves_played(session, plan) == []


@pytest.mark.parametrize("name", th.games())
def test_takebacks_end_a_plan(name: str) -> None:
    rng = random.Random(2)
    session = created(name)
    seat = next(one for one in range(len(session.seats)) if one != session.player)
    line = line_from(session.position, seat, rng)
    plan = plan_of(session, [line], seat)
    while session.player != seat:
        ply, player = session.ply, session.position.player
        session.commit([commands.play(session, player, ply, line[ply])], NOW)
    assert follow(session, plan)
    first = conditional.moves_played(session, plan)[0]
    session.commit([ev.TookBack(ply=first)], NOW)
    assert session.player == seat
    assert conditional.reply(session, plan) is None, "the move that was undone is not repeated"
    assert conditional.moves_played(session, plan) == []
    session.commit([ev.TookBack(ply=0)], NOW)
    assert conditional.expected_lines(session, plan) == []


@pytest.mark.parametrize("name", th.games())
def test_what_is_wrong_with_lines_is_said(name: str) -> None:
    rng = random.Random(3)
    session = created(name)
    position, mover = session.position, session.position.player
    seat = next(one for one in range(len(session.seats)) if one != mover)
    line = line_from(position, seat, rng)
    check = conditional.normalized_lines
    with pytest.raises(CommandError, match="It is your turn"):
        check(position, mover, [line])
    with pytest.raises(CommandError, match="no move of yours"):
        check(position, seat, [line[:1]])
    with pytest.raises(CommandError) as illegal:
        check(position, seat, [["nonsense"]])
    assert (illegal.value.code, illegal.value.allowed) == ("illegal_move", position.legal)
    path: list[str] = []
    at = position
    while at.player != seat:
        path.append(line[len(path)])
        at = at.play(path[-1])
    with pytest.raises(CommandError, match=f"^After {re.escape(path[0])}.*: "):
        check(position, seat, [[*path, "nonsense"]])
    answers = [[*path, move, *line_from(at.play(move), seat, rng)] for move in at.legal[:2]]
    with pytest.raises(CommandError, match="two answers"):
        check(position, seat, answers)


def test_parts_of_lines_and_moves_after_the_last_answer_are_left_out() -> None:
    for name in th.games():
        session = created(name)
        seat = next(one for one in range(len(session.seats)) if one != session.player)
        line = line_from(session.position, seat, random.Random(4))
        own = conditional.normalized_lines(session.position, seat, [line])
        first_turn = len(line_until_turn(session, seat, line))
        shorter = line[:first_turn]
        lines = [line, shorter, line]
        assert conditional.normalized_lines(session.position, seat, lines) == own


def line_until_turn(session: GameSession, seat: int, line: list[str]) -> list[str]:
    """Return the beginning of a line, up to the end of a seat's first turn."""
    position, seen = session.position, False
    for ply, move in enumerate(line):
        seen = seen or position.player == seat
        position = position.play(move)
        if seen and (position.over or position.player != seat):
            return line[: ply + 1]
    return line


def test_an_unfinished_turn_is_refused() -> None:
    refused = 0
    for name in th.games():
        for seed in range(10):
            session = created(name)
            seat = next(one for one in range(len(session.seats)) if one != session.player)
            line = line_from(session.position, seat, random.Random(seed))
            whole = line_until_turn(session, seat, line)
            position = session.position
            for move in whole[:-1]:
                position = position.play(move)
            before = whole[:-1]
            if position.player == seat and seat in _players(session.position, before):
                with pytest.raises(CommandError, match="not complete"):
                    conditional.normalized_lines(session.position, seat, [before])
                refused += 1
    assert refused, "some game has turns of several moves"


def _players(position: th.Position, moves: list[str]) -> list[int]:
    players = []
    for move in moves:
        players.append(position.player)
        position = position.play(move)
    return players


def test_conditional_moves_are_for_slow_games() -> None:
    name = th.games()[0]
    for control in (ev.Untimed(), ev.Correspondence(days=1)):
        conditional.check_allowed(created(name, control), 1)
    with pytest.raises(CommandError, match="a correspondence game"):
        conditional.check_allowed(created(name, ev.Realtime(seconds=60)), 1)
    session = created(name)
    session.commit([ev.Ended(result="draw", reason="agreed", seat=None)], NOW)
    with pytest.raises(CommandError, match="over"):
        conditional.check_allowed(session, 1)
