"""Match between the bot of a server and the same bot in this process.

    python benchmarks/served_bot.py [--game orochi] [--levels 3 6] [--games 100] [--store FILE]

Both have the same level, so the served bot should score 50 % within its interval; if not, a person
does not meet the bot that was rated. Games are played over the real WebSocket, in pairs: from the
same random opening with either colour. Results are appended to a file of JSON lines; a run that was
interrupted continues there.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

import teahouse as th
from teahouse.core.files import append_line, complete_lines
from teahouse.core.random import game_seed
from teahouse.search.arena.ratings import mean_score
from teahouse.search.prepare import prepare
from teahouse.server.workers.bots import NICENESS

OPENING_PLIES = 2
TIMEOUT = 120.0
SERVE = """
import sys
from teahouse.server.serve import BindAddress, serve
from teahouse.server.settings import ServerSettings
settings = ServerSettings(
    database=sys.argv[1], request_rate=1e6, message_rate=1e6, max_tables_per_address=100_000
)
serve(settings, BindAddress("127.0.0.1", 0, False), browser=False)
"""


@contextmanager
def running_server() -> Iterator[str]:
    """Run a server with default settings, but for its rate limits; yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", SERVE, f"{folder}/teahouse.db"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                yield server.stdout.readline().split()[-1].rstrip("/")
            finally:
                server.send_signal(signal.SIGINT)
                server.communicate()


def opening(game: th.Game, number: int) -> th.Position:
    """Return a position after some random moves."""
    rng = random.Random(number)
    position = game.start(number)
    for _ in range(OPENING_PLIES):
        following = position.play(rng.choice(position.legal))
        if following.over:
            break
        position = following
    return position


def create_table(address: str, start: th.Position, level: int, seat: int) -> tuple[str, list[str]]:
    """Create a table with a bot on one seat; return its id and the secrets of the others."""
    game = start.game
    seats: list[dict[str, Any]] = [{"kind": "local"} for _ in game.players]
    seats[seat] = {"kind": "bot", "level": level}
    body = {"game": game.name, "options": game.options, "start": str(start), "seats": seats}
    request = urllib.request.Request(f"{address}/api/tables", json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
        created = json.load(response)
    return created["id"], [one["secret"] for one in created["seats"]]


def play(address: str, game: th.Game, level: int, number: int, seat: int) -> dict[str, Any]:
    """Play a game in which the served bot has a seat; return its score and the seconds per move."""
    position = opening(game, number)
    table, secrets = create_table(address, position, level, seat)
    bot = th.bot(game, level, seed=game_seed(number, seat))
    seconds: dict[bool, list[float]] = {True: [], False: []}
    with connect(f"{address.replace('http', 'ws')}/api/tables/{table}/socket") as socket:
        join = {"type": "join", "protocol": 2, "secrets": secrets, "snapshots": False}
        socket.send(json.dumps(join))
        ply, moves = 0, list[str]()
        while not position.over:
            served = position.player == seat
            began = time.perf_counter()
            if not served:
                message = {"type": "play", "id": ply, "seat": position.player, "ply": ply}
                socket.send(json.dumps({**message, "move": bot.choose(position)}))
            while len(moves) <= ply:
                moves += receive_moves(socket)
            position = position.play(moves[ply])
            seconds[served].append(time.perf_counter() - began)
            ply += 1
    score = 0.5 if not position.winners else float(seat in position.winners)
    means = {name: sum(all_) / max(1, len(all_)) for name, all_ in seconds.items()}
    return {
        **key(game, level, number, seat),
        "score": score,
        "plies": ply,
        "served_seconds": round(means[True], 4),
        "local_seconds": round(means[False], 4),
    }


def receive_moves(socket: ClientConnection) -> list[str]:
    """Return the moves of the next message."""
    message = json.loads(socket.recv(timeout=TIMEOUT))
    if message["type"] == "error":
        raise RuntimeError(message["message"])
    if message["type"] == "table":
        return [one["move"] for one in message["moves"]]
    return [one["move"] for one in message.get("events", ()) if one["type"] == "moved"]


def key(game: th.Game, level: int, number: int, seat: int) -> dict[str, Any]:
    """Return what identifies a game."""
    return {"game": game.name, "level": level, "number": number, "seat": seat}


def report(results: list[dict[str, Any]]) -> None:
    """Print the score of the served bot."""
    rounds: dict[int, list[float]] = {}
    for one in results:
        rounds.setdefault(one["number"], []).append(one["score"])
    estimate = mean_score([sum(scores) / 2 for scores in rounds.values()], games_per_round=2)
    served, local = (
        sum(one[name] for one in results) / len(results)
        for name in ("served_seconds", "local_seconds")
    )
    verdict = "as rated" if estimate.low <= 0.5 <= estimate.high else "NOT AS RATED"
    print(
        f"{results[0]['game']:8} level {results[0]['level']}: {100 * estimate.value:5.1f} % "
        f"({100 * estimate.low:.1f} to {100 * estimate.high:.1f} %) of {len(results)} games, "
        f"{served:.3f} and {local:.3f} s a move, {verdict}",
        flush=True,
    )


def main() -> None:
    """Play the games that are missing, and print the scores."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--game", action="append", choices=th.games(), help="repeatable")
    parser.add_argument("--levels", type=int, nargs="+", default=[3, 6])
    parser.add_argument("--games", type=int, default=100, help="an even number")
    parser.add_argument("--store", type=Path, default=Path("served_bot.jsonl"))
    options = parser.parse_args()
    if options.games % 2:
        parser.error("--games must be even: both colours of each opening are played")
    done = [json.loads(line) for line in complete_lines(options.store)]
    with running_server() as address:
        os.nice(NICENESS)  # as the workers
        for name in options.game or th.games():
            game = th.load(name)
            prepare(game)
            for level in options.levels:
                results = []
                for number, seat in ((one // 2, one % 2) for one in range(options.games)):
                    wanted = key(game, level, number, seat)
                    found = next((one for one in done if wanted.items() <= one.items()), None)
                    if found is None:
                        found = play(address, game, level, number, seat)
                        append_line(options.store, json.dumps(found))
                    results.append(found)
                report(results)


if __name__ == "__main__":
    main()
