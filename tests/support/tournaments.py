"""Tournaments without a server, and standings computed in another way than the package does."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from teahouse.server.tournaments import director, swiss
from teahouse.server.tournaments import events as ev
from teahouse.server.tournaments.state import Tournament
from teahouse.session.events import Realtime


def opened(format_: ev.Format, **rules: Any) -> Tournament:
    """Return a tournament that nobody has joined."""
    defaults = {"rounds": 1, "max_players": 256, "starts_at": 100.0}
    chosen = {**defaults, "time_control": Realtime(seconds=60), **rules}
    return Tournament(
        "t" * 10,
        ev.Opened(
            creator="c" * 10,
            creator_name="Creator",
            seed=7,
            rules=ev.Rules(name="Cup", game="g", options={}, format=format_, **chosen),
        ),
        created=0.0,
    )


def join(tournament: Tournament, players: int, time: float = 1.0) -> None:
    """Let people join."""
    for _ in range(players):
        number = len(tournament.players)
        account = f"account-{number}"
        tournament.apply(ev.Joined(kind="person", account=account, name=f"Player {number}"), time)


def new_bot(number: int) -> ev.Joined:
    """Return a bot of the server."""
    return ev.Joined(kind="level", account=None, name=f"Bot {number}", level=1)


def advance(tournament: Tournament) -> ev.Event | None:
    """Do the next step at its time; return its last event, or None if games have to end first."""
    step = director.due(tournament)
    if step is None:
        return None
    kind, time = step
    ids = (f"table-{tournament.seq}-{number}" for number in count())
    new_id = ids.__next__
    events: Sequence[ev.Event]
    if kind == "start":
        events = director.start(tournament, new_bot)
    elif kind == "cancel":
        events = [ev.Cancelled(reason="too_few")]
    elif kind == "finish":
        events = [ev.Finished()]
    elif tournament.rules.format == "arena":
        events = [director.arena_round(tournament, new_id)]
    elif tournament.rules.format == "round_robin":
        events = [director.round_robin_round(tournament, new_id)]
    else:
        events = director.odd_bot(tournament, new_bot) or [
            director.paired(swiss.pair(director.swiss_entrants(tournament)), new_id)
        ]
    for event in events:
        tournament.apply(event, time)
    return events[-1]


def decide_all(tournament: Tournament, rng: random.Random, time: float) -> None:
    """End all games at random."""
    for game in tournament.unfinished_games():
        winner = rng.choice([0, 1, None])
        result = ev.Decided(table=game.table, winner=winner, draw=winner is None)
        for event in director.after_game(tournament, result):
            tournament.apply(event, time)


def play(tournament: Tournament, seed: int) -> None:
    """Play a tournament to its end with random results."""
    rng = random.Random(seed)
    time = 200.0
    while not tournament.over:
        if advance(tournament) is None:
            time += 10.0
            decide_all(tournament, rng, time)


Result = tuple[int, int, float]
"""The players of both seats, and the points of the first."""


def expected_standings(
    players: Iterable[int], results: Sequence[Result], byes: Sequence[int]
) -> list[tuple[int, float, float, float, float, int]]:
    """Return player, score, Buchholz, Sonneborn-Berger, direct encounter and wins of a Swiss.

    Written from the definitions alone, to compare the package's standings with.
    """
    score: defaultdict[int, float] = defaultdict(float)
    for first, second, points in results:
        score[first] += points
        score[second] += 1.0 - points
    for player in byes:
        score[player] += 1.0
    met: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for first, second, points in results:
        met[first].append((second, points))
        met[second].append((first, 1.0 - points))
    everybody = list(players)
    buchholz = {
        one: sum(score[other] for other, _ in met[one]) + byes.count(one) * score[one]
        for one in everybody
    }
    berger = {one: sum(score[other] * won for other, won in met[one]) for one in everybody}
    wins = {one: sum(won == 1.0 for _, won in met[one]) for one in everybody}
    lines = []
    for one in everybody:
        key = (score[one], buchholz[one], berger[one])
        tied = {
            other for other in everybody if (score[other], buchholz[other], berger[other]) == key
        }
        all_met = all({other for other, _ in met[it]} >= tied - {it} for it in tied)
        direct = sum(won for other, won in met[one] if other in tied) if all_met else 0.0
        lines.append((one, *key, direct, wins[one]))
    return sorted(lines, key=lambda line: (*(-value for value in line[1:]), line[0]))
