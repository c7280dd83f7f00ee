"""Servers and workers on one PostgreSQL that are killed in the middle of play, PostgreSQL too.

Each table is played by two sockets at different servers; a player whose server dies goes to
another one. Every acknowledged move must be there, once, and games must go on soon.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException

import teahouse as th
from support.servers import Postgres, ServerProcess, WorkerProcess, new_database, postgres_folder
from teahouse.server.storage.database import connect as connect_database
from teahouse.server.storage.database import events

REPLY_SECONDS = 5.0
PAUSE = 0.02
SAMPLE_SECONDS = 0.5


@dataclass(frozen=True)
class Gap:
    """The time from a move of a table, or from PostgreSQL's return, to the next one."""

    seconds: float
    reason: str
    """What it was waited for."""
    starved: float
    """Seconds of it in which a server was ready to run and had no core."""


@dataclass
class Tally:
    """The outcome."""

    kills: dict[str, int] = field(default_factory=dict)
    acknowledged: int = 0
    """Moves of people; each must be in the events once, in the order of acknowledgement."""
    duplicates: int = 0
    """Moves that were sent again and had been stored."""
    lost: int = 0
    doubled: int = 0
    misplaced: int = 0
    """Acknowledged moves that are in the events in another order, and gaps in their numbers."""
    games: int = 0
    bot_moves: int = 0
    gaps: list[Gap] = field(default_factory=list)
    exceptions: list[str] = field(default_factory=list)
    """What servers have logged that had exceptions, of those that were not killed at the end."""


@dataclass
class Game:
    """A table as seen by its players; a bot may play seat 1."""

    id: str
    secrets: list[str]
    position: th.Position
    bot: bool
    moves: list[str] = field(default_factory=list)
    acknowledged: list[tuple[int, str]] = field(default_factory=list)
    """Plies and moves of people, in the order of acknowledgement."""


class Cluster:
    """Servers and workers on a PostgreSQL of their own."""

    def __init__(self, servers: int, workers: int, seed: int) -> None:
        programs = postgres_folder()
        assert programs is not None, "PostgreSQL is not installed"
        self._rng = random.Random(seed)
        self.postgres = Postgres(programs)
        self.database = new_database(self.postgres)
        self.servers = [ServerProcess(self.database) for _ in range(servers)]
        self.workers = [WorkerProcess(self.database) for _ in range(workers)]
        self.down: set[int] = set()
        """Servers that are being restarted."""
        self.cores = CoreWaits(self)
        self.interrupted = time.monotonic()
        """When PostgreSQL was last away."""

    @property
    def ports(self) -> list[int]:
        """The ports of the servers that run."""
        return [one.port for index, one in enumerate(self.servers) if index not in self.down]

    @property
    def pids(self) -> list[int]:
        """The main processes of the servers and of PostgreSQL."""
        return [self.postgres.pid, *(server.process.pid for server in self.servers)]

    def kill_one(self, tally: Tally, *, database: bool) -> None:
        """Kill a server, a worker or PostgreSQL, and start it again."""
        kinds = ["server"] * len(self.servers) + ["worker"] * len(self.workers)
        kind = self._rng.choice(kinds + ["postgres"] * database)
        tally.kills[kind] = tally.kills.get(kind, 0) + 1
        if kind == "postgres":
            self.postgres.kill(signal.SIGKILL)
            self.postgres.start()
            self.interrupted = time.monotonic()
        elif kind == "worker":
            index = self._rng.randrange(len(self.workers))
            self.workers[index].stop(signal.SIGKILL)
            self.workers[index] = WorkerProcess(self.database)
        else:
            index = self._rng.randrange(len(self.servers))
            self.down.add(index)
            port = self.servers[index].port
            self.servers[index].kill()
            self.servers[index] = ServerProcess(self.database, port=port)
            self.down.discard(index)

    def close(self) -> list[str]:
        """Stop everything; return what the servers logged."""
        for worker in self.workers:
            worker.stop()
        logged = [server.stop() for server in self.servers]
        self.postgres.remove()
        return logged


class CoreWaits:
    """How long the processes of a cluster were ready to run without a core to run on."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._samples: list[tuple[float, dict[int, float]]] = []

    async def sample(self) -> None:
        """Read the waits again and again, as Linux counts them, until cancelled."""
        while True:
            waits = {pid: wait for pid in self._cluster.pids if (wait := _core_wait(pid))}
            self._samples.append((time.monotonic(), waits))
            await asyncio.sleep(SAMPLE_SECONDS)

    def longest(self, since: float) -> float:
        """Return the longest wait of a process since a moment."""
        before = next((waits for at, waits in reversed(self._samples) if at <= since), {})
        now = [(pid, wait) for pid in self._cluster.pids if (wait := _core_wait(pid))]
        return max((wait - before.get(pid, 0.0) for pid, wait in now), default=0.0)


def _core_wait(pid: int) -> float:
    """Return how many seconds a process has waited for a core; 0 where that is not counted."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


class Player:
    """The sockets of a game's players, at any servers."""

    def __init__(self, cluster: Cluster, game: Game, tally: Tally, rng: random.Random) -> None:
        self._cluster, self._game, self._tally, self._rng = cluster, game, tally, rng
        self._sockets: dict[int, ClientConnection] = {}
        self._request = 0

    async def play(self, until: Callable[[], bool]) -> None:
        """Play the game to its end, or until told."""
        game, last = self._game, time.monotonic()
        failures: list[str] = []
        while not game.position.over and not until():
            bot = game.bot and game.position.player == 1
            try:
                if bot:
                    await self._see_bot()
                else:
                    await self._send_move()
            except (OSError, WebSocketException, TimeoutError, InvalidHandshake) as error:
                failures.append(f"{'bot' if bot else 'move'}: {str(error) or type(error).__name__}")
                await self._leave()
                await asyncio.sleep(PAUSE)
                continue
            now = time.monotonic()
            since = max(last, self._cluster.interrupted)
            starved = self._cluster.cores.longest(since) if now - since > 1.0 else 0.0
            reason = ", ".join(failures) or ("the bot" if bot else "the answer")
            self._tally.gaps.append(Gap(now - since, reason, starved))
            last, failures = now, []
            await asyncio.sleep(PAUSE)
        await self._leave()

    async def _send_move(self) -> None:
        game = self._game
        seat, ply = game.position.player, len(game.moves)
        move = game.position.legal[ply % len(game.position.legal)]
        socket = await self._socket(seat)
        self._request += 1
        message = {"type": "play", "id": self._request, "seat": seat, "ply": ply, "move": move}
        await socket.send(json.dumps(message))
        reply = await self._receive(
            socket, lambda one: one["type"] in ("ack", "error") and one["id"] == self._request
        )
        if reply["type"] == "error":
            assert reply["code"] in ("busy", "internal"), reply
            raise TimeoutError(reply["message"])
        self._tally.acknowledged += 1
        self._tally.duplicates += bool(reply.get("duplicate"))
        game.acknowledged.append((ply, move))
        self._moved(move)

    async def _see_bot(self) -> None:
        """Wait for the bot's move; who has missed it reads it when joining again."""
        await self._leave()
        socket = await self._socket(0)
        ply = len(self._game.moves)
        for move in self._seen[ply:]:
            self._tally.bot_moves += 1
            self._moved(move)
        if len(self._game.moves) > ply:
            return

        def new_moves(message: dict[str, Any]) -> list[dict[str, Any]]:
            moved = (one for one in message.get("events", ()) if one["type"] == "moved")
            return [one for one in moved if one["ply"] >= ply]

        update = await self._receive(socket, lambda one: bool(new_moves(one)))
        for event in new_moves(update):
            if event["ply"] == len(self._game.moves):
                self._tally.bot_moves += 1
                self._moved(event["move"])

    def _moved(self, move: str) -> None:
        self._game.moves.append(move)
        self._game.position = self._game.position.play(move)

    async def _socket(self, seat: int) -> ClientConnection:
        socket = self._sockets.get(seat)
        if socket is None:
            port = self._rng.choice(self._cluster.ports or [0])
            url = f"ws://127.0.0.1:{port}/api/tables/{self._game.id}/socket"
            socket = await connect(url, compression=None, max_size=None, ping_interval=None)
            self._sockets[seat] = socket
            secret = self._game.secrets[seat]
            join = {"type": "join", "protocol": 2, "secrets": [secret], "snapshots": False}
            await socket.send(json.dumps(join))
            table = await self._receive(socket, lambda one: one["type"] == "table")
            self._seen = [move["move"] for move in table["moves"]]
        return socket

    async def _receive(
        self, socket: ClientConnection, wanted: Callable[[dict[str, Any]], bool]
    ) -> dict[str, Any]:
        async with asyncio.timeout(REPLY_SECONDS):
            while True:
                message: dict[str, Any] = json.loads(await socket.recv())
                if wanted(message):
                    return message

    async def _leave(self) -> None:
        sockets, self._sockets = self._sockets, {}
        for socket in sockets.values():
            socket.transport.abort()


def check(cluster: Cluster, games: list[Game], tally: Tally) -> None:
    """Compare the events in the database with what was acknowledged."""
    engine = connect_database(cluster.database)
    with engine.connect() as connection:
        for game in games:
            wanted = sa.select(events.c.seq, events.c.body).where(events.c.table_id == game.id)
            log = connection.execute(wanted.order_by(events.c.seq)).all()
            tally.misplaced += [row.seq for row in log] != list(range(1, len(log) + 1))
            bodies = [json.loads(row.body) for row in log]
            count(
                game, [(one["ply"], one["move"]) for one in bodies if one["type"] == "moved"], tally
            )
    engine.dispose()


def count(game: Game, stored: list[tuple[int, str]], tally: Tally) -> None:
    """Count the moves of a game that are lost, doubled or misplaced in its events."""
    places = {move: at for at, move in enumerate(stored)}
    tally.lost += sum(move not in places for move in game.acknowledged)
    tally.doubled += len(stored) - len({ply for ply, _ in stored})
    order = [places[move] for move in game.acknowledged if move in places]
    tally.misplaced += order != sorted(order)
    tally.misplaced += [ply for ply, _ in stored] != sorted(ply for ply, _ in stored)


async def kill_several(
    *, servers: int, workers: int, kills: int, moves: int, tables: int, seed: int, database: bool
) -> Tally:
    """Play and kill until there were enough kills and moves."""
    tally, rng = Tally(), random.Random(seed)
    cluster = await asyncio.to_thread(Cluster, servers, workers, seed)
    games: list[Game] = []
    names = th.games()
    done, failed = 0, False

    def finished() -> bool:
        return failed or (done >= kills and tally.acknowledged >= moves)

    def new_game(number: int) -> Game:
        name, bot = names[number % len(names)], number % 4 == 3
        seats = [{"kind": "remote"}, {"kind": "bot", "level": 1} if bot else {"kind": "remote"}]
        while True:
            try:
                index = rng.choice([one for one in range(servers) if one not in cluster.down])
                created = cluster.servers[index].create_table(game=name, seed=1, seats=seats)
                return Game(created[0], created[1], th.load(name).start(1), bot)
            except (OSError, AssertionError):
                time.sleep(0.1)

    async def keep_playing(number: int) -> None:
        while not finished():
            number += tables
            game = await asyncio.to_thread(new_game, number)
            games.append(game)
            await Player(cluster, game, tally, rng).play(finished)

    async def keep_killing() -> None:
        nonlocal done
        while not finished():
            await asyncio.sleep(rng.random())
            await asyncio.to_thread(cluster.kill_one, tally, database=database)
            done += 1

    sampling = asyncio.create_task(cluster.cores.sample())
    tasks = [asyncio.create_task(keep_playing(one)) for one in range(tables)]
    tasks.append(asyncio.create_task(keep_killing()))
    try:
        await asyncio.gather(*tasks)
        await asyncio.to_thread(check, cluster, games, tally)
        tally.games = len(games)
    finally:
        failed = True  # or all has ended
        await asyncio.wait(tasks)
        sampling.cancel()
        logged = await asyncio.to_thread(cluster.close)
    tally.exceptions = [text for text in logged if "Traceback" in text]
    return tally
