"""How long the review of a game takes on a server, and whether bots answer as fast meanwhile.

    python benchmarks/review.py [--game orochi] [--moves 80]

Bots of level 3 play until a game has so many moves; of boards that are too small for that, a larger
variant is taken. The record is uploaded and reviewed by a server with default settings. The graph
is complete when every position has winning chances. During the review somebody plays against a bot
of level 6 at a table, and without it before that.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
import urllib.request
from collections.abc import Callable
from typing import Any

from served_bot import create_table, receive_moves, running_server
from websockets.sync.client import connect

import teahouse as th
from teahouse.conformance.samples import variants
from teahouse.core.game import non_default_options
from teahouse.search.prepare import prepare

TIMEOUT = 120.0
BOT_LEVEL = 3
OPPONENT_LEVEL = 6
SEEDS = range(8)
POLL_SECONDS = 0.05
MOVES_BEFORE = 8
"""Moves of the opponent that are timed before the review."""


def post(address: str, path: str, body: Any = None) -> Any:
    """Return the answer to a request."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{address}{path}", data)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
        return json.load(response)


def long_record(name: str, moves: int) -> th.Record:
    """Return a record of so many moves of a game's first variant that allows for it."""
    for game in variants(name):
        for seed in SEEDS:
            record = th.Record.new(game, seed)
            bot = th.bot(game, BOT_LEVEL, seed=seed)
            while not record.position.over and len(record.moves) < moves:
                record.play(bot.choose(record.position))
            if len(record.moves) == moves:
                return record
    raise ValueError(f"No game of {name} has {moves} moves.")


class Opponent:
    """A table at which somebody plays random moves against a bot."""

    def __init__(self, address: str, game: th.Game) -> None:
        self._address = address
        self._game = game
        self._rng = random.Random(0)
        self._seed = 0
        self.times: list[float] = []
        """How long each answer took."""
        self._new_game()

    def _new_game(self) -> None:
        self._seed += 1
        self._position = self._game.start(self._seed)
        table, secrets = create_table(self._address, self._position, OPPONENT_LEVEL, seat=1)
        url = f"{self._address.replace('http', 'ws')}/api/tables/{table}/socket"
        self._socket = connect(url).__enter__()
        join = {"type": "join", "protocol": 2, "secrets": secrets, "snapshots": False}
        self._socket.send(json.dumps(join))
        self._ply, self._moves = 0, list[str]()

    def close(self) -> None:
        """Leave the table."""
        self._socket.close()

    def time_answer(self) -> float:
        """Play until the bot has answered once; return how long it took."""
        while True:
            if self._position.over:
                self.close()
                self._new_game()
            position = self._position
            began = time.perf_counter()
            if position.player != 1:
                message = {"type": "play", "id": self._ply, "seat": position.player}
                move = self._rng.choice(position.legal)
                self._socket.send(json.dumps({**message, "ply": self._ply, "move": move}))
            while len(self._moves) <= self._ply:
                self._moves += receive_moves(self._socket)
            self._position = position.play(self._moves[self._ply])
            self._ply += 1
            if position.player == 1:
                self.times.append(time.perf_counter() - began)
                return self.times[-1]


def review(address: str, record: th.Record, wait: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds until the graph and until the end of a review; `wait` between polls."""
    stored = post(address, "/api/records", {"text": record.text()})
    began = time.perf_counter()
    graph = None
    body = post(address, "/api/reviews", {"record": stored["id"]})
    while True:
        if graph is None and all(one is not None for one in body["review"]["chances"]):
            graph = time.perf_counter() - began
        if body["status"] == "finished":
            assert graph is not None
            return graph, time.perf_counter() - began
        if body["status"] == "failed":
            raise RuntimeError("The review failed.")
        wait()
        body = post(address, f"/api/reviews/{stored['id']}")


def main() -> None:
    """Review a record of each game and print the times."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--game", action="append", choices=th.games(), help="repeatable")
    parser.add_argument("--moves", type=int, default=80)
    options = parser.parse_args()
    print("| game | moves | graph | review | bot before | bot during review |")
    print("|---|---|---|---|---|---|")
    with running_server() as address:
        for name in options.game or th.games():
            record = long_record(name, options.moves)
            prepare(record.game)
            graph, total = review(address, record, lambda: time.sleep(POLL_SECONDS))
            opponent = Opponent(address, record.game)
            before = [opponent.time_answer() for _ in range(MOVES_BEFORE)]
            opponent.times.clear()
            record.comments[0] = "again"  # another text, so another review
            review(address, record, opponent.time_answer)
            during = opponent.times
            opponent.close()
            changed = ", ".join(f"{k}={v}" for k, v in non_default_options(record.game).items())
            print(
                f"| {record.game.title} {changed} | {len(record.moves)} | {graph:.1f} s "
                f"| {total:.1f} s | {1000 * statistics.median(before):.0f} ms "
                f"| {1000 * statistics.median(during):.0f} ms |",
                flush=True,
            )


if __name__ == "__main__":
    main()
