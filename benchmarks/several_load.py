"""The load of `several.py`: games played through several servers, and their cost."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import sqlalchemy as sa
from websockets.asyncio.client import ClientConnection, connect

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from support.servers import Postgres, ServerProcess, new_database, postgres_folder

import teahouse as th
from teahouse.server.storage.database import connect as connect_database

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Table:
    """A table with a socket for each player, at different servers."""

    moves: list[tuple[int, str]]
    sockets: list[ClientConnection] = field(default_factory=list)
    sent: dict[int, float] = field(default_factory=dict)
    bytes: int = 0
    """Received by all players."""
    told: int = 0
    """Moves delivered to the opponent; the next one is played after that, as by a person."""


def family(root: int) -> list[int]:
    """Return a process and all that it has started."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [root]
    for one in found:
        found += parents.get(one, [])
    return found


def cpu_seconds(roots: list[int]) -> float:
    """Return the CPU time of processes and all that they have started."""
    total = 0
    for process in {one for root in roots for one in family(root)}:
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(fields[index]) for index in (11, 12, 13, 14))
    return total / TICKS


def own_cpu_seconds(processes: list[int]) -> float:
    """Return the CPU time of processes without those that they have started."""
    stats = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in processes]
    return sum(int(fields[index]) for fields in stats for index in (11, 12)) / TICKS


def memory_megabytes(roots: list[int]) -> float:
    """Return the memory of processes, shared pages divided by those who share them."""
    total = 0
    for process in {one for root in roots for one in family(root)}:
        try:
            text = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        total += int(next(line for line in text.splitlines() if line.startswith("Pss:")).split()[1])
    return total / 1024


def database_counters(database: str) -> dict[str, int]:
    """Return the transactions of a database so far, the bytes of its log, and its size."""
    engine = connect_database(database)
    with engine.connect() as connection:
        row = connection.execute(
            sa.text(
                "SELECT xact_commit, pg_current_wal_lsn() - '0/0'::pg_lsn,"
                " pg_database_size(current_database())"
                " FROM pg_stat_database WHERE datname = current_database()"
            )
        ).one()
    engine.dispose()
    return dict(zip(("transactions", "log_bytes", "stored_bytes"), map(int, row), strict=True))


def random_game(game: th.Game, rng: random.Random) -> list[tuple[int, str]]:
    """Return the seats and moves of a random game."""
    moves, position = [], game.start(1)
    while not position.over:
        moves.append((position.player, rng.choice(position.legal)))
        position = position.play(moves[-1][1])
    return moves


async def open_table(servers: list[ServerProcess], number: int, rng: random.Random) -> Table:
    """Create a table at one server, and join it from each seat at the next one."""
    names = th.games()
    name = names[number % len(names)]
    seats = [{"kind": "remote"} for _ in th.load(name).players]
    server = servers[number % len(servers)]
    table_id, secrets = await asyncio.to_thread(server.create_table, game=name, seed=1, seats=seats)
    table = Table(random_game(th.load(name), rng))
    for seat, secret in enumerate(secrets):
        port = servers[(number + seat) % len(servers)].port
        url = f"ws://127.0.0.1:{port}/api/tables/{table_id}/socket"
        socket = await connect(url, compression=None, max_size=None, ping_interval=None)
        join = {"type": "join", "protocol": 2, "secrets": [secret], "diffs": True}
        await socket.send(json.dumps(join))
        while json.loads(await socket.recv())["type"] != "table":
            pass
        table.sockets.append(socket)
    return table


async def listen(table: Table, seat: int, told: list[float], errors: list[str]) -> None:
    """Measure when moves of the others arrive."""
    async for text in table.sockets[seat]:
        now = time.perf_counter()
        table.bytes += len(text)
        kind = str(text)[9:].split('"', 1)[0]
        if kind == "error":
            errors.append(str(text))
        elif kind == "update":
            for event in json.loads(text)["events"]:
                if event["type"] == "moved" and event["seat"] != seat:
                    told.append(now - table.sent[event["ply"]])
                    table.told = event["ply"] + 1


async def play(tables: list[Table], rate: float, seconds: float) -> int:
    """Play moves at a rate, one table after the other; return how many."""
    start, count = time.perf_counter(), 0
    plies = [0] * len(tables)
    while time.perf_counter() - start < seconds:
        unfinished = [one for one, table in enumerate(tables) if plies[one] < len(table.moves)]
        if not unfinished:
            break
        ready = [one for one in unfinished if tables[one].told >= plies[one]]
        if not ready:
            await asyncio.sleep(0.001)
        for index in ready:
            table, ply = tables[index], plies[index]
            await asyncio.sleep(max(0.0, start + count / rate - time.perf_counter()))
            if time.perf_counter() - start >= seconds:
                break
            seat, move = table.moves[ply]
            table.sent[ply] = time.perf_counter()
            message = {"type": "play", "id": ply, "seat": seat, "ply": ply, "move": move}
            await table.sockets[seat].send(json.dumps(message))
            plies[index] += 1
            count += 1
    return count


@dataclass(frozen=True)
class Load:
    """What was measured; times in milliseconds."""

    servers: int
    moves: int
    told: int
    """Moves delivered to an opponent."""
    errors: int
    told_p50: float
    told_p99: float
    server_cpu: float
    """CPU time of a move in the servers and their workers, without that of idle ones."""
    worker_cpu: float
    """The part of it in workers, which draw the boards."""
    database_cpu: float
    idle_server_cpu: float
    """In a second."""
    idle_database_cpu: float
    client_bytes: int
    """Of a move, as all that follow."""
    transactions: float
    log_bytes: float
    stored_bytes: float
    memory_mb: int

    @property
    def cpu(self) -> float:
        """CPU time of a move in all."""
        return self.server_cpu + self.database_cpu


async def measure(options: argparse.Namespace, count: int) -> Load:
    """Play through so many servers; return the measurements."""
    programs = postgres_folder()
    assert programs is not None, "PostgreSQL is not installed"
    postgres = Postgres(programs)
    database = new_database(postgres)
    servers = [ServerProcess(database, run_jobs=False) for _ in range(count)]
    rng = random.Random(1)
    told: list[float] = []
    errors: list[str] = []
    try:
        tables = [await open_table(servers, one, rng) for one in range(options.tables)]
        listening = [
            asyncio.create_task(listen(table, seat, told, errors))
            for table in tables
            for seat in range(len(table.sockets))
        ]
        houses, database_process = [one.process.pid for one in servers], [postgres.pid]
        await asyncio.sleep(2.0)
        idle = time.perf_counter(), cpu_seconds(houses), cpu_seconds(database_process)
        await asyncio.sleep(options.idle)
        before = cpu_seconds(houses), cpu_seconds(database_process)
        own = own_cpu_seconds(houses)
        idle_rate = [
            (now - then) / (time.perf_counter() - idle[0])
            for now, then in zip(before, idle[1:], strict=True)
        ]
        counted = database_counters(database)
        sent = sum(table.bytes for table in tables)
        began = time.perf_counter()
        played = await play(tables, options.rate, options.seconds)
        await asyncio.sleep(2.0)
        took = time.perf_counter() - began
        after = cpu_seconds(houses), cpu_seconds(database_process)
        drawing = (after[0] - before[0]) - (own_cpu_seconds(houses) - own)
        written = {name: now - counted[name] for name, now in database_counters(database).items()}
        cpu = [
            1e3 * (now - then - took * rate) / played
            for now, then, rate in zip(after, before, idle_rate, strict=True)
        ]
        measured = Load(
            servers=count,
            moves=played,
            told=len(told),
            errors=len(errors),
            told_p50=round(1e3 * float(np.percentile(told, 50)), 1),
            told_p99=round(1e3 * float(np.percentile(told, 99)), 1),
            server_cpu=round(cpu[0], 2),
            worker_cpu=round(1e3 * drawing / played, 2),
            database_cpu=round(cpu[1], 2),
            idle_server_cpu=round(1e3 * idle_rate[0], 1),
            idle_database_cpu=round(1e3 * idle_rate[1], 1),
            client_bytes=round((sum(table.bytes for table in tables) - sent) / played),
            memory_mb=round(memory_megabytes(houses)),
            **{name: round(number / played, 2) for name, number in written.items()},
        )
        for task in listening:
            task.cancel()
        for table in tables:
            for socket in table.sockets:
                socket.transport.abort()
        return measured
    finally:
        for server in servers:
            server.stop()
        postgres.remove()


async def compare(options: argparse.Namespace) -> list[Load]:
    """Measure one server and several in turn; print a row of the table for each pair."""
    runs: list[Load] = []
    for _ in range(options.rounds):
        pair = [await measure(options, count) for count in (1, options.servers)]
        runs += pair
        print_row(*pair)
    return runs


def print_row(one: Load, several: Load) -> None:
    """Print what several servers cost against one."""
    print(
        f"| {several.servers} servers, {several.moves} moves | delivery p99 {several.told_p99} ms"
        f" (one: {one.told_p99}) | CPU of a move {several.cpu:.2f} ms (one: {one.cpu:.2f}),"
        f" of it workers {several.worker_cpu:.2f} (one: {one.worker_cpu:.2f}),"
        f" PostgreSQL {several.database_cpu:.2f} (one: {one.database_cpu:.2f})"
        f" | {several.cpu / one.cpu:.2f} × |",
        flush=True,
    )
