"""The snapshots of a table: the current one, and those to render and broadcast."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from teahouse.core.position import Position
from teahouse.server.tables.shared_snapshots import SharedDiff, SharedSnapshots
from teahouse.server.tables.subscribers import Subscribers
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.wire import RawJson, to_json
from teahouse.server.workers.pool import Flow
from teahouse.server.workers.renderer import Rendered, Renderer
from teahouse.session.state import GameSession, LastMove

MAX_BACKLOG = 20
"""Snapshots queued in the renderer before outdated ones are skipped."""
MAX_NUMBERS = 4
"""Latest snapshots that diffs can be based on."""
LEADER_TIMEOUT = 1.0
"""How long to wait for a snapshot that another process renders."""
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

    Of the processes whose clients take diffs, the one with the smallest name is the leader: it
    renders for all of them. The others wait for its diffs, and render themselves if one does not
    arrive in time, or if the leader may not know of them yet.
    """

    def __init__(
        self,
        table: str,
        renderer: Renderer,
        subscribers: Subscribers,
        tasks: BackgroundTasks,
        shared: SharedSnapshots | None = None,
    ) -> None:
        self._table = table
        self._renderer = renderer
        self._subscribers = subscribers
        self._tasks = tasks
        self._shared = shared
        self._current = NOTHING
        """The latest revision that was rendered whole."""
        self._numbers: dict[int, int] = {}
        """The renderer's ids of the latest snapshots, by revision."""
        self._queue: deque[PendingSnapshot] = deque()
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()  # concurrent requests share one rendering
        self._awaited: dict[int, PendingSnapshot] = {}
        """Snapshots that another process renders, by revision."""
        self._early: dict[int, SharedDiff] = {}
        """Diffs that arrived before the events they show."""
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
        if self._render_leader is None or not self._subscribers.settled:
            self._enqueue([pending])
            return
        self._awaited[pending.revision] = pending
        if self._timer is None:
            self._wait()
        if early is not None:
            self.receive(early)

    def close(self) -> None:
        """Stop waiting for other processes."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._awaited.clear()

    @property
    def _render_leader(self) -> str | None:
        """The process that renders for this one; None if this one renders itself."""
        if self._shared is None or not self._subscribers.take_diffs:
            return None
        first = min(self._subscribers.render_peers, default=None)
        return None if first is None or self._shared.process < first else first

    def _publish(self, base: int, pending: PendingSnapshot, diff: RawJson | None) -> None:
        """Publish a diff if this process is the leader; without one the others render too."""
        others = self._subscribers.render_peers
        if self._shared is None or not others or not self._subscribers.take_diffs:
            return
        if self._render_leader is None:
            body = None if diff is None else to_json(diff)
            self._shared.publish(self._table, others, SharedDiff(base, pending.revision, body))

    def receive(self, shared: SharedDiff) -> None:
        """Send a diff of another process to the clients that have its base."""
        pending = self._awaited.get(shared.revision)
        if pending is None:
            if len(self._early) < MAX_NUMBERS:
                self._early[shared.revision] = shared
            return
        passed = [revision for revision in self._awaited if revision <= shared.revision]
        for revision in passed:
            del self._awaited[revision]
        self._wait()
        if self._render_leader is not None:
            self._subscribers.reset_backoff(self._render_leader)
        if shared.diff is not None:
            self._current = NOTHING
            self._send(pending, shared.base, RawJson(shared.diff))
        if self._subscribers.behind(pending.revision):
            self._enqueue([pending])

    def _wait(self) -> None:
        """Restart the timeout for the leader's next diff, if any is awaited."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._awaited:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(LEADER_TIMEOUT, self._give_up)

    def _give_up(self) -> None:
        """Render what the leader has not rendered in time."""
        self._timer = None
        if self._render_leader is not None:
            self._subscribers.back_off(self._render_leader)
        awaited = list(self._awaited.values())
        self._awaited.clear()
        self._enqueue(awaited)

    def _enqueue(self, pending: Sequence[PendingSnapshot]) -> None:
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
                self._publish(base, pending, await self._send_diff(pending, base))
                await self._send_whole(pending)
        finally:
            self._task = None

    async def _send_diff(self, pending: PendingSnapshot, base: int) -> RawJson | None:
        """Send a diff to the clients that have the base; return it.

        Return None if no diff to that base can be rendered.
        """
        number = self._numbers.get(base)
        if number is None or base >= pending.revision:
            return None
        rendered = await self._renderer.diff(number, *self._arguments(pending))
        if rendered is None:
            return None
        self._remember(pending, rendered)
        self._current = NOTHING  # saves 30 kB; the next client to join has it rendered again
        self._send(pending, base, rendered.json)
        return rendered.json

    def _send(self, pending: PendingSnapshot, base: int, diff: RawJson) -> None:
        """Send a diff to the clients that have its base."""
        message = diff_message(pending.seq, diff)
        for subscriber in self._subscribers.behind(pending.revision):
            if subscriber.diffs and subscriber.shown == base:
                subscriber.send(message)
                subscriber.shown = pending.revision

    async def _send_whole(self, pending: PendingSnapshot) -> None:
        """Send the whole snapshot to all other clients."""
        if not self._subscribers.behind(pending.revision):
            return
        message = snapshot_message(pending.seq, await self._render(pending))
        for subscriber in self._subscribers.behind(pending.revision):
            subscriber.send(message)
            subscriber.shown = pending.revision

    async def _render(self, pending: PendingSnapshot) -> RawJson:
        """Render a whole snapshot."""
        rendered = await self._renderer.rendered(*self._arguments(pending))
        self._remember(pending, rendered)
        self._current = (pending.revision, rendered.json)
        return rendered.json

    def _arguments(self, pending: PendingSnapshot) -> tuple[Position, int, LastMove | None, Flow]:
        flow = Flow(self._subscribers.address, self._table)
        return pending.position, pending.ply, pending.last, flow

    def _remember(self, pending: PendingSnapshot, rendered: Rendered) -> None:
        """Remember a snapshot as a base of later diffs."""
        self._numbers[pending.revision] = rendered.number
        if len(self._numbers) > MAX_NUMBERS:
            del self._numbers[min(self._numbers)]


def snapshot_message(seq: int, snapshot: RawJson) -> str:
    """Return the message with a rendered snapshot."""
    return to_json({"type": "snapshot", "seq": seq, "snapshot": snapshot})


def diff_message(seq: int, diff: RawJson) -> str:
    """Return the message with a snapshot diff."""
    return to_json({"type": "snapshot_diff", "seq": seq, "diff": diff})
