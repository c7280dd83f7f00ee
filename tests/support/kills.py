"""A house killed again and again in the middle of play: what it has acknowledged must be there."""

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
from support.servers import HouseProcess, Player

TABLES = 6
SECONDS = 600


@dataclass
class Game:
    """A table, and what its player knows of it."""

    id: str
    secrets: list[str]
    position: th.Position
    moves: list[str] = field(default_factory=list)
    """Acknowledged ones."""
    trying: str | None = None
    """A move that was sent and not acknowledged: it may be there or not."""
    seen: int = 0
    left: list[float] = field(default_factory=lambda: [SECONDS * 1e3] * 2)
    """Everybody's time when the last move was played."""


@dataclass
class Tally:
    """How it went."""

    kills: int = 0
    acknowledged: int = 0
    pending: int = 0
    kept: int = 0
    """Of the pending moves."""
    lost: int = 0
    resumed: int = 0


def kill_often(
    database: str, kills: int, seed: int, progress: Callable[[int], None] = lambda _: None
) -> Tally:
    """Play and kill; an AssertionError if anything acknowledged is gone or a clock is wrong."""
    chance = random.Random(seed)
    tally = Tally()
    games: list[Game] = []
    played = 0.0
    while tally.kills < kills:
        began = time.monotonic() - played
        house = HouseProcess(database)
        while len([game for game in games if not game.position.over]) < TABLES:
            games.append(_new_game(house, chance))
        going = [game for game in games if not game.position.over]
        players = [_resume(house, game, tally, began) for game in going]
        for _ in range(chance.randint(0, 8)):
            _round(going, players, chance, tally)
        timer = threading.Timer(chance.choice([0.0, 0.002, 0.01, 0.03]), house.process.kill)
        timer.start()
        with suppress(ConnectionClosed, OSError):  # in the middle of a round, or of a later one
            while timer.is_alive() or house.process.poll() is None:
                _round(going, players, chance, tally)
        timer.join()
        house.kill()
        played = time.monotonic() - began
        tally.kills += 1
        progress(tally.kills)
        for player in players:
            player.close()
    began = time.monotonic() - played
    house = HouseProcess(database)
    for game in games:
        _resume(house, game, tally, began).close()
    assert "Traceback" not in house.stop()
    return tally


def _new_game(house: HouseProcess, chance: random.Random) -> Game:
    name = chance.choice(th.games())
    table, secrets = house.open_table(
        game=name,
        seed=1,
        seats=[{"kind": "here"}, {"kind": "here"}],
        clock={"kind": "real", "seconds": SECONDS},
    )
    return Game(table, secrets, th.load(name).start(1))


def _resume(house: HouseProcess, game: Game, tally: Tally, began: float) -> Player:
    """Come back to a table and look whether all is there."""
    player = house.join(game.id, *game.secrets, seen=game.seen)
    message = player.hear("table", "update")
    if message["type"] == "update":  # what was missed, and nothing else
        tally.resumed += 1
        told = [event["move"] for event in message["events"] if event["type"] == "moved"]
        found = game.moves + told
    else:
        found = [move["move"] for move in message["moves"]]
    tally.lost += sum(move not in found[ply : ply + 1] for ply, move in enumerate(game.moves))
    assert found[: len(game.moves)] == game.moves, "an acknowledged move is lost"
    assert len(found) <= len(game.moves) + (game.trying is not None)
    if game.trying is not None:
        tally.pending += 1
        if len(found) > len(game.moves):
            assert found[-1] == game.trying
            tally.kept += 1
            _played(game, game.trying)
            game.left = message["state"]["time"]["left"]
    game.trying = None
    game.seen = message["number"]
    _check_clock(game, message["state"]["time"], time.monotonic() - began)
    return player


def _check_clock(game: Game, clock: dict[str, Any], played: float) -> None:
    """Time is as it was after the last move, but for what has run since in an open house."""
    left = clock["left"]
    for seat, (before, now) in enumerate(zip(game.left, left, strict=True)):
        assert now <= before + 1
        assert seat == clock["running"] or now >= before - 1
    assert sum(left) >= 2e3 * SECONDS - played * 1e3


def _left(update: dict[str, Any]) -> list[float]:
    """Everybody's time when the move was played: some has run until it was kept and told."""
    clock = update["state"]["time"]
    left = list(clock["left"])
    if clock["running"] is not None:
        left[clock["running"]] += 1e3 * (clock["at"] - update["events"][-1]["at"])
    return left


def _played(game: Game, move: str) -> None:
    game.moves.append(move)
    game.position = game.position.play(move)


def _round(games: list[Game], players: list[Player], chance: random.Random, tally: Tally) -> None:
    """A move at every table at once."""
    going = [
        (game, player)
        for game, player in zip(games, players, strict=True)
        if not game.position.over
    ]
    for game, player in going:
        game.trying = chance.choice(game.position.legal)
        player.send(
            type="play",
            id=len(game.moves),
            seat=game.position.player,
            ply=len(game.moves),
            move=game.trying,
        )
    for game, player in going:
        answer = player.hear("done", "refused")
        assert answer["type"] == "done", answer
        assert game.trying is not None
        _played(game, game.trying)
        game.trying = None
        game.seen = answer["number"]
        updates = [message for message in player.heard if message["type"] == "update"]
        game.left = _left(updates[-1])
        tally.acknowledged += 1
