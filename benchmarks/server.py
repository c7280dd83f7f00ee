"""Server load: many tables with two sockets each, and a move a second at some of them.

    python benchmarks/server.py [--tables 1000] [--busy 200] [--seconds 30]

Clients play complete random games of all games and, as pages do, receive every snapshot. Measured
is the latency from sending a move to the opponent's receiving its event, and its snapshot. The
server runs in its own processes, the clients in this one, on the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

import teahouse as th

SEQ = re.compile(r'"seq":(\d+)')


@dataclass
class Table:
    """A table with its sockets, and the game to be played there."""

    game: th.Game
    moves: list[tuple[int, str]]
    id: str = ""
    secrets: list[str] = field(default_factory=list)
    sockets: list[ClientConnection] = field(default_factory=list)
    sent: dict[int, float] = field(default_factory=dict)
    """The time at which each ply's move was sent."""
    acknowledged: int = 0
    seq: int = 0
    """The sequence number before the first move."""


class Load:
    """The clients and their measurements."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.event_seconds: list[float] = []
        self.snapshot_seconds: list[float] = []
        self.errors: list[str] = []
        self.bytes = 0

    async def open(self, table: Table) -> None:
        """Create a table and join it from every seat."""
        body = json.dumps(
            {
                "game": table.game.name,
                "options": table.game.options,
                "seed": 0,
                "seats": [{"kind": "remote"} for _ in table.game.players],
            }
        )
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(
            f"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        answer = json.loads((await reader.read()).split(b"\r\n\r\n", 1)[1])
        writer.close()
        table.id = answer["id"]
        table.secrets = [seat["secret"] for seat in answer["seats"]]
        url = f"ws://127.0.0.1:{self.port}/api/tables/{table.id}/socket"
        for secret in table.secrets:
            socket = await connect(url, compression=None, max_size=None, ping_interval=None)
            await socket.send(json.dumps({"type": "join", "secrets": [secret], "diffs": True}))
            while '"type":"table"' not in str(await socket.recv())[:20]:
                pass
            table.sockets.append(socket)

    async def receive(self, table: Table, seat: int) -> None:
        """Measure when moves of the other seats arrive; collect errors."""
        async for message in table.sockets[seat]:
            now = time.perf_counter()
            text = str(message)
            self.bytes += len(text)
            kind = text[9:].split('"', 1)[0]
            if kind == "update" and '"type":"moved"' in text:
                self._measure(self.event_seconds, table, seat, text, now)
            elif kind in ("snapshot", "snapshot_diff"):
                self._measure(self.snapshot_seconds, table, seat, text, now)
            elif kind == "ack":
                table.acknowledged += 1
            elif kind == "error":
                self.errors.append(text)

    def _measure(self, times: list[float], table: Table, seat: int, text: str, now: float) -> None:
        match = SEQ.search(text)
        assert match
        ply = int(match[1]) - table.seq - 1
        if 0 <= ply < len(table.moves) and table.moves[ply][0] != seat and ply in table.sent:
            times.append(now - table.sent[ply])

    async def play(self, tables: list[Table], seconds: float, delay: float) -> None:
        """Play a move a second, at the next table when a game is over."""
        await asyncio.sleep(delay)
        start = time.perf_counter()
        plan = ((table, ply) for table in tables for ply in range(len(table.moves)))
        for count, (table, ply) in enumerate(plan):
            due = start + count
            if due - start >= seconds:
                return
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            seat, move = table.moves[ply]
            table.sent[ply] = time.perf_counter()
            message = {"type": "play", "id": ply, "seat": seat, "ply": ply, "move": move}
            await table.sockets[seat].send(json.dumps(message))


def random_game(game: th.Game, rng: random.Random) -> list[tuple[int, str]]:
    """Return the seats and moves of a random game."""
    moves = []
    position = game.start()
    while not position.over:
        moves.append((position.player, rng.choice(position.legal)))
        position = position.play(moves[-1][1])
    return moves


async def measure(port: int, server: int, options: argparse.Namespace) -> dict[str, object]:
    """Create all tables, play, and return the measurements."""
    load = Load(port)
    rng = random.Random(1)
    games = [th.load(name) for name in th.games()]
    tables = []
    for number, game in zip(range(options.tables), itertools.cycle(games), strict=False):
        playing = number < 2 * options.busy
        tables.append(Table(game, random_game(game, rng) if playing else []))
    began = time.perf_counter()
    gate = asyncio.Semaphore(20)

    async def open_limited(table: Table) -> None:
        async with gate:
            await load.open(table)

    await asyncio.gather(*(open_limited(table) for table in tables))
    creating = time.perf_counter() - began
    receiving = [
        asyncio.create_task(load.receive(table, seat))
        for table in tables
        for seat in range(len(table.sockets))
    ]
    await asyncio.sleep(2)
    for table in tables:
        table.seq = 1 + len(table.sockets)  # created, and everybody has joined
    before, own_before, idle_before = cpu_seconds(server), time.process_time(), idle_seconds()
    load.bytes = 0
    slots = [tables[slot :: options.busy][:2] for slot in range(options.busy)]
    playing = [
        load.play(slot, options.seconds, number / options.busy) for number, slot in enumerate(slots)
    ]
    await asyncio.gather(*playing)
    await asyncio.sleep(2)
    spent = cpu_seconds(server)
    busy = {
        part: [now - then for now, then in zip(spent[part], before[part], strict=True)]
        for part in spent
    }
    own, idle = time.process_time() - own_before, idle_seconds() - idle_before
    sent = sum(len(table.sent) for table in tables)
    result = {
        "tables": len(tables),
        "sockets": sum(len(table.sockets) for table in tables),
        "creating_seconds": round(creating, 1),
        "moves": sent,
        "moves_per_second": round(sent / options.seconds, 1),
        "acknowledged": sum(table.acknowledged for table in tables),
        "event_ms": percentiles(load.event_seconds),
        "snapshot_ms": percentiles(load.snapshot_seconds),
        "errors": len(load.errors),
        "first_errors": load.errors[:3],
        "megabytes_per_second": round(load.bytes / 1e6 / options.seconds, 1),
        "bytes_per_move": round(load.bytes / max(sent, 1)),
        "cpu_ms_per_move": round(1e3 * sum(map(sum, busy.values())) / max(sent, 1), 2),
        "user_and_system_cpu_ms_per_move": {
            part: [round(1e3 * one / max(sent, 1), 2) for one in times]
            for part, times in busy.items()
        },
        "cpu_of_clients": round(own / (options.seconds + 3), 2),
        "cpu_idle": round(idle / (options.seconds + 3), 2),
        "rss_megabytes_of_server_and_workers": rss(server),
    }
    for task in receiving:
        task.cancel()
    return result


def percentiles(seconds: list[float]) -> dict[str, float]:
    """Return percentiles in milliseconds."""
    found = np.percentile(np.array(seconds or [0.0]) * 1e3, [50, 90, 99, 100])
    return {"count": len(seconds)} | {
        name: round(float(value), 1)
        for name, value in zip(("p50", "p90", "p99", "max"), found, strict=True)
    }


def process_tree(server: int) -> list[int]:
    """Return the ids of the server's process and its children."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return [server, *map(int, children)]


def cpu_seconds(server: int) -> dict[str, list[float]]:
    """Return the CPU time in user and system mode of the server's threads and of its workers.

    The threads besides the event loop are the writer's, and those of readers.
    """
    times = {"event loop": [0.0, 0.0], "other threads": [0.0, 0.0], "workers": [0.0, 0.0]}
    for process in process_tree(server):
        for thread in Path(f"/proc/{process}/task").iterdir():
            part = "workers"
            if process == server:
                part = "event loop" if thread.name == str(server) else "other threads"
            fields = (thread / "stat").read_text().rpartition(")")[2].split()
            for mode in (0, 1):
                times[part][mode] += int(fields[11 + mode]) / os.sysconf("SC_CLK_TCK")
    return times


def idle_seconds() -> float:
    """Return the idle CPU time of this machine."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return int(fields[4]) / os.sysconf("SC_CLK_TCK")


def rss(server: int) -> list[int]:
    """Return the resident memory of each process in megabytes."""
    pages = [int(Path(f"/proc/{one}/statm").read_text().split()[1]) for one in process_tree(server)]
    return [page * os.sysconf("SC_PAGE_SIZE") // 1_000_000 for page in pages]


def stored_plies(database: str) -> dict[str, int]:
    """Count the stored moves of each table after the server was killed."""
    import sqlalchemy as sa

    with sa.create_engine(f"sqlite:///{database}").connect() as connection:
        counted = (
            "SELECT table_id, COUNT(*) FROM events WHERE body LIKE '%moved%' GROUP BY table_id"
        )
        return {row[0]: row[1] for row in connection.execute(sa.text(counted))}


def serve_database(database: str) -> None:
    """Run the server without limits for an address, since all clients share one."""
    from teahouse.server.serve import BindAddress, serve
    from teahouse.server.settings import ServerSettings

    settings = ServerSettings(
        database=database,
        request_rate=1e6,
        table_rate=1e6,
        message_rate=1e6,
        connection_rate=1e6,
        max_connections_per_address=10_000,
        trusted_proxies=("127.0.0.1/32",),  # its connections are not counted by address
        max_sockets_per_address=10_000,
        max_tables_per_address=10_000,
        max_requests_per_address=100,
    )
    serve(settings, BindAddress("127.0.0.1", 0, False), browser=False)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--busy", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--serve", metavar="DATABASE")
    options = parser.parse_args()
    if options.serve:
        serve_database(options.serve)
        return
    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/teahouse.db"
        command = [sys.executable, __file__, "--serve", database]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                port = int(server.stdout.readline().rsplit(":", 1)[1].strip("/\n"))
                result = asyncio.run(measure(port, server.pid, options))
            finally:
                server.send_signal(signal.SIGKILL)
        result["moves_on_disk"] = sum(stored_plies(database).values())
    print(json.dumps(result, indent=1))
    complete = result["moves"] == result["acknowledged"] == result["moves_on_disk"]
    sys.exit(0 if complete and not result["errors"] else 1)


if __name__ == "__main__":
    main()
