"""Tournaments without a server: pairings, standings and what happens when."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tournaments import advance, decide_all, expected_standings, join, new_bot, opened, play

from teahouse.server.tournaments import arena, director, round_robin, swiss
from teahouse.server.tournaments import events as ev
from teahouse.server.tournaments.payloads import summary
from teahouse.server.tournaments.rows import event_adapter
from teahouse.server.tournaments.seating import Entrant
from teahouse.server.tournaments.standings import standings
from teahouse.server.tournaments.state import Tournament
from teahouse.session.events import Correspondence

quick = settings(deadline=None, max_examples=25)


# Round robin.


@pytest.mark.parametrize("players", range(2, 21))
def test_everybody_meets_everybody_with_fair_seats(players: int) -> None:
    for cycles in (1, 2):
        rounds = range(round_robin.round_count(players, cycles))
        games = []
        for number in rounds:
            pairs, off = round_robin.pairs(players, number)
            busy = [player for pair in pairs for player in pair]
            assert sorted(busy + ([] if off is None else [off])) == list(range(players))
            games += pairs
        met = Counter(frozenset(pair) for pair in games)
        assert met == {frozenset(pair): cycles for pair in combinations(range(players), 2)}
        for player in range(players):
            seats = Counter(pair.index(player) for pair in games if player in pair)
            assert abs(seats[0] - seats[1]) <= cycles % 2
        if cycles == 2:
            assert Counter(games) == dict.fromkeys(games, 1)


# Swiss.


@quick
@given(players=st.integers(2, 24), rounds=st.integers(1, 7), seed=st.integers(0, 1_000))
def test_swiss_rounds_keep_their_rules(players: int, rounds: int, seed: int) -> None:
    tournament = opened("swiss", rounds=rounds)
    join(tournament, players)
    play(tournament, seed)
    assert tournament.status == "finished"
    assert len(tournament.rounds) == min(rounds, swiss.round_limit(players))
    met: Counter[frozenset[int]] = Counter()
    byes: Counter[int] = Counter()
    for played in tournament.rounds:
        busy = [player for game in played.games for player in game.seats] + list(played.byes)
        assert sorted(busy) == list(range(players))
        met.update(frozenset(game.seats) for game in played.games)
        byes.update(played.byes)
    if 2 * rounds > players:  # few are left to choose from, so rules may have to give way
        return
    assert max(met.values(), default=0) <= 1
    assert max(byes.values(), default=0) <= 1
    for player in range(players):
        seats = [game.seats.index(player) for game in tournament.games if player in game.seats]
        assert abs(seats.count(0) - seats.count(1)) <= 2
        assert "000" not in "".join(map(str, seats))
        assert "111" not in "".join(map(str, seats))


def test_a_swiss_round_pairs_equal_scores_and_gives_the_bye_to_the_lowest() -> None:
    table = [
        Entrant(0, 2.0, (1, 2), (0, 1)),
        Entrant(1, 1.0, (0, 3), (1, 0)),
        Entrant(2, 1.0, (3, 0), (0, 0)),
        Entrant(3, 0.0, (2, 1), (1, 1)),
        Entrant(4, 0.0, (), (), byes=0),
    ]
    pairs, bye = swiss.pair(table)
    assert bye in (3, 4)
    assert {frozenset(pair) for pair in pairs} >= {frozenset((1, 2))}
    assert (2 not in [first for first, _ in pairs]) or bye == 2  # twice first in a row


def test_a_bot_takes_the_bye_and_nobody_twice() -> None:
    people = [Entrant(number, 0.0) for number in range(4)]
    assert swiss.pair([*people, Entrant(4, 3.0, bot=True)])[1] == 4
    had = [Entrant(0, 1.0, byes=1), Entrant(1, 1.0, (2,), (0,)), Entrant(2, 1.0, (1,), (1,))]
    assert swiss.pair(had)[1] in (1, 2)


def test_games_are_repeated_only_where_no_new_opponent_is_left() -> None:
    two = [Entrant(0, 1.0, (1,), (0,)), Entrant(1, 0.0, (0,), (1,))]
    assert swiss.pair(two) == ([(1, 0)], None)


def test_a_round_of_many_players_looks_at_everybody_if_neighbours_do_not_suffice() -> None:
    """Thirty players who have all met each other, and thirty far below, whom they have not."""
    top = [
        Entrant(one, 30.0 - one / 2, tuple(other for other in range(30) if other != one), ())
        for one in range(30)
    ]
    low = [Entrant(one, 0.0, (), ()) for one in range(30, 60)]
    pairs, bye = swiss.pair([*top, *low])
    assert bye is None
    assert all(min(pair) < 30 <= max(pair) for pair in pairs)


# Arena.


def test_an_arena_pairs_neighbours_but_not_the_same_two_again() -> None:
    free = [Entrant(0, 6.0, (1,)), Entrant(1, 4.0, (0,)), Entrant(2, 2.0), Entrant(3, 0.0)]
    assert {frozenset(pair) for pair in arena.pair(free)} == {
        frozenset((0, 2)),
        frozenset((1, 3)),
    }
    assert arena.pair(free[:2]) == []
    assert len(arena.pair(free[:2], again=True)) == 1


def test_last_opponents_of_an_arena_meet_again_if_the_others_play_on() -> None:
    """Two of four who have finished do not wait for the end of the other game."""
    tournament = opened("arena", minutes=5, rounds=0)
    join(tournament, 4)
    advance(tournament)
    advance(tournament)
    short, long = tournament.unfinished_games()
    tournament.apply(ev.Decided(table=short.table, winner=0), 150.0)
    assert director.due(tournament) == ("pair", 150.0 + director.AGAIN_SECONDS)
    waiting = tournament.copy()
    waiting.apply(ev.Decided(table=long.table, winner=0), 160.0)
    advance(waiting)
    assert {frozenset(game.seats) for game in waiting.unfinished_games()}.isdisjoint(
        {frozenset(short.seats), frozenset(long.seats)}
    )
    advance(tournament)
    again, _ = sorted(tournament.unfinished_games(), key=lambda game: game.table == long.table)
    assert set(again.seats) == set(short.seats)


def test_bots_of_an_arena_play_people_who_are_left_over() -> None:
    bots = [Entrant(number, 0.0, bot=True) for number in (5, 6)]
    assert arena.pair(bots, again=True) == []
    people = [Entrant(0, 2.0), Entrant(1, 0.0), Entrant(2, 0.0)]
    pairs = {frozenset(pair) for pair in arena.pair([*bots, *people])}
    assert pairs == {frozenset((0, 1)), frozenset((2, 5))}


def test_an_arena_runs_for_its_time_and_counts_streaks() -> None:
    tournament = opened("arena", minutes=5, streaks=True, rounds=0)
    join(tournament, 2)
    advance(tournament)
    while not tournament.over:
        event = advance(tournament)
        if isinstance(event, ev.Paired):
            (game,) = tournament.unfinished_games()
            first = game.seats.index(0)
            result = ev.Decided(table=game.table, winner=first)
            tournament.apply(result, (tournament.last_paired or 0.0) + 30.0)
    games = len(list(tournament.games))
    assert tournament.ended == tournament.ends == 400.0
    assert games > 5
    assert [line.score for line in standings(tournament)] == [4.0 + 4.0 * (games - 2), 0.0]


# Standings.


@quick
@given(
    players=st.integers(2, 15),
    rounds=st.integers(1, 6),
    seed=st.integers(0, 1_000),
)
def test_standings_agree_with_an_independent_computation(
    players: int, rounds: int, seed: int
) -> None:
    tournament = opened("swiss", rounds=rounds)
    join(tournament, players)
    play(tournament, seed)
    results = [
        (*game.seats, game.points[0]) for game in tournament.games if game.points is not None
    ]
    byes = [player for played in tournament.rounds for player in played.byes]
    found = [
        (line.player, line.score, *(line.ties[key] for key in line.ties))
        for line in standings(tournament)
    ]
    assert found == expected_standings(range(players), results, byes)


def test_equal_players_share_a_rank() -> None:
    tournament = opened("round_robin")
    join(tournament, 4)
    advance(tournament)
    while not tournament.over:
        advance(tournament)
        for game in tournament.unfinished_games():
            tournament.apply(ev.Decided(table=game.table, winner=None, draw=True), 300.0)
    assert [line.rank for line in standings(tournament)] == [1, 1, 1, 1]


# What happens when.


def test_events_survive_the_database() -> None:
    tournament = opened("swiss", rounds=3, bot_level=2, bots_to=6)
    log: list[tuple[float, ev.Event]] = [(0.0, tournament.opened)]
    join(tournament, 5)
    log += [
        (1.0, ev.Joined(kind="person", account=one.account, name=one.name))
        for one in tournament.players
    ]
    while not tournament.over:
        before = tournament.copy()
        event = advance(tournament)
        if event is None:
            for game in tournament.unfinished_games():
                result = ev.Decided(table=game.table, winner=0, absent=(1,))
                for one in director.after_game(tournament, result):
                    tournament.apply(one, 300.0)
                    log.append((300.0, one))
        else:
            step = director.due(before)
            assert step is not None
            new = [event] if tournament.seq == before.seq + 1 else None
            if new is None:  # bots that fill up come before the start
                new = director.start(before, new_bot)
            log += [(step[1], one) for one in new]
    stored = [(time, event_adapter.validate_json(event_adapter.dump_json(e))) for time, e in log]
    again = Tournament.replay(tournament.id, stored)
    assert again == tournament
    assert [line.player for line in standings(again)] == [
        line.player for line in standings(tournament)
    ]


def test_a_tournament_starts_at_its_time_or_is_cancelled() -> None:
    empty = opened("swiss", rounds=3)
    join(empty, 1)
    assert isinstance(advance(empty), ev.Cancelled)
    filled = opened("swiss", rounds=3, bot_level=1, bots_to=2)
    join(filled, 1)
    assert advance(filled) == ev.Started(rounds=1)
    assert [player.kind for player in filled.players] == ["person", "level"]
    waiting = opened("swiss", rounds=3, starts_at=None, starts_with=3)
    join(waiting, 2, time=50.0)
    assert director.due(waiting) == ("cancel", director.EXPIRY_SECONDS)
    join(waiting, 1, time=60.0)
    assert director.due(waiting) == ("start", 60.0 + director.COUNTDOWN_SECONDS)


def test_who_comes_back_before_the_start_starts_the_countdown() -> None:
    tournament = opened("swiss", starts_at=None, starts_with=2)
    join(tournament, 2, time=10.0)
    assert director.due(tournament) == ("start", 10.0 + director.COUNTDOWN_SECONDS)
    tournament.apply(ev.Withdrew(player=1, reason="left"), 12.0)
    assert director.due(tournament) == ("cancel", director.EXPIRY_SECONDS)
    tournament.apply(ev.Returned(player=1), 500.0)
    assert director.due(tournament) == ("start", 500.0 + director.COUNTDOWN_SECONDS)


def test_there_is_a_pause_between_rounds_only_for_people() -> None:
    for people in (0, 2):
        tournament = opened("swiss", rounds=2, bot_level=1, bots_to=4)
        join(tournament, people)
        advance(tournament)
        assert director.due(tournament) == ("pair", 100.0)
        advance(tournament)
        decide_all(tournament, random.Random(1), 300.0)
        pause = director.PAUSE_SECONDS if people else 0.0
        assert director.due(tournament) == ("pair", 300.0 + pause)


def test_whoever_misses_two_games_in_a_row_is_withdrawn() -> None:
    tournament = opened("swiss", rounds=5)
    join(tournament, 6)
    advance(tournament)
    for played in range(2):
        advance(tournament)
        for game in tournament.unfinished_games():
            absent = (game.seats.index(0),) if 0 in game.seats else ()
            winner = 1 - absent[0] if absent else 0
            result = ev.Decided(table=game.table, winner=winner, absent=absent)
            for event in director.after_game(tournament, result):
                tournament.apply(event, 300.0)
        gone = tournament.players[0].withdrawn
        assert (gone is not None) == (played == 1)
    assert gone is not None and gone.reason == "absent"
    advance(tournament)
    assert 0 not in [player for game in tournament.rounds[2].games for player in game.seats]
    assert len(tournament.rounds[2].byes) == 1


def test_opponents_of_a_player_who_left_a_round_robin_win() -> None:
    tournament = opened("round_robin")
    join(tournament, 4)
    advance(tournament)
    tournament.apply(ev.Withdrew(player=1, reason="left"), 101.0)
    play(tournament, 3)
    walkovers = [pair for played in tournament.rounds for pair in played.walkovers]
    assert sorted(walkovers) == [(0, 1), (2, 1), (3, 1)]
    lines = {line.player: line for line in standings(tournament)}
    assert lines[1].score == 0.0
    assert all(lines[one].score >= 1.0 for one in (0, 2, 3))


def test_all_games_of_a_round_robin_by_correspondence_begin_at_once() -> None:
    tournament = opened("round_robin", rounds=2, time_control=Correspondence(days=3))
    join(tournament, 5)
    while advance(tournament):
        pass
    assert len(tournament.rounds) == tournament.round_count == 10
    assert len(tournament.pending) == 20
    decide_all(tournament, random.Random(1), 900.0)
    assert director.due(tournament) == ("finish", 900.0)


def test_a_tournament_that_everybody_leaves_ends() -> None:
    for format_ in ("round_robin", "swiss"):
        tournament = opened(format_, rounds=3)
        join(tournament, 2)
        advance(tournament)
        for number in range(2):
            tournament.apply(ev.Withdrew(player=number, reason="left"), 101.0)
        play(tournament, 1)
        assert tournament.status == "finished"
        assert not list(tournament.games)


def test_a_summary_counts_those_who_took_part() -> None:
    tournament = opened("round_robin", rounds=1)
    join(tournament, 4)
    tournament.apply(ev.Withdrew(player=3, reason="left"), 1.0)
    assert summary(tournament)["players"] == 3
    play(tournament, 1)
    assert tournament.status == "finished"
    assert summary(tournament)["players"] == 3


def test_who_may_join_late() -> None:
    for format_, reason in (("round_robin", "cannot be joined"), ("swiss", "first half")):
        tournament = opened(format_, rounds=3)  # type: ignore[arg-type]
        join(tournament, 4)
        assert director.may_join(tournament) is None
        play(tournament, 1)
        assert director.may_join(tournament) == "This tournament is over."
        tournament = opened(format_, rounds=3)  # type: ignore[arg-type]
        join(tournament, 4)
        advance(tournament)
        for _ in range(2):
            advance(tournament)
            decide_all(tournament, random.Random(1), 300.0)
        assert reason in (director.may_join(tournament) or "")
    full = opened("swiss", rounds=3, max_players=2)
    join(full, 2)
    assert "full (2 players)" in (director.may_join(full) or "")


def test_a_late_player_of_a_swiss_begins_without_points() -> None:
    tournament = opened("swiss", rounds=4)
    join(tournament, 4)
    advance(tournament)
    advance(tournament)
    decide_all(tournament, random.Random(1), 300.0)
    join(tournament, 1, time=301.0)
    advance(tournament)
    assert 4 in [
        *tournament.rounds[1].byes,
        *(it for g in tournament.rounds[1].games for it in g.seats),
    ]
    assert all(one.number < two.number for one, two in pairwise(tournament.rounds))
