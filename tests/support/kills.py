"""Kill a server repeatedly in the middle of play: every acknowledged move must survive."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.exceptions import ConnectionClosed

import teahouse as th
from support.servers import Client, ServerProcess

TABLES = 6
SECONDS = 600


@dataclass
class Game:
    """A table as seen by its players."""

    id: str
    secrets: list[str]
    position: th.Position
    moves: list[str] = field(default_factory=list)
    """The acknowledged moves."""
    pending: str | None = None
    """A move that was sent and not acknowledged: it may be stored or not."""
    seq: int = 0
    remaining_ms: list[float] = field(default_factory=lambda: [SECONDS * 1e3] * 2)
    """The clocks when the last move was played."""


@dataclass
class Tally:
    """The outcome."""

    kills: int = 0
    acknowledged: int = 0
    pending: int = 0
    stored: int = 0
    """Pending moves that had been stored."""
    lost: int = 0
    resumed: int = 0


def kill_repeatedly(
    database: str, kills: int, seed: int, progress: Callable[[int], None] = lambda _: None
) -> Tally:
    """Play and kill; raise AssertionError if a move is lost or a clock is wrong."""
    rng = random.Random(seed)
    tally = Tally()
    games: list[Game] = []
    played = 0.0
    while tally.kills < kills:
        began = time.monotonic() - played
        server = ServerProcess(database)
        while len([game for game in games if not game.position.over]) < TABLES:
            games.append(_new_game(server, rng))
        unfinished = [game for game in games if not game.position.over]
        clients = [_resume(server, game, tally, began) for game in unfinished]
        for _ in range(rng.randint(0, 8)):
            _play_round(unfinished, clients, rng, tally)
        timer = threading.Timer(rng.choice([0.0, 0.002, 0.01, 0.03]), server.process.kill)
        timer.start()
        with suppress(ConnectionClosed, OSError):  # during a round, or in between
            while timer.is_alive() or server.process.poll() is None:
                _play_round(unfinished, clients, rng, tally)
        timer.join()
        server.kill()
        played = time.monotonic() - began
        tally.kills += 1
        progress(tally.kills)
        for client in clients:
            client.close()
    began = time.monotonic() - played
    server = ServerProcess(database)
    for game in games:
        _resume(server, game, tally, began).close()
    assert "Traceback" not in server.stop()
    return tally


def _new_game(server: ServerProcess, rng: random.Random) -> Game:
    name = rng.choice(th.games())
    table, secrets = server.create_table(
        game=name,
        seed=1,
        seats=[{"kind": "local"}, {"kind": "local"}],
        time_control={"kind": "realtime", "seconds": SECONDS},
    )
    return Game(table, secrets, th.load(name).start(1))


def _resume(server: ServerProcess, game: Game, tally: Tally, began: float) -> Client:
    """Rejoin a table and check that nothing is missing."""
    client = server.join(game.id, *game.secrets, after=game.seq)
    message = client.receive("table", "update")
    if message["type"] == "update":  # exactly the missed events
        tally.resumed += 1
        missed = [event["move"] for event in message["events"] if event["type"] == "moved"]
        found = game.moves + missed
    else:
        found = [move["move"] for move in message["moves"]]
    tally.lost += sum(move not in found[ply : ply + 1] for ply, move in enumerate(game.moves))
    assert found[: len(game.moves)] == game.moves, "an acknowledged move is lost"
    assert len(found) <= len(game.moves) + (game.pending is not None)
    if game.pending is not None:
        tally.pending += 1
        if len(found) > len(game.moves):
            assert found[-1] == game.pending
            tally.stored += 1
            _apply(game, game.pending)
            game.remaining_ms = message["state"]["clock"]["remaining_ms"]
    game.pending = None
    game.seq = message["seq"]
    _check_clock(game, message["state"]["clock"], time.monotonic() - began)
    return client


def _check_clock(game: Game, clock: dict[str, Any], played: float) -> None:
    """Check that only the running seat has lost time since the last move."""
    remaining = clock["remaining_ms"]
    for seat, (before, now) in enumerate(zip(game.remaining_ms, remaining, strict=True)):
        assert now <= before + 1
        assert seat == clock["running"] or now >= before - 1
    assert sum(remaining) >= 2e3 * SECONDS - played * 1e3


def _remaining_ms(update: dict[str, Any]) -> list[float]:
    """Return the clocks when the move was played, before it was stored and broadcast."""
    clock = update["state"]["clock"]
    remaining = list(clock["remaining_ms"])
    if clock["running"] is not None:
        remaining[clock["running"]] += 1e3 * (clock["at"] - update["events"][-1]["time"])
    return remaining


def _apply(game: Game, move: str) -> None:
    game.moves.append(move)
    game.position = game.position.play(move)


def _play_round(games: list[Game], clients: list[Client], rng: random.Random, tally: Tally) -> None:
    """Play a move at every table at once."""
    unfinished = [
        (game, client)
        for game, client in zip(games, clients, strict=True)
        if not game.position.over
    ]
    for game, client in unfinished:
        game.pending = rng.choice(game.position.legal)
        client.send(
            type="play",
            id=len(game.moves),
            seat=game.position.player,
            ply=len(game.moves),
            move=game.pending,
        )
    for game, client in unfinished:
        reply = client.receive("ack", "error")
        assert reply["type"] == "ack", reply
        assert game.pending is not None
        _apply(game, game.pending)
        game.pending = None
        game.seq = reply["seq"]
        updates = [message for message in client.received if message["type"] == "update"]
        game.remaining_ms = _remaining_ms(updates[-1])
        tally.acknowledged += 1
