"""A pool of worker processes with fair shares; processes that crash or hang are replaced.

Every worker has a queue of its own. The requests of a table go to the same worker, which keeps what
it has computed for that table; a worker without requests takes over those of the busiest one.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from teahouse.server.workers.fair_queue import FairQueue
from teahouse.server.workers.process import FAILURES, Response, WorkerProcess

log = logging.getLogger("teahouse.server.workers.pool")

MAX_ATTEMPTS = 3
MAX_PREEMPTIONS = 2
"""How often a request may be preempted by more urgent ones."""
MAX_HOMES = 10_000
"""Tables whose worker is remembered (affinity)."""


class WorkerError(RuntimeError):
    """A request failed, or crashed its worker repeatedly."""


class Share(Enum):
    """Kinds of work and their weights: their shares of the workers if all are wanted."""

    OPPONENT = 16.0
    """A bot's turn at a table with people; it preempts all other kinds."""
    HINT = 4.0
    ANALYSIS = 2.0
    """A slice of an analysis; preempted by opponents."""
    BOT_ONLY = 1.0
    """A turn at a table that has only bots."""
    REVIEW = 0.5
    """A slice of a review; preempted by opponents."""


PATIENT = (Share.ANALYSIS, Share.REVIEW)
"""Kinds of work that may be preempted any number of times."""


@dataclass(frozen=True)
class Flow:
    """A flow of the fair queue: shares are equal between addresses, then between tables."""

    address: str = ""
    table: str = ""


@dataclass(eq=False)
class _Request:
    body: dict[str, Any]
    response: asyncio.Future[bytes]
    timeout: float
    flow: Flow
    share: Share
    attempts: int
    preemptions: int = 0

    @property
    def path(self) -> list[tuple[Any, float]]:
        return [(self.share, self.share.value), (self.flow.address, 1.0), (self.flow.table, 1.0)]


class WorkerPool:
    """Worker processes that share requests fairly."""

    def __init__(
        self, count: int, *arguments: str, max_waiting: int = 0, batch_size: int = 1
    ) -> None:
        """Create `count` workers; the arguments are those of `teahouse.server.workers.worker`.

        A worker helps another one that has more than `max_waiting` requests in its queue. It is
        sent up to `batch_size` requests at once, which must be quick: one wakes it for all.
        """
        self._max_waiting = max_waiting
        self.batch_size = batch_size
        self._ids = itertools.count(1)
        self._homes: OrderedDict[str, _Worker] = OrderedDict()
        self._workers = [_Worker(self, arguments) for _ in range(count)]
        self._tasks = [asyncio.create_task(worker.run()) for worker in self._workers]

    @property
    def queued(self) -> int:
        """The number of requests in the queues."""
        return sum(len(worker.queue) for worker in self._workers)

    @property
    def size(self) -> int:
        """The number of workers."""
        return len(self._workers)

    @property
    def failing(self) -> int:
        """The number of workers whose last request or start failed."""
        return sum(worker.failing for worker in self._workers)

    @property
    def idle(self) -> bool:
        """Whether no worker has anything to do."""
        return all(worker.load == 0 for worker in self._workers)

    def start(self) -> None:
        """Start the processes now instead of with the first requests."""
        for worker in self._workers:
            worker.start_early()

    async def request(
        self,
        body: dict[str, Any],
        *,
        timeout: float,
        flow: Flow | None = None,
        share: Share = Share.OPPONENT,
        attempts: int = MAX_ATTEMPTS,
    ) -> bytes:
        """Return the response to a request; a worker that exceeds `timeout` seconds is killed.

        A request whose worker fails is repeated with twice the time, up to `attempts` times in all.
        Cancelling this call cancels the work.
        """
        number = next(self._ids)
        response: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        body = {**body, "id": number}
        request = _Request(body, response, timeout, flow or Flow(), share, attempts)
        self._submit(request)
        return await response

    async def close(self) -> None:
        """Stop all workers."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _submit(self, request: _Request) -> None:
        """Queue a request at its table's worker, else at one that has little to do.

        The first ones are preferred: a process that is used often is faster.
        """
        free = (one for one in self._workers if one.load <= self._max_waiting)
        worker = self._homes.get(request.flow.table) or next(free, None)
        if worker is None:
            worker = min(self._workers, key=lambda one: (one.urgent, one.load))
        worker.queue.push(request.path, request)
        crowded = len(worker.queue) > self._max_waiting
        for one in (worker, *self._workers) if crowded else (worker,):
            if one.idle:
                one.wake()
                return
        if request.share is Share.OPPONENT:
            worker.preempt()

    def take(self, worker: _Worker) -> tuple[_Request, FairQueue[_Request]] | None:
        """Return the next request for a worker and its queue; idle ones steal from the busiest."""
        queues = [worker.queue, *(one.queue for one in self._workers)]
        queue = queues[0] if queues[0] else max(queues, key=len)
        if queue is not worker.queue and len(queue) <= self._max_waiting:
            return None
        request = self.next(queue, worker)
        return None if request is None else (request, queue)

    def next(self, queue: FairQueue[_Request], worker: _Worker) -> _Request | None:
        """Return the next request of a queue, for a worker that its table stays with."""
        while queue:
            request = queue.pop()
            if request.response.done():
                continue
            if request.flow.table:
                self._homes[request.flow.table] = worker
                self._homes.move_to_end(request.flow.table)
                if len(self._homes) > MAX_HOMES:
                    self._homes.popitem(last=False)
            return request
        return None


class _Worker:
    """One process with its queue; it is restarted after a crash."""

    def __init__(self, pool: WorkerPool, arguments: Sequence[str]) -> None:
        self.queue: FairQueue[_Request] = FairQueue()
        self.running: _Request | None = None
        self.failing = False
        self._pool = pool
        self._process = WorkerProcess(arguments)
        self._early = False
        self._awake = asyncio.Event()
        self._preempted = False

    @property
    def idle(self) -> bool:
        """Whether it waits for requests."""
        return self.running is None and not self._awake.is_set()

    @property
    def urgent(self) -> bool:
        """Whether its request cannot be preempted."""
        return self.running is not None and self.running.share is Share.OPPONENT

    @property
    def load(self) -> int:
        """The number of requests in the queue and in work."""
        return len(self.queue) + (self.running is not None)

    def wake(self) -> None:
        """Look for requests."""
        self._awake.set()

    def start_early(self) -> None:
        """Start the process before the first request."""
        self._early = True
        self.wake()

    def preempt(self) -> None:
        """Preempt the running request, if allowed; it is queued again."""
        request = self.running
        if (
            request is not None
            and request.share is not Share.OPPONENT
            and (request.preemptions < MAX_PREEMPTIONS or request.share in PATIENT)
            and not self._preempted
        ):
            self._preempted = True
            request.preemptions += 1
            self._process.cancel(request.body["id"])

    async def run(self) -> None:
        """Process requests until cancelled."""
        try:
            while True:
                taken = self._pool.take(self)
                if taken is not None:
                    self.running, queue = taken
                    began = time.monotonic()
                    if self._pool.batch_size > 1 and self.queue:
                        await self._process_batch(self.running)
                    else:
                        await self._process_request(self.running)
                    queue.charge(self.running.path, time.monotonic() - began)
                    self.running = None
                    continue
                if self._early:
                    await self._start_process()
                await self._awake.wait()
                self._awake.clear()
        finally:
            await self._process.kill()

    async def _start_process(self) -> None:
        try:
            await self._process.start()
        except FAILURES as failure:
            self.failing = True
            log.warning("A worker process could not be started: %s", type(failure).__name__)
            await self._process.kill()

    async def _process_batch(self, first: _Request) -> None:
        """Send the next requests together; those that get no answer are sent again one by one."""
        batch = [first]
        while len(batch) < self._pool.batch_size and (more := self._pool.next(self.queue, self)):
            batch.append(more)
        timeout = sum(request.timeout for request in batch)
        try:
            responses = await self._process.exchange([one.body for one in batch], timeout)
        except FAILURES as failure:
            self.failing = True
            log.warning("Worker process failed (%s); restarting it.", type(failure).__name__)
            await self._process.kill()
            for request in batch:
                await self._process_request(request)
            return
        for request, response in zip(batch, responses, strict=True):
            _settle(request, response)
        self.failing = False
        if any(response.recycle for response in responses):
            await self._process.kill()

    async def _process_request(self, request: _Request) -> None:
        def cancel(_: object) -> None:
            self._process.cancel(request.body["id"])

        for attempt in range(request.attempts):
            self._preempted = False
            timeout = request.timeout * 2**attempt  # longer, if the machine is merely slow
            request.response.add_done_callback(cancel)
            try:
                (response,) = await self._process.exchange([request.body], timeout)
            except FAILURES as failure:
                self.failing = True
                log.warning("Worker process failed (%s); restarting it.", type(failure).__name__)
                await self._process.kill()
                if request.response.done():
                    return
                continue
            finally:
                request.response.remove_done_callback(cancel)
            self.failing = False
            if self._preempted and response.cancelled and not request.response.done():
                self.queue.push(request.path, request)
            else:
                _settle(request, response)
            if response.recycle:
                await self._process.kill()
            return
        _fail(request, f"The worker process failed {request.attempts} times.")


def _settle(request: _Request, response: Response) -> None:
    if response.error is not None:
        _fail(request, response.error)
    elif not request.response.done():
        request.response.set_result(response.body)


def _fail(request: _Request, message: str) -> None:
    if not request.response.done():
        request.response.set_exception(WorkerError(message))
