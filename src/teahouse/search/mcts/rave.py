"""Hearsay: kernels for what is known of a move without trying it at a node.

It is an estimate of where it leads, and how
playouts went in which the side played it later (all moves as first: AMAF, RAVE).
"""

from typing import Any

from teahouse.core.jit import rules
from teahouse.search.mcts.layout import (
    COUNT,
    DECIDERS,
    FIRST,
    HEARSAY,
    MOVE,
    NO_USE,
    PATH,
    PLAYED,
    PRIOR,
    REPLAY,
    SHARE,
    SIDES,
    SLOTS,
    TIME_BITS,
    TRUST,
    VISITS,
    WIDTH,
)


def foresee(
    boards: Any,
    states: Any,
    rows: Any,
    scores: Any,
    worths: Any,
    weights: Any,
    first: int,
    count: int,
    urgency: float,
) -> None:
    """Let the estimates of the positions after each move be the first hearsay of it."""
    board = boards[0]
    player = states[1].player
    for child in range(first, first + count):
        states[2] = states[1]
        rules.play(board, states[2], rows[child * WIDTH + MOVE])
        if not states[2].over:
            scores[2 * child + 1] = rules.evaluate(board, states[2], player)
            rows[child * WIDTH + HEARSAY] = int(weights[PRIOR])
            jitter = worths[child] - urgency
            worths[child] = scores[2 * child + 1] + jitter


def slot(move: int, side: int) -> int:
    """Where it is noted when a side last played a move."""
    return (move + (move >> 12) + side * 1361) & SLOTS - 1


def spread(
    rows: Any,
    scores: Any,
    worths: Any,
    notes: Any,
    weights: Any,
    simulation: int,
    depth: int,
    outcome: int,
) -> None:
    """Tell every node on the path of those of its moves that were played later."""
    for level in range(depth):
        row = notes[PATH + level] * WIDTH
        if rows[row + VISITS] > weights[REPLAY]:
            continue
        first = int(rows[row + FIRST])
        side = notes[DECIDERS + level]
        share = share_of(notes, weights, outcome, side)
        earliest = simulation << TIME_BITS | level
        for child in range(first, first + rows[row + COUNT]):
            move = rows[child * WIDTH + MOVE]
            if notes[PLAYED + slot(move, side)] >= earliest and worths[child] > NO_USE:
                known = rows[child * WIDTH + HEARSAY] + 1
                rows[child * WIDTH + HEARSAY] = known
                scores[2 * child + 1] += (share - scores[2 * child + 1]) / known
                weigh(rows, scores, worths, weights, child)


def weigh(rows: Any, scores: Any, worths: Any, weights: Any, node: int) -> None:
    """What a node is worth by what was seen and what was heard of it."""
    visits = float(rows[node * WIDTH + VISITS])
    hearsay = float(rows[node * WIDTH + HEARSAY])
    trust = hearsay / (hearsay + visits + hearsay * visits / weights[TRUST])
    worths[node] = scores[2 * node] + trust * (scores[2 * node + 1] - scores[2 * node])


def share_of(notes: Any, weights: Any, outcome: int, side: int) -> float:
    """A side's share of an outcome: 1 for a win; of one that is not known, what was estimated."""
    if outcome == 0:
        return float(weights[SHARE + side])
    sides = notes[SIDES]
    return (outcome >> side & 1) + (outcome >> sides & 1) / float(sides)
