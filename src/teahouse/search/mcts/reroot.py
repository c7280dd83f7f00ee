"""Keeping a part of a tree: kernels."""

from typing import Any

from teahouse.search.mcts.layout import COUNT, FIRST, WIDTH

KEPT = -1  # the place of a node that has none yet


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
    the rows that is filled, in order. `places` has a zero for each row up to the last of these, and
    notes where a row goes, counted from 1.
    """
    # Nodes that are still to be looked at are a stack: each has the one below as its place.
    places[root] = -1
    top = root
    while top >= 0:
        node = top
        top = int(places[node])
        places[node] = KEPT
        first = int(rows[node * WIDTH + FIRST])
        if first > 0:
            for child in range(first, first + rows[node * WIDTH + COUNT]):
                places[child] = top
                top = child
    places[root] = 1
    kept = 1
    for span in range(0, len(spans), 2):
        for node in range(spans[span], spans[span + 1]):
            if places[node] == KEPT:
                kept += 1
                places[node] = kept
    move_rows(rows, scores, worths, doubts, places, root, root + 1)
    places[root] = 0
    for span in range(0, len(spans), 2):
        move_rows(rows, scores, worths, doubts, places, spans[span], spans[span + 1])
    return kept


def move_rows(
    rows: Any, scores: Any, worths: Any, doubts: Any, places: Any, begin: int, end: int
) -> None:
    """Put the rows from begin to end where `places` says; their children will be there too.

    None goes behind where it was, so that none is lost that is still to move.
    """
    for node in range(begin, end):
        place = places[node] - 1
        if place < 0:
            continue
        for field in range(WIDTH):
            rows[place * WIDTH + field] = rows[node * WIDTH + field]
        first = rows[place * WIDTH + FIRST]
        if first > 0:
            rows[place * WIDTH + FIRST] = places[first] - 1
        scores[2 * place] = scores[2 * node]
        scores[2 * place + 1] = scores[2 * node + 1]
        worths[place] = worths[node]
        doubts[place] = doubts[node]
