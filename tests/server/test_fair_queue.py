"""Start-time fair queueing: shares by weight, and no flow waits for another's backlog."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teahouse.server.workers.fair_queue import MAX_IDLE_FLOWS, FairQueue

Path = list[tuple[str, float]]


def serve(queue: FairQueue[Path], cost: float = 1.0) -> str:
    """Serve the next item, which is its own path; return the name of the innermost flow."""
    path = queue.pop()
    queue.charge(path, cost)
    return path[-1][0]


def test_flows_share_by_weight() -> None:
    queue: FairQueue[Path] = FairQueue()
    for path in ([("heavy", 4.0)], [("light", 1.0)]):
        for _ in range(100):
            queue.push(path, path)
    assert Counter(serve(queue) for _ in range(50)) == {"heavy": 40, "light": 10}


def test_a_newcomer_goes_before_the_backlog_of_others() -> None:
    queue: FairQueue[Path] = FairQueue()
    for table in range(18):
        path = [("opponent", 1.0), ("attacker", 1.0), (f"attacker's {table}", 1.0)]
        queue.push(path, path)
    assert [serve(queue), serve(queue)] == ["attacker's 0", "attacker's 1"]
    visitor = [("opponent", 1.0), ("visitor", 1.0), ("visitor's", 1.0)]
    queue.push(visitor, visitor)
    assert serve(queue, cost=0.001) == "visitor's"
    queue.push(visitor, visitor)
    assert serve(queue, cost=0.001) == "visitor's", "it has cost little so far"
    assert len(queue) == 16


def test_of_equal_flows_the_heavier_goes_first() -> None:
    queue: FairQueue[Path] = FairQueue()
    for path in ([("hint", 4.0)], [("opponent", 16.0)]):
        queue.push(path, path)
    assert serve(queue) == "opponent"


def test_the_innermost_flows_take_turns() -> None:
    queue: FairQueue[Path] = FairQueue()
    for table in ("first", "first", "second", "second"):
        path = [("address", 1.0), (table, 1.0)]
        queue.push(path, path)
    assert [serve(queue) for _ in range(4)] == ["first", "second", "first", "second"]
    with pytest.raises(IndexError):
        queue.pop()


def test_what_was_used_counts_after_a_pause() -> None:
    """A flow that has just been served does not go first by leaving and coming back."""
    queue: FairQueue[Path] = FairQueue()
    busy, other = [("busy", 1.0)], [("other", 1.0)]
    for path in (busy, other, other):
        queue.push(path, path)
    assert serve(queue) == "busy"
    queue.push(busy, busy)
    assert [serve(queue) for _ in range(3)] == ["other", "busy", "other"]


def test_flows_are_forgotten() -> None:
    queue: FairQueue[Path] = FairQueue()
    waiting = [("waiting", 1.0)]
    queue.push(waiting, waiting)
    for number in range(3 * MAX_IDLE_FLOWS):
        path = [(str(number), 1000.0)]
        queue.push(path, path)
        serve(queue, cost=0.0)
    assert len(queue._root.children) <= MAX_IDLE_FLOWS + 2


Requests = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(0.0, 5.0)))


@given(requests=Requests, pops=st.lists(st.booleans()))
def test_nothing_is_lost_and_flows_keep_their_order(
    requests: list[tuple[int, int, float]], pops: list[bool]
) -> None:
    queue: FairQueue[tuple[int, int, int]] = FairQueue()
    served = []
    for number, (outer, inner, cost) in enumerate(requests):
        path = [(outer, 1.0 + outer), (inner, 1.0)]
        queue.push(path, (outer, inner, number))
        if number < len(pops) and pops[number]:
            served.append(queue.pop())
            queue.charge(path, cost)
    served += [queue.pop() for _ in range(len(queue))]
    assert not queue
    for flow in {item[:2] for item in served}:
        numbers = [number for *path, number in served if tuple(path) == flow]
        assert numbers == sorted(numbers)
    assert len(served) == len(requests)
