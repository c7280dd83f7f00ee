"""Start-time fair queueing: shares by weight, and no flow waits for another's backlog."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teahouse.server.fair_queue import MAX_IDLE_FLOWS, FairQueue


def test_flows_share_by_weight() -> None:
    queue: FairQueue[str] = FairQueue()
    for name, weight in (("heavy", 4.0), ("light", 1.0)):
        for _ in range(100):
            queue.push([(name, weight)], 1.0, name)
    served = Counter(queue.pop() for _ in range(50))
    assert served == {"heavy": 40, "light": 10}


def test_a_newcomer_goes_before_the_backlog_of_others() -> None:
    queue: FairQueue[str] = FairQueue()
    for table in range(18):
        queue.push([("opponent", 1.0), ("attacker", 1.0), (table, 1.0)], 1.0, "attacker")
    assert [queue.pop(), queue.pop()] == ["attacker"] * 2
    queue.push([("opponent", 1.0), ("visitor", 1.0), ("table", 1.0)], 0.001, "visitor")
    assert queue.pop() == "visitor"
    assert len(queue) == 16


def test_of_equal_flows_the_heavier_goes_first() -> None:
    queue: FairQueue[str] = FairQueue()
    for name, weight in (("hint", 4.0), ("opponent", 16.0)):
        queue.push([(name, weight)], 1.0, name)
    assert queue.pop() == "opponent"


def test_the_innermost_flows_take_turns() -> None:
    queue: FairQueue[str] = FairQueue()
    for table in ("first", "first", "second", "second"):
        queue.push([("address", 1.0), (table, 1.0)], 1.0, table)
    assert [queue.pop() for _ in range(4)] == ["first", "second", "first", "second"]
    with pytest.raises(IndexError):
        queue.pop()


def test_what_was_used_counts_after_a_pause() -> None:
    """A flow that has just been served does not go first by leaving and coming back."""
    queue: FairQueue[str] = FairQueue()
    for name in ("busy", "other", "other"):
        queue.push([(name, 1.0)], 1.0, name)
    assert queue.pop() == "busy"
    queue.push([("busy", 1.0)], 1.0, "busy")
    assert [queue.pop() for _ in range(3)] == ["other", "busy", "other"]


def test_flows_are_forgotten() -> None:
    queue: FairQueue[int] = FairQueue()
    queue.push([("waiting", 1.0)], 1.0, -1)
    for number in range(3 * MAX_IDLE_FLOWS):
        queue.push([(number, 1000.0)], 0.0, number)
        queue.pop()
    assert len(queue._root.children) <= MAX_IDLE_FLOWS + 2


Requests = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(0.0, 5.0)))


@given(requests=Requests, pops=st.lists(st.booleans()))
def test_nothing_is_lost_and_flows_keep_their_order(
    requests: list[tuple[int, int, float]], pops: list[bool]
) -> None:
    queue: FairQueue[tuple[int, int, int]] = FairQueue()
    served = []
    for number, (outer, inner, cost) in enumerate(requests):
        queue.push([(outer, 1.0 + outer), (inner, 1.0)], cost, (outer, inner, number))
        if number < len(pops) and pops[number]:
            served.append(queue.pop())
    served += [queue.pop() for _ in range(len(queue))]
    assert not queue
    for flow in {item[:2] for item in served}:
        numbers = [number for *path, number in served if tuple(path) == flow]
        assert numbers == sorted(numbers)
    assert len(served) == len(requests)
