"""Well-behaved clients of a server, whose latencies `abuse.py` reports."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attacks.target import Target
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

import teahouse as th

GAME = "orochi"
SIDE = 4
MOVE_SECONDS = 0.1
PAGE_SECONDS = 0.5
TIMEOUT = 60.0
BOT_LEVEL = 1


class Innocents:
    """Two people at a table, one at a table with a bot, and one who loads a page."""

    def __init__(self, port: int, address: str) -> None:
        self._target = Target(port, address)
        self._tasks: list[asyncio.Task[None]] = []
        self.told: list[float] = []
        self.bot: list[float] = []
        self.page: list[float] = []
        self.errors: Counter[str] = Counter()

    async def start(self) -> None:
        """Start all visitors, once the bot has played its first game (it may have to compile)."""
        await self._play_bot()
        for visit in (self._play_people, self._play_bot, self._load_page):
            self._tasks.append(asyncio.create_task(self._repeat(visit)))

    async def stop(self) -> None:
        """Stop all visitors."""
        running = set(self._tasks)
        while running:  # `wait_for` may swallow a cancellation that comes with its result
            for task in running:
                task.cancel()
            _, running = await asyncio.wait(running, timeout=1)

    async def event_loop(self) -> dict[str, float]:
        """Return the server's count of stalls of its event loop."""
        _, body = await self._target.request("GET", "/api/health")
        found: dict[str, float] = json.loads(body)["event_loop"]
        return found

    def clear(self) -> None:
        """Discard all measurements."""
        for times in (self.told, self.bot, self.page):
            times.clear()
        self.errors.clear()

    async def _repeat(self, visit: Any) -> None:
        while True:
            try:
                await visit()
            except (OSError, EOFError, TimeoutError, WebSocketException) as error:
                self.errors[type(error).__name__] += 1
                await asyncio.sleep(0.1)

    async def _join(self, table: str, *secrets: str) -> ClientConnection:
        url = f"ws://127.0.0.1:{self._target.port}/api/tables/{table}/socket"
        socket = await connect(
            url,
            compression=None,
            max_size=None,
            ping_interval=None,
            open_timeout=TIMEOUT,
            local_addr=(self._target.address, 0),
        )
        join = {"type": "join", "secrets": list(secrets), "snapshots": False}
        await socket.send(json.dumps(join))
        await _receive(socket, '"type":"table"')
        return socket

    async def _create(self, *seats: dict[str, Any]) -> tuple[str, list[str]]:
        created = await self._target.create_table(seats, GAME, side=SIDE)
        if created is None:
            self.errors["no table"] += 1
            raise ConnectionRefusedError
        return created

    async def _play_people(self) -> None:
        """Play a game between two people; measure when each receives the other's moves."""
        table, secrets = await self._create({"kind": "remote"}, {"kind": "remote"})
        sockets = [await self._join(table, secret) for secret in secrets]
        position = th.load(GAME, side=SIDE).start(0)
        try:
            for ply in itertools.count():
                if position.over:
                    return
                mover, other = sockets[position.player], sockets[1 - position.player]
                move = position.legal[ply * 7 % len(position.legal)]
                message = {"type": "play", "id": ply, "seat": position.player, "ply": ply}
                with _timed(self.told):
                    await mover.send(json.dumps({**message, "move": move}))
                    await _moved(other, ply)
                position = position.play(move)
                await asyncio.sleep(MOVE_SECONDS)
        finally:
            for socket in sockets:
                await socket.close()

    async def _play_bot(self) -> None:
        """Play a game against a bot; measure when its turn is over."""
        table, secrets = await self._create({"kind": "local"}, {"kind": "bot", "level": BOT_LEVEL})
        socket = await self._join(table, *secrets)
        position = th.load(GAME, side=SIDE).start(0)
        try:
            for number in itertools.count():
                while not position.over and position.player == 0:
                    move = position.legal[number * 5 % len(position.legal)]
                    ply = position.ply
                    message = {"type": "play", "id": ply, "seat": 0, "ply": ply, "move": move}
                    await socket.send(json.dumps(message))
                    position = position.play(move)
                    await _moved(socket, ply)
                if position.over:
                    return
                with _timed(self.bot):
                    while not position.over and position.player == 1:
                        position = position.play(await _moved(socket, position.ply))
                await asyncio.sleep(MOVE_SECONDS)
        finally:
            await socket.close()

    async def _load_page(self) -> None:
        with _timed(self.page):
            status, _ = await self._target.request("GET", "/")
        if status != 200:
            self.errors[f"page {status}"] += 1
        await asyncio.sleep(PAGE_SECONDS)


@contextmanager
def _timed(times: list[float]) -> Iterator[None]:
    """Measure the time of a block, also if it fails or is cancelled."""
    began = time.perf_counter()
    try:
        yield
    finally:
        times.append(time.perf_counter() - began)


async def _receive(socket: ClientConnection, part: str) -> str:
    """Return the next message that contains a text."""
    while True:
        text = str(await asyncio.wait_for(socket.recv(), TIMEOUT))
        if part in text:
            return text


async def _moved(socket: ClientConnection, ply: int) -> str:
    """Return the move played at a ply."""
    while True:
        message = json.loads(await _receive(socket, '"type":"moved"'))
        for event in message["events"]:
            if event["type"] == "moved" and event["ply"] == ply:
                return str(event["move"])
