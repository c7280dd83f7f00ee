"""Fair queueing of work for many clients on few workers.

Hierarchical start-time fair queueing (SFQ; Goyal, Vin and Cheng, 1996). A request belongs to a path
of flows, such as kind of work, address, table. Every flow has a start tag: the virtual time at
which its next request may start. The flow with the smallest tag is served next, and its tag grows
by what the request has cost, divided by the flow's weight. So flows of one parent share the workers
by weight, a flow that asks for little is served at once, and one that asks for much delays only
itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush, heapreplace
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
    items: deque[Item] = field(default_factory=deque)


class FairQueue(Generic[Item]):
    """A queue whose order is fair to the flows of its items."""

    def __init__(self) -> None:
        self._root: _Flow[Item] = _Flow()
        self._arrivals = count()

    def __len__(self) -> int:
        return self._root.size

    def push(self, path: Path, item: Item) -> None:
        """Append an item to the innermost flow of a path."""
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
                heappush(flow.backlogged, self._entry(key, child))
            child.size += 1
            flow = child
        flow.items.append(item)

    def pop(self) -> Item:
        """Remove and return the next item; raise `IndexError` if there is none."""
        path = [self._root]
        while (flow := path[-1]).backlogged:
            start, *_, key = flow.backlogged[0]
            child = flow.children[key]
            if start < child.start:  # it was charged meanwhile
                heapreplace(flow.backlogged, self._entry(key, child))
                continue
            flow.virtual_time = start
            path.append(child)
        item = path[-1].items.popleft()
        for flow in path:
            flow.size -= 1
        for flow, child in pairwise(path):
            if not child.size:
                heappop(flow.backlogged)
        return item

    def charge(self, path: Path, cost: float) -> None:
        """Charge what serving an item has cost to the flows of its path."""
        flow = self._root
        for key, weight in path:
            if key not in flow.children:
                break
            flow = flow.children[key]
            flow.start += cost / weight
        if not self._root.size:
            self._root = _Flow()  # the end of a busy period: reset all tags

    def _entry(self, key: Hashable, child: _Flow[Item]) -> tuple[float, float, int, Hashable]:
        return child.start, -child.weight, next(self._arrivals), key


def _forget_idle(flow: _Flow[Item]) -> None:
    """Forget children without requests once there are too many of them."""
    if len(flow.children) - len(flow.backlogged) > MAX_IDLE_FLOWS:
        flow.children = {key: child for key, child in flow.children.items() if child.size}
