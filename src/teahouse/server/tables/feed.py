"""The snapshots of a table: the current one, and those to render and broadcast."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from teahouse.core.position import Position
from teahouse.server.tables.subscribers import Subscribers
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.wire import RawJson, to_json
from teahouse.server.workers.pool import Flow
from teahouse.server.workers.renderer import Rendered, Renderer
from teahouse.session.state import GameSession, LastMove

MAX_BACKLOG = 20
"""Snapshots queued in the renderer before outdated ones are skipped."""
MAX_NUMBERS = 4
"""Latest snapshots to which differences can be requested."""
NOTHING = (-1, RawJson(b"null"))
"""No snapshot, of no revision."""


@dataclass(frozen=True)
class PendingSnapshot:
    """A position to render."""

    seq: int
    revision: int
    position: Position
    ply: int
    last: LastMove | None

    @classmethod
    def of(cls, session: GameSession) -> PendingSnapshot:
        """Return the current position of a session."""
        return cls(session.seq, session.revision, session.position, session.ply, session.last)


class SnapshotFeed:
    """Renders the positions of one table in order and broadcasts them."""

    def __init__(
        self, table: str, renderer: Renderer, subscribers: Subscribers, tasks: BackgroundTasks
    ) -> None:
        self._table = table
        self._renderer = renderer
        self._subscribers = subscribers
        self._tasks = tasks
        self._current = NOTHING
        """The latest revision that was rendered whole."""
        self._numbers: dict[int, int] = {}
        """By which the renderer knows the latest snapshots, by revision."""
        self._queue: deque[PendingSnapshot] = deque()
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()  # those who wait for one snapshot share it

    async def current(self, session: GameSession) -> RawJson:
        """Return the snapshot of a session's position."""
        pending = PendingSnapshot.of(session)
        async with self._lock:
            if self._current[0] != pending.revision:
                await self._render(pending)
            return self._current[1]

    def push(self, session: GameSession) -> None:
        """Render and broadcast the current position, if anybody wants it."""
        if self._subscribers.want_snapshots:
            self._queue.append(PendingSnapshot.of(session))
            self._task = self._task or self._tasks.start(self._run())

    async def _run(self) -> None:
        """Render the queued positions; when the renderer is behind, only the latest."""
        try:
            while self._queue:
                if self._renderer.queued > MAX_BACKLOG:
                    self._queue = deque([self._queue[-1]])
                pending = self._queue.popleft()
                await self._send_diff(pending)
                await self._send_whole(pending)
        finally:
            self._task = None

    async def _send_diff(self, pending: PendingSnapshot) -> None:
        """Send those who take differences and have the same snapshot what has changed since."""
        base = self._subscribers.shown
        number = self._numbers.get(base)
        if number is None or base >= pending.revision:
            return
        rendered = await self._renderer.diff(number, *self._arguments(pending))
        if rendered is None:
            return
        self._note(pending, rendered)
        self._current = NOTHING  # 30 kB of memory; whoever joins next has it rendered
        message = diff_message(pending.seq, rendered.json)
        for subscriber in self._subscribers.behind(pending.revision):
            if subscriber.diffs and subscriber.shown == base:
                subscriber.send(message)
                subscriber.shown = pending.revision

    async def _send_whole(self, pending: PendingSnapshot) -> None:
        """Send the snapshot to everybody else."""
        if not self._subscribers.behind(pending.revision):
            return
        message = snapshot_message(pending.seq, await self._render(pending))
        for subscriber in self._subscribers.behind(pending.revision):
            subscriber.send(message)
            subscriber.shown = pending.revision

    async def _render(self, pending: PendingSnapshot) -> RawJson:
        """Render a whole snapshot."""
        rendered = await self._renderer.rendered(*self._arguments(pending))
        self._note(pending, rendered)
        self._current = (pending.revision, rendered.json)
        return rendered.json

    def _arguments(self, pending: PendingSnapshot) -> tuple[Position, int, LastMove | None, Flow]:
        flow = Flow(self._subscribers.address, self._table)
        return pending.position, pending.ply, pending.last, flow

    def _note(self, pending: PendingSnapshot, rendered: Rendered) -> None:
        """Note what the next differences can be to."""
        self._numbers[pending.revision] = rendered.number
        if len(self._numbers) > MAX_NUMBERS:
            del self._numbers[min(self._numbers)]


def snapshot_message(seq: int, snapshot: RawJson) -> str:
    """Return the message with a rendered snapshot."""
    return to_json({"type": "snapshot", "seq": seq, "snapshot": snapshot})


def diff_message(seq: int, diff: RawJson) -> str:
    """Return the message with the difference of a snapshot to the one before."""
    return to_json({"type": "snapshot_diff", "seq": seq, "diff": diff})
