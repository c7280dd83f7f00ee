"""Several servers and workers on one PostgreSQL: kills, latency, CPU time and memory.

    python benchmarks/several.py kills [--kills 200] [--moves 5000] [--servers 3] [--workers 2]
    python benchmarks/several.py load [--tables 200] [--rate 200] [--seconds 30] [--servers 2]

`kills` kills random processes by SIGKILL, PostgreSQL's first one among them, while games are played
through all servers; then it looks for every acknowledged move in the events.
`load` plays each game through two servers; measured is the time from sending a move to the
opponent's receiving it, the CPU time of servers and PostgreSQL, their memory, and what a move costs
in bytes and transactions. `--servers 1` is the same load with one server, to compare with.
PostgreSQL writes to disk without fsync.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import sqlalchemy as sa
from websockets.asyncio.client import ClientConnection, connect

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from support.servers import Postgres, ServerProcess, new_database, postgres_folder
from support.several_kills import kill_several

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
    """Moves that the opponent was told of: the next one follows them, as a person's does."""


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
        join = {"type": "join", "protocol": 2, "secrets": [secret], "snapshots": True}
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


async def load(options: argparse.Namespace) -> dict[str, object]:
    """Play through several servers; return the measurements."""
    programs = postgres_folder()
    assert programs is not None, "PostgreSQL is not installed"
    postgres = Postgres(programs)
    database = new_database(postgres)
    servers = [ServerProcess(database, run_jobs=False) for _ in range(options.servers)]
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
        written = {name: now - counted[name] for name, now in database_counters(database).items()}
        measured = {
            "servers": options.servers,
            "moves": played,
            "told": len(told),
            "errors": len(errors),
            "told_ms": {
                f"p{at}": round(1e3 * float(np.percentile(told, at)), 1) for at in (50, 99)
            },
            "cpu_ms_per_move": {
                "servers": round(1e3 * (after[0] - before[0] - took * idle_rate[0]) / played, 2),
                "postgresql": round(1e3 * (after[1] - before[1] - took * idle_rate[1]) / played, 2),
            },
            "idle_cpu_ms_per_second": {
                "servers": round(1e3 * idle_rate[0], 1),
                "postgresql": round(1e3 * idle_rate[1], 1),
            },
            "per_move": {
                "client_bytes": round((sum(table.bytes for table in tables) - sent) / played),
                **{name: round(number / played, 2) for name, number in written.items()},
            },
            "memory_mb": round(memory_megabytes(houses)),
        }
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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["kills", "load"])
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--moves", type=int, default=5_000)
    parser.add_argument("--tables", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--idle", type=float, default=5.0, help="seconds to measure idle servers")
    options = parser.parse_args()
    if options.what == "load":
        print(json.dumps(asyncio.run(load(options)), indent=1))
        return
    tally = asyncio.run(
        kill_several(
            servers=options.servers,
            workers=options.workers,
            kills=options.kills,
            moves=options.moves,
            tables=options.tables,
            seed=options.seed,
            database=True,
        )
    )
    gaps = sorted(tally.gaps)
    hidden = ("gaps", "exceptions")
    shown = {name: value for name, value in asdict(tally).items() if name not in hidden}
    print({**shown, "gaps_over_5_s": sum(gap > 5.0 for gap in gaps)})
    print(*tally.exceptions, sep="\n", file=sys.stderr)
    if tally.lost or tally.doubled or tally.misplaced or tally.exceptions:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
