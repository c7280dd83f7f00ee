"""Re-rooting a tree: kernels."""

from typing import Any

REACHED = -1  # a node of the subtree that has no new index yet


def reroot(
    nodes: Any,
    ucb: Any,
    ranges: Any,
    targets: Any,
    root: int,
) -> int:
    """Move the subtree of a node to the front of the arrays; return its number of nodes.

    `ranges` has the begin and the end of each range of allocated nodes, in order. `targets` has a
    zero for each node up to the last of them; it receives each node's new index plus 1.
    """
    # The nodes to visit are a linked stack: the target of each is the node below it.
    targets[root] = -1
    top = root
    while top >= 0:
        index = top
        top = int(targets[index])
        targets[index] = REACHED
        first = int(nodes[index].first_child)
        if first > 0:
            for child in range(first, first + nodes[index].child_count):
                targets[child] = top
                top = child
    targets[root] = 1
    count = 1
    for number in range(0, len(ranges), 2):
        for index in range(ranges[number], ranges[number + 1]):
            if targets[index] == REACHED:
                count += 1
                targets[index] = count
    move_nodes(nodes, ucb, targets, root, root + 1)
    targets[root] = 0
    for number in range(0, len(ranges), 2):
        move_nodes(nodes, ucb, targets, ranges[number], ranges[number + 1])
    return count


def move_nodes(nodes: Any, ucb: Any, targets: Any, begin: int, end: int) -> None:
    """Move the nodes from begin to end to their targets and relink their children.

    No node moves backwards, so none is overwritten before it is moved.
    """
    for index in range(begin, end):
        target = targets[index] - 1
        if target < 0:
            continue
        nodes[target] = nodes[index]
        first = nodes[target].first_child
        if first > 0:
            nodes[target].first_child = targets[first] - 1
        ucb[target] = ucb[index]
