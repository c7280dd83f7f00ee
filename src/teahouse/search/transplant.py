"""Keeping a part of a tree: kernels."""

from typing import Any

from teahouse.search.rows import COUNT, FIRST, ROOT, WIDTH


def transplant(
    rows: Any,
    scores: Any,
    worths: Any,
    doubts: Any,
    spans: Any,
    places: Any,
    root: int,
) -> int:
    """Keep what grows from one node, moved to the front, with that node as the root.

    Gives the number of rows that are kept. `spans` has the beginning and the end of each part of
    the rows that is filled, in order; `places` a zero for each row up to the last of these.
    """
    # Nodes that are still to be looked at are a stack: each has the one below as its place.
    places[root] = -1
    top = root
    while top >= 0:
        node = top
        top = int(places[node])
        places[node] = 1
        first = int(rows[node * WIDTH + FIRST])
        if first > 0:
            for child in range(first, first + rows[node * WIDTH + COUNT]):
                places[child] = top
                top = child
    places[root] = 0
    kept = 1
    for span in range(0, len(spans), 2):
        for node in range(spans[span], spans[span + 1]):
            if places[node] == 1:
                places[node] = kept
                kept += 1
    move_row(rows, scores, worths, doubts, places, root, ROOT)
    for span in range(0, len(spans), 2):
        for node in range(spans[span], spans[span + 1]):
            if places[node] > 0:  # never behind where it was, nor before one that is still to move
                move_row(rows, scores, worths, doubts, places, node, places[node])
    return kept


def move_row(
    rows: Any, scores: Any, worths: Any, doubts: Any, places: Any, node: int, place: int
) -> None:
    """Put a node's row somewhere else; its children will be where `places` says."""
    for field in range(WIDTH):
        rows[place * WIDTH + field] = rows[node * WIDTH + field]
    if rows[place * WIDTH + FIRST] > 0:
        rows[place * WIDTH + FIRST] = places[rows[place * WIDTH + FIRST]]
    scores[2 * place] = scores[2 * node]
    scores[2 * place + 1] = scores[2 * node + 1]
    worths[place] = worths[node]
    doubts[place] = doubts[node]
