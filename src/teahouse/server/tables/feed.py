"""The snapshots of a table: the current one, and those to render and broadcast."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from teahouse.core.position import Position
from teahouse.server.tables.shared_drawings import Drawing, SharedDrawings
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
DRAWN_SECONDS = 1.0
"""How long a snapshot that another process renders is waited for."""
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
    """Renders the positions of one table in order and broadcasts them.

    Of the processes in which clients take differences, the one with the smallest name renders for
    all of them. The others wait for what it tells, and render if that does not come in time, or if
    it may not know of them yet.
    """

    def __init__(
        self,
        table: str,
        renderer: Renderer,
        subscribers: Subscribers,
        tasks: BackgroundTasks,
        shared: SharedDrawings | None = None,
    ) -> None:
        self._table = table
        self._renderer = renderer
        self._subscribers = subscribers
        self._tasks = tasks
        self._shared = shared
        self._current = NOTHING
        """The latest revision that was rendered whole."""
        self._numbers: dict[int, int] = {}
        """By which the renderer knows the latest snapshots, by revision."""
        self._queue: deque[PendingSnapshot] = deque()
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()  # those who wait for one snapshot share it
        self._awaited: dict[int, PendingSnapshot] = {}
        """Snapshots that another process renders, by revision."""
        self._early: dict[int, Drawing] = {}
        """Those that have come before the events that they show."""
        self._timer: asyncio.TimerHandle | None = None

    async def current(self, session: GameSession) -> RawJson:
        """Return the snapshot of a session's position."""
        pending = PendingSnapshot.of(session)
        async with self._lock:
            if self._current[0] != pending.revision:
                await self._render(pending)
            return self._current[1]

    def push(self, session: GameSession) -> None:
        """Render and broadcast the current position, if anybody wants it."""
        if not self._subscribers.want_snapshots:
            return
        pending = PendingSnapshot.of(session)
        early = self._early.pop(pending.revision, None)
        for revision in [one for one in self._early if one < pending.revision]:
            del self._early[revision]
        if self._drawer is None or not self._subscribers.settled:
            self._draw([pending])
            return
        self._awaited[pending.revision] = pending
        if self._timer is None:
            self._wait()
        if early is not None:
            self.show(early)

    def close(self) -> None:
        """Wait for no other process any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._awaited.clear()

    @property
    def _drawer(self) -> str | None:
        """The process that renders for this one, or None."""
        if self._shared is None or not self._subscribers.take_diffs:
            return None
        first = min(self._subscribers.drawers, default=None)
        return None if first is None or self._shared.process < first else first

    def _tell(self, base: int, pending: PendingSnapshot, diff: RawJson | None) -> None:
        """Tell the processes for which this one renders; without a difference they render too."""
        others = self._subscribers.drawers
        if self._shared is None or not others or not self._subscribers.take_diffs:
            return
        if self._drawer is None:
            told = None if diff is None else to_json(diff)
            self._shared.tell(self._table, others, Drawing(base, pending.revision, told))

    def show(self, drawing: Drawing) -> None:
        """Send what another process has rendered to those who have the snapshot before it."""
        pending = self._awaited.get(drawing.revision)
        if pending is None:
            if len(self._early) < MAX_NUMBERS:
                self._early[drawing.revision] = drawing
            return
        passed = [revision for revision in self._awaited if revision <= drawing.revision]
        for revision in passed:
            del self._awaited[revision]
        self._wait()
        if self._drawer is not None:
            self._subscribers.trust(self._drawer)
        if drawing.diff is not None:
            self._current = NOTHING
            self._send(pending, drawing.base, RawJson(drawing.diff))
        if self._subscribers.behind(pending.revision):
            self._draw([pending])

    def _wait(self) -> None:
        """Wait for the next snapshot of another process, if there is one to wait for."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._awaited:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(DRAWN_SECONDS, self._give_up)

    def _give_up(self) -> None:
        """Render what another process has not rendered in time."""
        self._timer = None
        if self._drawer is not None:
            self._subscribers.distrust(self._drawer)
        awaited = list(self._awaited.values())
        self._awaited.clear()
        self._draw(awaited)

    def _draw(self, pending: Sequence[PendingSnapshot]) -> None:
        self._queue.extend(pending)
        self._task = self._task or self._tasks.start(self._run())

    async def _run(self) -> None:
        """Render the queued positions; when the renderer is behind, only the latest."""
        try:
            while self._queue:
                if self._renderer.queued > MAX_BACKLOG:
                    self._queue = deque([self._queue[-1]])
                pending = self._queue.popleft()
                base = self._subscribers.shown
                self._tell(base, pending, await self._send_diff(pending, base))
                await self._send_whole(pending)
        finally:
            self._task = None

    async def _send_diff(self, pending: PendingSnapshot, base: int) -> RawJson | None:
        """Send those who take differences and have the same snapshot what has changed since.

        Return None if there is no difference to that snapshot.
        """
        number = self._numbers.get(base)
        if number is None or base >= pending.revision:
            return None
        rendered = await self._renderer.diff(number, *self._arguments(pending))
        if rendered is None:
            return None
        self._note(pending, rendered)
        self._current = NOTHING  # 30 kB of memory; whoever joins next has it rendered
        self._send(pending, base, rendered.json)
        return rendered.json

    def _send(self, pending: PendingSnapshot, base: int, diff: RawJson) -> None:
        """Send a difference to those who have the snapshot that it is to."""
        message = diff_message(pending.seq, diff)
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
