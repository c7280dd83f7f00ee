"""Several threads that grow one tree: the kernel that they run.

What one core writes another has to fetch, which takes as long as a good part of a simulation. So a
thread goes down the nodes that were visited often once for several simulations, and counts them
there together. Until then the moves it went by look worse to others, who go elsewhere. Below these
nodes each simulation chooses for itself: a move that looks bad is not worth several.
"""

from typing import Any

from teahouse.core.random import game_seed
from teahouse.search.mcts.layout import (
    DECIDERS,
    NEWS,
    PATH,
    PROOF,
    REPLAY,
    ROOT,
    SIDES,
    SUMS,
    VISITS,
    WIDTH,
)
from teahouse.search.mcts.outcomes import settled, within
from teahouse.search.mcts.rave import share_of, spread
from teahouse.search.mcts.tree import back_up, descend, judge

OFTEN = 128  # visits of a node that changes little by one simulation more
TOGETHER = 16  # simulations that are counted there at once


def simulate_together(
    boards: Any,
    states: Any,
    moves: Any,
    rows: Any,
    scores: Any,
    worths: Any,
    doubts: Any,
    notes: Any,
    weights: Any,
    seed: int,
    first: int,
    end: int,
) -> int:
    """Run simulations as `simulate` does, beside other threads."""
    simulation = first
    while simulation < end and not settled(rows[ROOT * WIDTH + PROOF]):
        states[1] = states[0]
        notes[PATH] = ROOT
        top = descend(
            boards,
            states,
            moves,
            rows,
            scores,
            worths,
            doubts,
            notes,
            weights,
            game_seed(seed, simulation),
            0,
            OFTEN,
        )
        shun(rows, worths, notes, top)
        states[3] = states[1]
        for level in range(1, top + 1):
            weights[SUMS + level] = 0.0
        done = 0
        below = 0  # the outcome of the last simulation below the top
        notes[NEWS] = 0
        while done < TOGETHER and simulation < end and notes[NEWS] == 0:
            own_seed = game_seed(seed, simulation)
            states[1] = states[3]
            depth = descend(
                boards,
                states,
                moves,
                rows,
                scores,
                worths,
                doubts,
                notes,
                weights,
                own_seed,
                top,
                0,
            )
            outcome = judge(
                boards, states, moves, rows, notes, weights, own_seed, simulation, depth
            )
            if weights[REPLAY] > 0:
                spread(rows, scores, worths, notes, weights, simulation, depth, outcome)
            outcome = below = back_up(
                rows, scores, worths, doubts, notes, weights, depth, top, outcome, 1
            )
            for level in range(top, 0, -1):
                node = notes[PATH + level]
                outcome = within(outcome, int(rows[node * WIDTH + PROOF]), notes[SIDES])
                share = share_of(notes, weights, outcome, notes[DECIDERS + level - 1])
                weights[SUMS + level] += share
            simulation += 1
            done += 1
        back_up(rows, scores, worths, doubts, notes, weights, top, 0, below, done)
        rows[ROOT * WIDTH + VISITS] += done
    return simulation


def shun(rows: Any, worths: Any, notes: Any, top: int) -> None:
    """Let the moves of the path look as if all simulations to come had lost."""
    for level in range(1, top + 1):
        node = notes[PATH + level]
        worths[node] *= 1.0 - TOGETHER / (rows[node * WIDTH + VISITS] + TOGETHER)
