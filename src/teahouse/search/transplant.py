"""Keeping a part of a tree: kernels."""

from typing import Any

from teahouse.search.rows import COUNT, FIRST, WIDTH


def transplant(
    rows: Any, scores: Any, worths: Any, doubts: Any, places: Any, root: int, used: int
) -> int:
    """Keep what grows from one node, moved to the front, with that node as the root.

    Gives the number of rows that are kept, of the first `used`. `places` has a number for each of
    these, all zero.
    """
    places[root] = 1
    found = True
    while found:  # mostly once: children seldom lie before their parents
        found = False
        for node in range(used):
            first = int(rows[node * WIDTH + FIRST])
            if places[node] == 1 and first > 0 and places[first] == 0:
                found = found or first < node
                for child in range(first, first + rows[node * WIDTH + COUNT]):
                    places[child] = 1
    places[root] = 0
    kept = 1
    for node in range(used):
        if places[node] == 1:
            places[node] = kept
            kept += 1
    move_row(rows, scores, worths, doubts, places, root, 0)
    for node in range(used):
        if places[node] > 0:  # never behind where it was, nor before one that is still to move
            move_row(rows, scores, worths, doubts, places, node, places[node])
    for node in range(kept, used):
        for field in range(WIDTH):
            rows[node * WIDTH + field] = 0
        scores[2 * node] = 0.0
        scores[2 * node + 1] = 0.0
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
