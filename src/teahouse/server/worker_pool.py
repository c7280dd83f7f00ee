"""Processes that work for the house, which may crash without harm.

A question is a line of JSON; an answer is a line of JSON with its size, and then so many bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import sys
from dataclasses import dataclass, field
from typing import Any

log = logging.getLogger("teahouse.workers")

TRIES = 3


class WorkError(RuntimeError):
    """A question came to nothing, perhaps several times over."""


@dataclass(order=True)
class _Question:
    order: tuple[int, int]
    body: dict[str, Any] = field(compare=False)
    answer: asyncio.Future[bytes] = field(compare=False)
    seconds: float = field(compare=False)


class Workers:
    """Some processes, and the questions that wait for them."""

    def __init__(self, count: int, nice: int) -> None:
        self._queue: asyncio.PriorityQueue[_Question] = asyncio.PriorityQueue()
        self._numbers = itertools.count(1)
        self._workers = [
            asyncio.create_task(_Worker(self._queue, nice).run()) for _ in range(count)
        ]

    @property
    def waiting(self) -> int:
        """How many questions wait."""
        return self._queue.qsize()

    async def ask(self, body: dict[str, Any], *, seconds: float, later: bool = False) -> bytes:
        """The answer to a question; a process that takes longer than so many seconds hangs.

        Questions for `later` wait for all others. Whoever no longer waits cuts the work short.
        """
        number = next(self._numbers)
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        question = _Question((int(later), number), {**body, "id": number}, answer, seconds)
        self._queue.put_nowait(question)
        return await answer

    async def close(self) -> None:
        """Stop working."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)


class _Worker:
    """One process, started when there is work for it and again when it has crashed."""

    def __init__(self, queue: asyncio.PriorityQueue[_Question], nice: int) -> None:
        self._queue = queue
        self._nice = nice
        self._process: asyncio.subprocess.Process | None = None

    async def run(self) -> None:
        """Answer question after question."""
        try:
            while True:
                question = await self._queue.get()
                if not question.answer.done():
                    await self._answer(question)
        finally:
            await self._end()

    async def _answer(self, question: _Question) -> None:
        for _ in range(TRIES):
            try:
                async with asyncio.timeout(question.seconds):
                    error, body = await self._exchange(question)
            except (OSError, EOFError, ValueError, TimeoutError) as failure:
                name = type(failure).__name__
                log.warning("a working process has failed (%s) and is started again", name)
                await self._end()
                continue
            if error is not None:
                _fail(question, error)
            elif not question.answer.done():
                question.answer.set_result(body)
            return
        _fail(question, f"a working process failed {TRIES} times")

    async def _exchange(self, question: _Question) -> tuple[str | None, bytes]:
        """Send a question and wait for its answer; it is cut short when nobody wants it."""
        process = await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        _send(process, question.body)

        def stop(_: object) -> None:
            _send(process, {"kind": "cancel", "id": question.body["id"]})

        question.answer.add_done_callback(stop)
        try:
            while True:
                line = await process.stdout.readline()
                if not line:
                    raise EOFError
                head = json.loads(line)
                body = await process.stdout.readexactly(head["size"])
                if head["id"] == question.body["id"]:
                    return head["error"], body
        finally:
            question.answer.remove_done_callback(stop)

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "teahouse.server.worker",
                str(self._nice),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
        return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _send(process: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError, RuntimeError):  # a dead process is noticed when reading
        process.stdin.write(json.dumps(message).encode() + b"\n")


def _fail(question: _Question, why: str) -> None:
    if not question.answer.done():
        question.answer.set_exception(WorkError(why))
