"""Memory and latency of many tables: two servers on one PostgreSQL, most tables without anybody.

    python benchmarks/many_tables.py [--tables 10000] [--sockets 4000] [--rate 100] [--seconds 30]

Tables are created and sockets opened in steps; memory is measured after each of them, so growth
gives what a table and a socket take. Counted is the memory of both servers with all their worker
processes, shared pages divided by those who share them (PSS); PostgreSQL is listed beside it. Each
player of a watched table is connected to another server, so both have that table in memory, and has
an address of their own, as behind a proxy. A table without sockets leaves memory after a minute;
`peak_mb` is measured before that. PostgreSQL writes to disk without fsync. `--limits` exits with 1
if a target is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from several_load import (
    Table,
    cpu_seconds,
    listen,
    memory_megabytes,
    play,
    random_game,
)
from websockets.asyncio.client import connect

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from support.servers import Postgres, ServerProcess, new_database, postgres_folder

import teahouse as th

STEPS = (0.25, 0.5, 1.0)
"""Shares of the tables and of the sockets after which memory is measured."""
AT_ONCE = 8
"""Requests that are on their way at the same time."""
EVICTION_SECONDS = 180.0
"""How long to wait until tables that nobody watches have left memory."""
SETTLE_SECONDS = 3.0
IDLE_SECONDS = 15.0
"""For the CPU time of servers whose clients do nothing."""
MEMORY_MB = 1_200
TOLD_MS = 150

Created = tuple[str, int, str, list[str]]
"""The name of a game, the number of a table, its id and the secrets of its seats."""


class Benchmark:
    """Two servers or more, the tables that were created, and the sockets that are open."""

    def __init__(self, postgres: Postgres, servers: int, settings: dict[str, Any]) -> None:
        database = new_database(postgres)
        chosen: dict[str, Any] = {
            "run_jobs": False,
            "max_tables": 1 << 20,
            "max_tables_per_address": 1 << 20,
            "trusted_proxies": ["127.0.0.1"],
        }
        self.servers = [ServerProcess(database, **chosen, **settings) for _ in range(servers)]
        self.created: list[Created] = []
        self.tables: list[Table] = []
        self.sockets = 0
        self._rng = random.Random(1)
        self._games = {name: random_game(th.load(name), self._rng) for name in th.games()}

    @property
    def memory(self) -> float:
        """Megabytes of all servers and their workers."""
        return memory_megabytes([one.process.pid for one in self.servers])

    @property
    def in_memory(self) -> list[int]:
        """The number of tables that each server has in memory."""
        health = [one.request("/api/health")[1] for one in self.servers]
        return [one["tables_in_memory"] for one in health]

    async def create(self, count: int) -> None:
        """Create tables until there are so many."""
        numbers = iter(range(len(self.created), count))
        await asyncio.gather(*(self._create_some(numbers) for _ in range(AT_ONCE)))

    async def _create_some(self, numbers: Any) -> None:
        names = th.games()
        for number in numbers:
            name = names[number % len(names)]
            seats = [{"kind": "remote"} for _ in th.load(name).players]
            server = self.servers[number % len(self.servers)]
            made = await asyncio.to_thread(server.create_table, game=name, seed=1, seats=seats)
            self.created.append((name, number, *made))

    async def open(self, count: int) -> None:
        """Open sockets until there are so many, one for each seat of one table after another."""
        while self.sockets < count:
            tables = self.created[len(self.tables) : len(self.tables) + AT_ONCE]
            opened = await asyncio.gather(*map(self._join, tables))
            self.tables += opened
            self.sockets += sum(len(table.sockets) for table in opened)

    async def _join(self, created: Created) -> Table:
        name, number, table_id, secrets = created
        table = Table(self._games[name])
        for seat, secret in enumerate(secrets):
            port = self.servers[(number + seat) % len(self.servers)].port
            url = f"ws://127.0.0.1:{port}/api/tables/{table_id}/socket"
            socket = await connect(
                url,
                compression=None,
                max_size=None,
                ping_interval=None,
                additional_headers={"X-Forwarded-For": address_of(2 * number + seat)},
            )
            join = {"type": "join", "protocol": 2, "secrets": [secret], "diffs": True}
            await socket.send(json.dumps(join))
            while json.loads(await socket.recv())["type"] != "table":
                pass
            table.sockets.append(socket)
        return table

    async def wait_for_eviction(self) -> bool:
        """Wait until no server has a table that nobody watches; return whether that came about."""
        deadline = time.monotonic() + EVICTION_SECONDS
        while any(await asyncio.to_thread(lambda: self.in_memory)):
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(2.0)
        return True

    async def load(self, rate: float, seconds: float) -> dict[str, object]:
        """Play at the watched tables; return latency and CPU time."""
        told: list[float] = []
        errors: list[str] = []
        listening = [
            asyncio.create_task(listen(table, seat, told, errors))
            for table in self.tables
            for seat in range(len(table.sockets))
        ]
        houses = [one.process.pid for one in self.servers]
        began, before = time.perf_counter(), cpu_seconds(houses)
        await asyncio.sleep(IDLE_SECONDS)
        idle = (cpu_seconds(houses) - before) / (time.perf_counter() - began)
        began, before = time.perf_counter(), cpu_seconds(houses)
        moves = await play(self.tables, rate, seconds)
        await asyncio.sleep(2.0)
        used = cpu_seconds(houses) - before - idle * (time.perf_counter() - began)
        for task in listening:
            task.cancel()
        milliseconds = 1e3 * np.array(told)
        return {
            "moves": moves,
            "told": len(told),
            "errors": len(errors),
            "told_ms": {
                f"p{at}": round(float(np.percentile(milliseconds, at)), 1) for at in (50, 99)
            },
            "idle_cpu_ms_per_second": round(1e3 * idle, 1),
            "cpu_ms_per_move": round(1e3 * used / moves, 2),
        }

    def close(self) -> None:
        """Close all sockets and stop the servers."""
        for table in self.tables:
            for socket in table.sockets:
                socket.transport.abort()
        for server in self.servers:
            server.stop()


def address_of(number: int) -> str:
    """Return an address for a client."""
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def growth_kb(points: list[tuple[int, float]]) -> list[float]:
    """Return the kilobytes of one more thing between the points of a curve."""
    return [
        round(1024 * (later[1] - earlier[1]) / (later[0] - earlier[0]), 1)
        for earlier, later in pairwise(points)
        if later[0] > earlier[0]
    ]


async def measure(options: argparse.Namespace) -> dict[str, object]:
    """Return all measurements."""
    programs = postgres_folder()
    assert programs is not None, "PostgreSQL is not installed"
    postgres = Postgres(programs)
    benchmark = Benchmark(postgres, options.servers, {})
    try:
        await asyncio.sleep(SETTLE_SECONDS)
        started = benchmark.memory
        created = [(0, started)]
        for share in STEPS:
            await benchmark.create(round(share * options.tables))
            await asyncio.sleep(SETTLE_SECONDS)
            created.append((len(benchmark.created), benchmark.memory))
            print(f"{created[-1][0]} tables: {created[-1][1]:.0f} MB", file=sys.stderr)
        peak, loaded = created[-1][1], benchmark.in_memory
        evicted = await benchmark.wait_for_eviction()
        unwatched = benchmark.memory
        opened = [(0, unwatched)]
        for share in STEPS:
            await benchmark.open(round(share * options.sockets))
            await asyncio.sleep(SETTLE_SECONDS)
            opened.append((benchmark.sockets, benchmark.memory))
            print(f"{opened[-1][0]} sockets: {opened[-1][1]:.0f} MB", file=sys.stderr)
        watched = benchmark.in_memory
        result = {
            "servers": options.servers,
            "tables": len(benchmark.created),
            "sockets": benchmark.sockets,
            "watched_tables": len(benchmark.tables),
            "load_average": round(os.getloadavg()[0], 1),
            "started_mb": round(started),
            "peak_mb": round(peak),
            "in_memory_at_peak": loaded,
            "unwatched_mb": round(unwatched),
            "evicted": evicted,
            "sockets_mb": round(opened[-1][1]),
            "in_memory": watched,
            "kb_per_new_table": growth_kb(created),
            "kb_per_socket": growth_kb(opened),
            **await benchmark.load(options.rate, options.seconds),
            "memory_mb": round(benchmark.memory),
            "postgresql_mb": round(memory_megabytes([postgres.pid])),
        }
    finally:
        benchmark.close()
        postgres.remove()
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--sockets", type=int, default=4_000)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--limits", action="store_true", help="exit with 1 if a target is missed")
    options = parser.parse_args()
    result = asyncio.run(measure(options))
    print(json.dumps(result, indent=1))
    told: Any = result["told_ms"]
    memory: Any = result["memory_mb"]
    if options.limits and (memory > MEMORY_MB or told["p99"] > TOLD_MS or result["errors"]):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
