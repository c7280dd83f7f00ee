"""Finding a position in a tree: kernels."""

from typing import Any

from teahouse.core.jit import rules
from teahouse.search.mcts.layout import ROOT


def locate(
    boards: Any, states: Any, raw: Any, nodes: Any, path: Any, depth: int, max_tried: int
) -> int:
    """Return the node at a depth where a position is reached; -1 if it is not found.

    states[0] is the root's position and states[depth + 1] the target; `raw` has the same records as
    bytes. Try the most visited moves first, and at most `max_tried` in all.
    """
    path[0] = ROOT
    level = 0
    tried = 0
    after = 0  # the child tried last at this level
    while level >= 0:
        if level == depth and same_bytes(raw[level], raw[depth + 1]):
            return int(path[level])
        child = 0
        if level < depth:
            child = next_child(nodes, path[level], after)
        if child == 0:
            after = int(path[level])
            level -= 1
        elif tried == max_tried:
            return -1
        else:
            states[level + 1] = states[level]
            rules.play(boards[0], states[level + 1], nodes[child].move)
            path[level + 1] = child
            tried += 1
            level += 1
            after = 0
    return -1


def next_child(nodes: Any, parent: int, after: int) -> int:
    """Return the visited child that follows another by visits, most first; 0 if none does."""
    first = int(nodes[parent].first_child)
    chosen = 0
    for child in range(first, first + nodes[parent].child_count):
        if nodes[child].visits == 0 or (after > 0 and not precedes(nodes, after, child)):
            continue
        if chosen == 0 or precedes(nodes, child, chosen):
            chosen = child
    return chosen


def precedes(nodes: Any, child: int, other: int) -> bool:
    """Return whether a child has more visits than another; ties go to the lower index."""
    visits = nodes[child].visits
    others = nodes[other].visits
    return bool(visits > others or (visits == others and child < other))


def same_bytes(row: Any, other: Any) -> bool:
    """Return whether two records have the same bytes."""
    index = 0
    while index < len(row) and row[index] == other[index]:
        index += 1
    return bool(index == len(row))
