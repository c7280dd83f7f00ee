"""Kill a server in the middle of a Swiss tournament of bots: it ends with the right standings."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

import teahouse as th
from support.bot_accounts import add_bots
from support.servers import ServerProcess
from support.small_games import small
from support.tournaments import Result, expected_standings
from teahouse.server.storage.database import connect, events, tables
from teahouse.server.tables.event_json import from_log_row
from teahouse.server.tournaments.rows import tournament_events
from teahouse.session.state import GameSession

POLL_SECONDS = 0.1


@dataclass
class Tally:
    """The outcome."""

    players: int
    rounds: int
    games: int = 0
    kills: int = 0
    seconds: float = 0.0


def shortest_game() -> tuple[str, dict[str, Any]]:
    """Return the game and the options with the shortest games of two players."""
    found = {name: th.load(name, **small(name)) for name in th.games()}
    name = min(
        (name for name, game in found.items() if len(game.players) == 2),
        key=lambda name: found[name].playouts(200, seed=1).moves,
    )
    return name, small(name)


def play_and_kill(
    database: str,
    players: int,
    rounds: int,
    kills: int,
    seed: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Tally:
    """Play a tournament and kill its server at random moments; raise AssertionError if it fails."""
    rng = random.Random(seed)
    (token,) = add_bots(database, "Organiser")
    games = players // 2 * rounds
    # At least one kill in every part of the tournament, at a random number of finished games.
    part = games // kills
    moments = [part * number + rng.randrange(part) for number in range(kills)]
    tally = Tally(players, rounds)
    began = time.monotonic()
    server = ServerProcess(database)
    tournament = _create(server, token, players, rounds)
    while True:
        state = _poll(server, tournament)
        done = _decided(state)
        if moments and (done >= moments[0] or state["state"]["status"] == "finished"):
            time.sleep(rng.choice([0.0, 0.01, 0.05]))
            server.kill()
            tally.kills += 1
            progress(f"killed after {done} of {games} games")
            moments.pop(0)
            server = ServerProcess(database)
        elif state["state"]["status"] == "finished":
            break
        time.sleep(POLL_SECONDS)
    errors = server.stop()
    assert "Traceback" not in errors, errors
    tally.seconds = time.monotonic() - began
    tally.games = check(database, tournament, state, players, rounds)
    return tally


def _create(server: ServerProcess, token: str, players: int, rounds: int) -> str:
    game, options = shortest_game()
    body = {
        "name": "Endurance",
        "game": game,
        "options": options,
        "time_control": {"kind": "realtime", "seconds": 600},
        "format": {"kind": "swiss", "rounds": rounds},
        "starts_at": time.time(),
        "bots": {"level": 1, "players": players},
    }
    status, created = server.request("/api/tournaments", body, Authorization=f"Bearer {token}")
    assert status == 201, created
    found: str = created["tournament"]["id"]
    return found


def _poll(server: ServerProcess, tournament: str) -> dict[str, Any]:
    status, state = server.request(f"/api/tournaments/{tournament}")
    assert status == 200, state
    found: dict[str, Any] = state
    return found


def _decided(state: dict[str, Any]) -> int:
    return sum(line["games"] for line in state["standings"]) // 2


def check(database: str, tournament: str, state: dict[str, Any], players: int, rounds: int) -> int:
    """Compare the standings with the games as they are stored; return the number of games."""
    engine = connect(database)
    with engine.connect() as connection:
        log = _log(connection, tournament)
        sessions = _sessions(connection, tournament)
    engine.dispose()
    paired = [event for event in log if event["type"] == "paired"]
    assert len(paired) == rounds
    met: Counter[frozenset[int]] = Counter()
    results: list[Result] = []
    byes: list[int] = []
    for event in paired:
        busy = [player for game in event["games"] for player in game["seats"]] + event["byes"]
        assert sorted(busy) == list(range(players)), "everybody plays once in a round"
        byes += event["byes"]
        for game in event["games"]:
            session = sessions.pop(game["table"])
            assert session.over
            first, second = game["seats"]
            met[frozenset((first, second))] += 1
            won = session.winners
            results.append((first, second, 0.5 if not won else float(0 in won)))
    assert not sessions, "no game was created twice, or for nothing"
    assert max(met.values()) == 1, "nobody met twice"
    decided = [event["table"] for event in log if event["type"] == "decided"]
    assert len(decided) == len(set(decided)) == len(results)
    found = [(line["player"], line["score"], *line["ties"]) for line in state["standings"]]
    assert found == expected_standings(range(players), results, byes)
    return len(results)


def _log(connection: sa.Connection, tournament: str) -> list[dict[str, Any]]:
    own = tournament_events.c.tournament_id == tournament
    wanted = sa.select(tournament_events.c.body).where(own).order_by(tournament_events.c.seq)
    return [json.loads(body) for body in connection.execute(wanted).scalars()]


def _sessions(connection: sa.Connection, tournament: str) -> dict[str, GameSession]:
    """Return all games of a tournament, replayed from their events."""
    found = {}
    for table in connection.execute(sa.select(tables.c.id)).scalars().all():
        columns = (events.c.seq, events.c.time, events.c.uptime, events.c.body)
        wanted = sa.select(*columns).where(events.c.table_id == table).order_by(events.c.seq)
        log = [from_log_row(tuple(row)) for row in connection.execute(wanted)]
        session = GameSession.replay(log)
        if session.created.tournament == tournament:
            found[table] = session
    return found
