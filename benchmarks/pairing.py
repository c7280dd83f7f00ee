"""Quick pairing under load: many players look for opponents and play, all at once.

    python benchmarks/pairing.py [--players 500] [--rounds 3] [--moves 4]

Each player does what a page does: enter the lobby with its boards, look for an opponent, leave the
lobby for the table, play some moves there with snapshots, resign, and come back. In the first round
everybody looks at the same moment, in later ones whenever their game is over. The server runs with
its usual limits; every player has an address of its own. Measured is the time from the request of
the later of two opponents to the seat of each. The exit status is 1 if the 99th percentile of any
round is above a second, if a seat is given twice, or if a game does not start.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

import teahouse as th

TARGET_SECONDS = 1.0
OPENING_AT_ONCE = 40
THINKING_SECONDS = (0.2, 1.0)


class Load:
    """What all players have in common, and what was measured."""

    def __init__(self, port: int, options: argparse.Namespace) -> None:
        self.port = port
        self.options = options
        self.gate = asyncio.Semaphore(OPENING_AT_ONCE)
        self.ready = asyncio.Barrier(options.players)
        self.seats: Counter[tuple[str, int]] = Counter()
        self.requests: dict[str, list[float]] = {}
        """By table when its players began to look for an opponent."""
        self.told: list[list[tuple[str, float]]] = [[] for _ in range(options.rounds)]
        """For each round: tables, and when a player received a seat there."""
        self.plies: Counter[str] = Counter()
        self.errors: list[str] = []

    async def open(self, path: str, address: str, first: dict[str, Any]) -> ClientConnection:
        """Open a socket and send the first message."""
        url = f"ws://127.0.0.1:{self.port}{path}"
        headers = {"X-Forwarded-For": address}
        socket = await connect(
            url, additional_headers=headers, max_size=None, ping_interval=None, open_timeout=60
        )
        await socket.send(json.dumps(first))
        return socket


async def receive(socket: ClientConnection, *kinds: str) -> dict[str, Any]:
    """Return the next message of some kinds."""
    while True:
        text = str(await socket.recv())
        if text[9:].split('"', 1)[0] in kinds:
            message: dict[str, Any] = json.loads(text)
            return message


async def player(load: Load, number: int) -> None:
    """Look for opponents and play, several times."""
    rng = random.Random(number)
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    key, game = secrets.token_urlsafe(16), th.games()[number // 2 % len(th.games())]
    for turn in range(load.options.rounds):
        async with load.gate:
            enter = {"type": "enter", "protocol": 2, "key": key, "name": f"Player {number}"}
            lobby = await load.open("/api/lobby/socket", address, enter)
            await receive(lobby, "lobby")
        if turn == 0:
            await load.ready.wait()
        began = time.perf_counter()
        await lobby.send(json.dumps({"type": "seek", "id": 1, "game": game}))
        seat = await receive(lobby, "paired", "error", "seek_ended")
        if seat["type"] != "paired":
            load.errors.append(json.dumps(seat))
            return
        load.told[turn].append((seat["table"], time.perf_counter()))
        load.requests.setdefault(seat["table"], []).append(began)
        load.seats[seat["table"], seat["seat"]] += 1
        await lobby.close()
        await play(load, address, seat, rng)


async def play(load: Load, address: str, seat: dict[str, Any], rng: random.Random) -> None:
    """Play some moves, and resign."""
    join = {"type": "join", "protocol": 2, "secrets": [seat["secret"]]}
    table, own = seat["table"], seat["seat"]
    socket = await load.open(f"/api/tables/{table}/socket", address, join)
    message = await receive(socket, "table", "error")
    if message["type"] == "error":
        load.errors.append(json.dumps(message))
        return
    played = -1
    while True:
        over = "state" in message and message["state"]["over"]
        snapshot = message.get("snapshot")
        if snapshot is not None:
            load.plies[table] = max(load.plies[table], snapshot["ply"])
        if over:
            break
        if snapshot is not None and snapshot["player"] == own and snapshot["ply"] > played:
            played = snapshot["ply"]
            await asyncio.sleep(rng.uniform(*THINKING_SECONDS))
            command: dict[str, Any] = {"type": "resign", "id": 1, "seat": own}
            if played < load.options.moves:
                move = rng.choice(legal_moves(snapshot))
                command = {"type": "play", "id": 1, "seat": own, "ply": played, "move": move}
            await socket.send(json.dumps(command))
        message = await receive(socket, "table", "update", "snapshot", "error")
        if message["type"] == "error":
            load.errors.append(json.dumps(message))
            break
    await socket.close()


def legal_moves(snapshot: dict[str, Any]) -> list[str]:
    """Return the legal moves of a snapshot, listed or in its click tree."""
    if snapshot["legal"]:
        return [move["move"] for move in snapshot["legal"]]
    found, waiting = [], list(snapshot["click_tree"].values())
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        else:
            waiting.extend(one.values())
    return found


async def measure(port: int, options: argparse.Namespace) -> dict[str, Any]:
    """Let everybody play; return the measurements."""
    load = Load(port, options)
    began = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for number in range(options.players):
            tasks.create_task(player(load, number))
    tables = Counter(table for table, _ in load.seats)
    return {
        "players": options.players,
        "load_average_before": round(options.load, 1),
        "games": len(tables),
        "games_started": sum(load.plies[table] >= options.moves for table in tables),
        "games_with_two_players": sum(count == 2 for count in tables.values()),
        "seats_given_twice": sum(count > 1 for count in load.seats.values()),
        "pairing_ms_by_round": [
            percentiles([told - max(load.requests[table]) for table, told in one])
            for one in load.told
        ],
        "seconds": round(time.perf_counter() - began, 1),
        "errors": len(load.errors),
        "first_errors": load.errors[:3],
    }


def percentiles(seconds: list[float]) -> dict[str, float]:
    """Return percentiles in milliseconds."""
    found = np.percentile(np.array(seconds or [np.inf]) * 1e3, [50, 90, 99, 100])
    return {"count": len(seconds)} | {
        name: round(float(value), 1)
        for name, value in zip(("p50", "p90", "p99", "max"), found, strict=True)
    }


def serve_database(database: str) -> None:
    """Run a server that believes the addresses that the players state."""
    from teahouse.server.serve import BindAddress, serve
    from teahouse.server.settings import ServerSettings

    settings = ServerSettings(database=database, trusted_proxies=("127.0.0.1/32",))
    serve(settings, BindAddress("127.0.0.1", 0, False), browser=False)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--players", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--moves", type=int, default=4)
    parser.add_argument("--serve", metavar="DATABASE")
    options = parser.parse_args()
    if options.serve:
        serve_database(options.serve)
        return
    options.load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--serve", f"{folder}/teahouse.db"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                port = int(server.stdout.readline().rsplit(":", 1)[1].strip("/\n"))
                result = asyncio.run(measure(port, options))
            finally:
                server.send_signal(signal.SIGINT)
                server.communicate()
    print(json.dumps(result, indent=1))
    slowest = max(one["p99"] for one in result["pairing_ms_by_round"])
    complete = (
        result["games_started"] == result["games_with_two_players"] == result["games"]
        and not result["seats_given_twice"]
        and not result["errors"]
    )
    sys.exit(0 if complete and slowest <= 1e3 * TARGET_SECONDS else 1)


if __name__ == "__main__":
    main()
