"""Where the CPU time of a move goes in the server, part by part, without sockets.

    python benchmarks/move_cost.py [--games 8] [--in-turn] [--database URL]

Plays complete random games of every game as a room does: parse the message, decide, copy the
session and apply the event, build the table's row, write to the database, build and serialise the
update, render the snapshot as a worker does. Every part is timed by the thread's CPU time, in
microseconds a move. The rest of what `benchmarks/server.py` measures is the event loop, sockets,
pipes and the kernel. With `--in-turn` all games are played at once, a move of each in turn, as in a
server with many tables: the state of a table has then left the CPU cache.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest

import sqlalchemy as sa

import teahouse as th
from teahouse.core.position import Position
from teahouse.server.storage.database import connect, migrate
from teahouse.server.tables import payloads
from teahouse.server.tables import rows as table_rows
from teahouse.server.tables.rows import Change, SavedSession
from teahouse.server.tables.session_row import session_row
from teahouse.server.tables.snapshot_diffs import SnapshotParts
from teahouse.server.web import messages
from teahouse.server.web.wire import to_json
from teahouse.session import commands
from teahouse.session import events as ev
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.state import GameSession

Costs = defaultdict[str, float]


class Meter:
    """CPU time by part, and the number of moves."""

    def __init__(self) -> None:
        self.seconds: Costs = defaultdict(float)
        self.bytes: Costs = defaultdict(float)
        self.moves = 0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Add the CPU time of a block to a part."""
        began = time.thread_time()
        try:
            yield
        finally:
            self.seconds[name] += time.thread_time() - began

    def report(self) -> dict[str, object]:
        """Return microseconds and bytes a move."""
        micros = {name: round(1e6 * one / self.moves) for name, one in self.seconds.items()}
        sizes = {name: round(one / self.moves) for name, one in self.bytes.items()}
        return {"moves": self.moves, "microseconds": micros, "bytes": sizes} | {
            "total_microseconds": sum(micros.values())
        }


def play(
    engine: sa.Engine, game: th.Game, table_id: str, rng: random.Random, meter: Meter
) -> Iterator[None]:
    """Play one random game, time every part of every move, and pause after each."""
    now = Timestamp(1.0, 1.0)
    seats = tuple(ev.HumanSeat(kind="local", name=None) for _ in game.players)
    created = ev.Created(game=game.name, options=game.options, seed=0, start=None, seats=seats)
    first = LoggedEvent(1, now, created)
    session = GameSession.replay([first])
    hashes: list[str | None] = [None] * len(seats)
    row = session_row(table_id, hashes, session, now)
    with engine.begin() as connection:
        table_rows.append(connection, Change([first], row, SavedSession.of(session), new=True))
    online, ratings = [True] * len(seats), [None] * len(seats)
    worker_position = Position(session.game, session.position.state, session.position.ply)
    shown = SnapshotParts.of(worker_position, 0, None)
    while not session.over:
        seat, move = session.position.player, rng.choice(session.position.legal)
        session.position.__dict__.pop("_moves", None)  # not yet computed in a server
        session.position.__dict__.pop("legal", None)
        body = {"type": "play", "id": 7, "seat": seat, "ply": session.ply, "move": move}
        text = json.dumps(body)
        meter.moves += 1
        with meter.part("parse the message"):
            command = messages.message_adapter.validate_json(text).command()
        with meter.part("decide"):
            events = commands.decide(session, command, now, lambda: "")
        with meter.part("copy the session and apply"):
            after = session.copy()
            log = after.commit(events, now)
        with meter.part("row and checkpoint"):
            row = session_row(table_id, hashes, after, now)
            change = Change(log, row, SavedSession.of(after, log))
        with engine.connect() as connection:
            with meter.part("statements"), connection.begin():
                table_rows.append(connection, change)
                began = time.thread_time()
            meter.seconds["commit"] += time.thread_time() - began
            meter.seconds["statements"] -= time.thread_time() - began
        session = after
        with meter.part("update message"):
            bodies = [payloads.event(session, one) for one in log]
            update = to_json(payloads.update(session, bodies, online, now, None, ratings))
        meter.bytes["update"] += len(update)
        with meter.part("render the snapshot"):
            position = Position(session.game, session.position.state, session.position.ply)
            parts = SnapshotParts.of(position, session.ply, (worker_position, move))
        with meter.part("difference to the one before"):
            diff = parts.diff(shown)
        worker_position, shown = position, parts
        meter.bytes["difference"] += len(diff)
        meter.bytes["snapshot"] += len(parts.whole())
        yield


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--in-turn", action="store_true")
    parser.add_argument("--database")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = connect(options.database or f"{folder}/teahouse.db")
        with engine.begin() as connection:
            migrate(connection)
        for warm in (True, False):
            meters = {name: Meter() for name in th.games()}
            games = [
                play(engine, th.load(name), f"{name}{warm}{number}", random.Random(number), meter)
                for name, meter in meters.items()
                for number in range(1 if warm else options.games)
            ]
            for group in [games] if options.in_turn else [[game] for game in games]:
                for _ in zip_longest(*group):
                    pass
        print(json.dumps({name: meter.report() for name, meter in meters.items()}, indent=1))


if __name__ == "__main__":
    main()
