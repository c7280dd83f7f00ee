"""Finding a position in a tree: kernels."""

from typing import Any

from teahouse.core.jit import rules
from teahouse.search.mcts.layout import COUNT, FIRST, MOVE, ROOT, VISITS, WIDTH


def find_way(
    boards: Any, states: Any, raw: Any, rows: Any, nodes: Any, decisions: int, max_tried: int
) -> int:
    """The node so many decisions below the root where a position is reached; -1 if none is found.

    The root's position is states[0], the one looked for states[decisions + 1]; `raw` has the same
    records as bytes. Moves that were visited most are tried first, and no more than so many in all.
    """
    nodes[0] = ROOT
    depth = 0
    tried = 0
    after = 0  # the move tried last at this depth
    while depth >= 0:
        if depth == decisions and same(raw[depth], raw[decisions + 1]):
            return int(nodes[depth])
        child = 0
        if depth < decisions:
            child = next_visited(rows, nodes[depth], after)
        if child == 0:
            after = int(nodes[depth])
            depth -= 1
        elif tried == max_tried:
            return -1
        else:
            states[depth + 1] = states[depth]
            rules.play(boards[0], states[depth + 1], rows[child * WIDTH + MOVE])
            nodes[depth + 1] = child
            tried += 1
            depth += 1
            after = 0
    return -1


def next_visited(rows: Any, node: int, after: int) -> int:
    """The child that comes after another in the order of visits, most first; 0 if none does."""
    first = int(rows[node * WIDTH + FIRST])
    chosen = 0
    for child in range(first, first + rows[node * WIDTH + COUNT]):
        visits = rows[child * WIDTH + VISITS]
        if visits == 0 or (after > 0 and not comes_before(rows, after, child)):
            continue
        if chosen == 0 or comes_before(rows, child, chosen):
            chosen = child
    return chosen


def comes_before(rows: Any, node: int, other: int) -> bool:
    """Whether a node was visited more often than another, or as often and lies before it."""
    visits = rows[node * WIDTH + VISITS]
    others = rows[other * WIDTH + VISITS]
    return bool(visits > others or (visits == others and node < other))


def same(row: Any, other: Any) -> bool:
    """Whether two records have the same bytes."""
    place = 0
    while place < len(row) and row[place] == other[place]:
        place += 1
    return bool(place == len(row))
