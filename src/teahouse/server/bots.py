"""Bots: thoughts handed to processes of their own, which may crash without harm."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from teahouse.core.position import Position
from teahouse.server.refusal import Refused
from teahouse.server.table import option_texts

log = logging.getLogger("teahouse.bots")

TRIES = 3
CHOOSE_SECONDS = 300.0  # longer than any level thinks: the process hangs
DRAW_SECONDS = 1.0
WORSE = 0.9  # of what all expect at the beginning
FIRST, LATER = 0, 1  # a bot's turn comes before a hint


class BotTroubleError(RuntimeError):
    """A thought came to nothing, several times over."""


@dataclass(order=True)
class _Thought:
    order: tuple[int, int]
    body: dict[str, Any] = field(compare=False)
    answer: asyncio.Future[dict[str, Any]] = field(compare=False)
    seconds: float = field(compare=False)


class Bots:
    """Worker processes, and the thoughts that wait for them."""

    def __init__(self, workers: int, most_waiting: int, hint_seconds: float) -> None:
        self._queue: asyncio.PriorityQueue[_Thought] = asyncio.PriorityQueue()
        self._numbers = itertools.count(1)
        self._most_waiting = most_waiting
        self._hint_seconds = hint_seconds
        self._hints = 0
        self._workers = [asyncio.create_task(_Worker(self._queue).run()) for _ in range(workers)]

    async def close(self) -> None:
        """Stop thinking."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)

    async def choose(self, position: Position, level: int) -> str:
        """The move that a bot of this level plays."""
        answer = await self._ask(FIRST, position, CHOOSE_SECONDS, kind="choose", level=level)
        return str(answer["move"])

    async def hint(self, position: Position) -> dict[str, Any]:
        """What a bot thinks of a position."""
        if self._hints >= self._most_waiting:
            raise Refused("busy", "the bots have too much to think about; try again in a moment")
        self._hints += 1
        try:
            seconds = self._hint_seconds
            return await self._ask(LATER, position, seconds + 60, kind="analyse", think=seconds)
        finally:
            self._hints -= 1

    async def accepts_draw(self, position: Position, seat: int) -> bool:
        """Whether the bot on this seat takes a draw: if it thinks that it stands worse."""
        seconds = DRAW_SECONDS
        found = await self._ask(LATER, position, seconds + 60, kind="analyse", think=seconds)
        team = next(team for team in position.game.teams if seat in team)
        fair = 1 / len(position.game.teams)
        value = found["value"] if position.player in team else 1 - found["value"]
        return bool(value < WORSE * fair)

    async def _ask(
        self, order: int, position: Position, seconds: float, **body: Any
    ) -> dict[str, Any]:
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        body |= {
            "id": number,
            "game": position.game.name,
            "options": option_texts(position.game.options),
            "position": str(position),
            "seed": secrets.randbelow(1 << 53),
        }
        self._queue.put_nowait(_Thought((order, number), body, answer, seconds))
        return await answer


class _Worker:
    """One process, started when there is something to think about and again when it has crashed."""

    def __init__(self, queue: asyncio.PriorityQueue[_Thought]) -> None:
        self._queue = queue
        self._process: asyncio.subprocess.Process | None = None

    async def run(self) -> None:
        """Take thought after thought."""
        try:
            while True:
                thought = await self._queue.get()
                if not thought.answer.done():
                    await self._think(thought)
        finally:
            self._kill()

    async def _think(self, thought: _Thought) -> None:
        for _ in range(TRIES):
            try:
                async with asyncio.timeout(thought.seconds):
                    answer = await self._exchange(thought)
            except (OSError, EOFError, ValueError, TimeoutError) as error:
                log.warning(
                    "a bot's process has failed (%s) and is started again", type(error).__name__
                )
                self._kill()
                continue
            if not thought.answer.done():
                if "error" in answer:
                    thought.answer.set_exception(BotTroubleError(answer["error"]))
                else:
                    thought.answer.set_result(answer)
            return
        if not thought.answer.done():
            thought.answer.set_exception(BotTroubleError(f"a bot's process failed {TRIES} times"))

    async def _exchange(self, thought: _Thought) -> dict[str, Any]:
        """Send a thought and wait for its answer; it is cut short when nobody wants it any more."""
        process = await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        self._send(process, thought.body)
        stop: Callable[[Any], None] = lambda _: self._send(process, {"kind": "cancel"})  # noqa: E731
        thought.answer.add_done_callback(stop)
        try:
            while True:
                line = await process.stdout.readline()
                if not line:
                    raise EOFError
                answer: dict[str, Any] = json.loads(line)
                if answer["id"] == thought.body["id"]:
                    return answer
        finally:
            thought.answer.remove_done_callback(stop)

    def _send(self, process: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError, RuntimeError):
            process.stdin.write(json.dumps(message).encode() + b"\n")

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            pipe = asyncio.subprocess.PIPE
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "teahouse.server.worker",
                stdin=pipe,
                stdout=pipe,
                limit=1 << 22,
            )
        return self._process

    def _kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            self._process = None
