"""Load on the house: many open tables, two sockets at each, a move a second at some of them.

    python benchmarks/house.py [--tables 1000] [--busy 200] [--seconds 30]

Whole random games of all games are played by clients that, as pages do, get every view. Told is
the time from a move being sent to the opponent's socket having it; shown, until its drawn board has
come as well.
The house runs in its own processes, the clients in this one, on the same machine.
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

NUMBER = re.compile(r'"number":(\d+)')
DONE = re.compile(r'"id":(\d+)')


@dataclass
class Table:
    """A table with both its sockets, and the game that will be played there."""

    game: th.Game
    moves: list[tuple[int, str]]
    id: str = ""
    secrets: list[str] = field(default_factory=list)
    sockets: list[ClientConnection] = field(default_factory=list)
    sent: dict[int, float] = field(default_factory=dict)
    """When each ply's move was sent."""
    done: int = 0
    number: int = 0
    """The event's number when the first move was sent."""


class Load:
    """The clients, and what they have measured."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.told: list[float] = []
        self.shown: list[float] = []
        self.errors: list[str] = []
        self.bytes = 0

    async def open(self, table: Table) -> None:
        """Open a table and join it twice."""
        body = json.dumps(
            {
                "game": table.game.name,
                "options": table.game.options,
                "seed": 0,
                "seats": [{"kind": "link"} for _ in table.game.players],
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
            await socket.send(json.dumps({"type": "join", "secrets": [secret]}))
            while '"type":"table"' not in str(await socket.recv())[:20]:
                pass
            table.sockets.append(socket)

    async def hear(self, table: Table, seat: int) -> None:
        """Note when moves of the other seat come, and that all is well."""
        async for message in table.sockets[seat]:
            now = time.perf_counter()
            text = str(message)
            self.bytes += len(text)
            kind = text[9:14]
            if kind == "updat" and '"type":"moved"' in text:
                self._note(self.told, table, seat, text, now)
            elif kind == 'view"':
                self._note(self.shown, table, seat, text, now)
            elif kind == 'done"':
                table.done += 1
            elif kind == "refus":
                self.errors.append(text)

    def _note(self, times: list[float], table: Table, seat: int, text: str, now: float) -> None:
        match = NUMBER.search(text)
        assert match
        ply = int(match[1]) - table.number - 1
        if 0 <= ply < len(table.moves) and table.moves[ply][0] != seat and ply in table.sent:
            times.append(now - table.sent[ply])

    async def play(self, tables: list[Table], seconds: float, delay: float) -> None:
        """A move a second, at the next table when a game is over."""
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


def random_game(game: th.Game, chance: random.Random) -> list[tuple[int, str]]:
    """Who plays what, move by move."""
    moves = []
    position = game.start()
    while not position.over:
        moves.append((position.player, chance.choice(position.legal)))
        position = position.play(moves[-1][1])
    return moves


async def measure(port: int, house: int, wanted: argparse.Namespace) -> dict[str, object]:
    """Open everything, play, and count."""
    load = Load(port)
    chance = random.Random(1)
    games = [th.load(name) for name in th.games()]
    tables = []
    for number, game in zip(range(wanted.tables), itertools.cycle(games), strict=False):
        playing = number < 2 * wanted.busy
        tables.append(Table(game, random_game(game, chance) if playing else []))
    began = time.perf_counter()
    gate = asyncio.Semaphore(20)

    async def opened(table: Table) -> None:
        async with gate:
            await load.open(table)

    await asyncio.gather(*(opened(table) for table in tables))
    opening = time.perf_counter() - began
    hearing = [
        asyncio.create_task(load.hear(table, seat))
        for table in tables
        for seat in range(len(table.sockets))
    ]
    await asyncio.sleep(2)
    for table in tables:
        table.number = 1 + len(table.sockets)  # opened, and everybody sat down
    before, own_before, idle_before = cpu_seconds(house), time.process_time(), idle_seconds()
    slots = [tables[slot :: wanted.busy][:2] for slot in range(wanted.busy)]
    playing = [
        load.play(slot, wanted.seconds, number / wanted.busy) for number, slot in enumerate(slots)
    ]
    await asyncio.gather(*playing)
    await asyncio.sleep(2)
    busy = [now - then for now, then in zip(cpu_seconds(house), before, strict=True)]
    own, idle = time.process_time() - own_before, idle_seconds() - idle_before
    sent = sum(len(table.sent) for table in tables)
    result = {
        "tables": len(tables),
        "sockets": sum(len(table.sockets) for table in tables),
        "opening_seconds": round(opening, 1),
        "moves": sent,
        "moves_a_second": round(sent / wanted.seconds, 1),
        "acknowledged": sum(table.done for table in tables),
        "told_ms": percentiles(load.told),
        "shown_ms": percentiles(load.shown),
        "errors": len(load.errors),
        "first_errors": load.errors[:3],
        "megabytes_a_second": round(load.bytes / 1e6 / wanted.seconds, 1),
        "cpu_of_house_and_workers": [round(one / (wanted.seconds + 3), 2) for one in busy],
        "cpu_of_clients": round(own / (wanted.seconds + 3), 2),
        "cpu_idle": round(idle / (wanted.seconds + 3), 2),
        "rss_megabytes_of_house_and_workers": rss(house),
    }
    for task in hearing:
        task.cancel()
    return result


def percentiles(seconds: list[float]) -> dict[str, float]:
    """In milliseconds."""
    found = np.percentile(np.array(seconds or [0.0]) * 1e3, [50, 90, 99, 100])
    return {"count": len(seconds)} | {
        name: round(float(value), 1)
        for name, value in zip(("p50", "p90", "p99", "most"), found, strict=True)
    }


def family(house: int) -> list[int]:
    """The house's process and its children's."""
    children = Path(f"/proc/{house}/task/{house}/children").read_text().split()
    return [house, *map(int, children)]


def cpu_seconds(house: int) -> list[float]:
    """Processor time of the house and of all its workers."""
    times = []
    for process in family(house):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        times.append((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
    return [times[0], sum(times[1:])]


def idle_seconds() -> float:
    """Processor time that nobody on this machine has used."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return int(fields[4]) / os.sysconf("SC_CLK_TCK")


def rss(house: int) -> list[int]:
    """Resident megabytes of each process."""
    pages = [int(Path(f"/proc/{one}/statm").read_text().split()[1]) for one in family(house)]
    return [page * os.sysconf("SC_PAGE_SIZE") // 1_000_000 for page in pages]


def stored_plies(database: str) -> dict[str, int]:
    """What is on disk after the house was killed."""
    import sqlalchemy as sa

    with sa.create_engine(f"sqlite:///{database}").connect() as connection:
        counted = (
            "SELECT table_id, COUNT(*) FROM events WHERE body LIKE '%moved%' GROUP BY table_id"
        )
        return {row[0]: row[1] for row in connection.execute(sa.text(counted))}


def house_process(database: str) -> None:
    """Run the house, with limits that let one address be a crowd."""
    from teahouse.server.serve import Door, serve
    from teahouse.server.settings import Settings

    settings = Settings(database=database, request_rate=1e6, message_rate=1e6)
    serve(settings, Door("127.0.0.1", 0, False), browser=False)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--busy", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--serve", metavar="DATABASE")
    wanted = parser.parse_args()
    if wanted.serve:
        house_process(wanted.serve)
        return
    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/house.db"
        command = [sys.executable, __file__, "--serve", database]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as house:
            try:
                assert house.stdout is not None
                port = int(house.stdout.readline().rsplit(":", 1)[1].strip("/\n"))
                result = asyncio.run(measure(port, house.pid, wanted))
            finally:
                house.send_signal(signal.SIGKILL)
        result["moves_on_disk"] = sum(stored_plies(database).values())
    print(json.dumps(result, indent=1))
    whole = result["moves"] == result["acknowledged"] == result["moves_on_disk"]
    sys.exit(0 if whole and not result["errors"] else 1)


if __name__ == "__main__":
    main()
