"""Fair queueing of work for many clients on few workers.

Hierarchical start-time fair queueing (SFQ; Goyal, Vin and Cheng, 1996). A request belongs to a path
of flows, such as kind of work, address, table. Every flow has a start tag: the virtual time at
which its next request may start. The flow with the smallest tag is served next, and its tag grows
by the request's cost, divided by the flow's weight. So flows of one parent share the workers by
weight, a flow that asks for little is served at once, and one that asks for much delays only
itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count, pairwise
from typing import Generic, TypeVar

Item = TypeVar("Item")
Path = Sequence[tuple[Hashable, float]]
"""The flows of a request from the outermost to the innermost, each with its weight."""

MAX_IDLE_FLOWS = 1_000
"""Flows without requests that are remembered for what they have used, in one parent."""


@dataclass
class _Flow(Generic[Item]):
    start: float = 0.0
    weight: float = 1.0
    size: int = 0
    """Requests of this flow and all flows below it."""
    virtual_time: float = 0.0
    """The start tag of the child served last."""
    children: dict[Hashable, _Flow[Item]] = field(default_factory=dict)
    backlogged: list[tuple[float, float, int, Hashable]] = field(default_factory=list)
    """Heap of the children with requests: by start tag, the heavier ones first, by arrival."""
    items: deque[tuple[float, Item]] = field(default_factory=deque)


class FairQueue(Generic[Item]):
    """A queue whose order is fair to the flows of its items."""

    def __init__(self) -> None:
        self._root: _Flow[Item] = _Flow()
        self._arrivals = count()

    def __len__(self) -> int:
        return self._root.size

    def push(self, path: Path, cost: float, item: Item) -> None:
        """Append an item to the innermost flow of a path; `cost` is what serving it takes."""
        flow = self._root
        flow.size += 1
        for key, weight in path:
            child = flow.children.get(key)
            if child is None:
                _forget_idle(flow)
                child = flow.children[key] = _Flow(flow.virtual_time)
            child.weight = weight
            if child.size == 0:
                child.start = max(child.start, flow.virtual_time)
                self._add_backlogged(flow, key, child)
            child.size += 1
            flow = child
        flow.items.append((cost, item))

    def pop(self) -> Item:
        """Remove and return the next item; raise `IndexError` if there is none."""
        path = [self._root]
        while path[-1].backlogged:
            flow = path[-1]
            flow.virtual_time, _, _, key = flow.backlogged[0]
            path.append(flow.children[key])
        cost, item = path[-1].items.popleft()
        for flow in path:
            flow.size -= 1
        for flow, child in pairwise(path):
            *_, key = heappop(flow.backlogged)
            child.start += cost / child.weight
            if child.size:
                self._add_backlogged(flow, key, child)
        if not self._root.size:
            self._root = _Flow()  # the end of a busy period: all start anew
        return item

    def _add_backlogged(self, flow: _Flow[Item], key: Hashable, child: _Flow[Item]) -> None:
        heappush(flow.backlogged, (child.start, -child.weight, next(self._arrivals), key))


def _forget_idle(flow: _Flow[Item]) -> None:
    """Forget children without requests once there are too many of them."""
    if len(flow.children) - len(flow.backlogged) > MAX_IDLE_FLOWS:
        flow.children = {key: child for key, child in flow.children.items() if child.size}
