"""Time to load a table with a long history from the database.

    python benchmarks/table_load.py [--events 2000] [--takebacks 250] [--database URL]

For every game: two people play to the middle of a random game, take moves back and play them again,
and chat, until the table has so many events. Measured are loading it from its checkpoint, the part
of that which blocks the event loop, a takeback, and, for comparison, replaying all events. The
exit status is 1 if loading takes more than 20 ms (the median of 20).
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time

import teahouse as th
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.store import Store
from teahouse.server.tables.event_json import from_log_row
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.room import Room
from teahouse.server.web import messages as ms
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Renderer
from teahouse.session import commands
from teahouse.session.state import GameSession

TARGET_MS = 20.0
ROUNDS = 20


async def fill(room: Room, events: int, takebacks: int) -> float:
    """Play, take back and chat; return the median milliseconds of deciding on a takeback."""
    rng = random.Random(1)

    async def play() -> None:
        session = room.session
        seat, ply = session.position.player, session.ply
        move = rng.choice(session.position.legal)
        await room.submit(commands.Play(seat=seat, ply=ply, move=move))

    moves = min(180, len(random_moves(room.session.game)) * 2 // 3)
    while room.session.ply < moves:
        await play()
    times = []
    for _ in range(takebacks):
        seat = room.session.moves[-1].player
        session = room.session.copy()
        now = room._store.now()
        began = time.perf_counter()
        offer = commands.Offer(seat=seat, offer="takeback")
        session.commit(commands.decide(session, offer, now, str), now)
        times.append(1e3 * (time.perf_counter() - began))
        await room.submit(offer)
        await play()
    while room.session.seq < events:
        await room.submit(commands.Chat(seat=0, text=f"message {room.session.seq} " * 5))
    return statistics.median(times)


def random_moves(game: th.Game) -> list[str]:
    """Return the moves of a random game."""
    rng, position, moves = random.Random(1), game.start(), []
    while not position.over:
        moves.append(rng.choice(position.legal))
        position = position.play(moves[-1])
    return moves


async def measure(name: str, database: str, events: int, takebacks: int) -> float:
    """Measure one game and print a line; return the milliseconds of loading."""
    chosen = ServerSettings(database=database)
    store = Store(database)
    store.start()
    registry = Registry(chosen, store, Bots(chosen), Renderer(1), JobPool())
    seats = [{"kind": "local"}, {"kind": "local"}]
    request = ms.NewTableIn.model_validate({"game": name, "seats": seats})
    table, _ = await registry.create(request)
    room = await registry.room(table)
    takeback = await fill(room, events, takebacks)
    loading, blocking = [], []
    for _ in range(ROUNDS):
        registry.evict(room)
        began = time.perf_counter()
        room = await registry.room(table)
        loading.append(1e3 * (time.perf_counter() - began))
        found = await store.load(table)
        assert found is not None
        began = time.perf_counter()
        found.session()
        blocking.append(1e3 * (time.perf_counter() - began))
    rows = await store.log(table)
    began = time.perf_counter()
    replayed = GameSession.replay([from_log_row(row) for row in rows])
    replaying = 1e3 * (time.perf_counter() - began)
    assert replayed.position == room.session.position
    plies = room.session.ply
    for service in (registry, registry.bots, registry.renderer, registry.jobs, store):
        await service.close()
    load, block = statistics.median(loading), statistics.median(blocking)
    print(
        f"{name:8} {len(rows):7,} {plies:6} {load:9.1f} {block:9.1f} {takeback:9.3f}"
        f" {replaying:9.1f}"
    )
    return load


def main() -> None:
    """Measure all games."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--takebacks", type=int, default=250)
    parser.add_argument("--database")
    options = parser.parse_args()
    print(
        f"{'game':8} {'events':>7} {'plies':>6} {'load ms':>9} {'on loop':>9} {'takeback':>9}"
        f" {'replay':>9}"
    )
    slowest = 0.0
    for name in th.games():
        with tempfile.TemporaryDirectory() as folder:
            database = options.database or f"{folder}/teahouse.db"
            load = asyncio.run(measure(name, database, options.events, options.takebacks))
        slowest = max(slowest, load)
    sys.exit(0 if slowest <= TARGET_MS else 1)


if __name__ == "__main__":
    main()
