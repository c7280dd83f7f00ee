"""Monte Carlo tree search: the kernels that grow a tree.

Several threads may grow one tree at once, each with notes, weights, states and moves of its own and
with rows of its own to fill. Nothing is locked. A node's children are all there before it points at
them; if two threads make them at the same moment, one's are forgotten. A visit or two may get lost.

Numba counts references to every array that a kernel passes on, so there are few of them.
"""

import math
from typing import Any

from teahouse.core.jit import rules
from teahouse.core.random import advance, bounded, game_seed, generator
from teahouse.search.mcts.layout import (
    COUNT,
    CUTOFF,
    DECIDERS,
    END,
    EXPAND_AFTER,
    EXPLORATION,
    FIRST,
    FIRST_PLAY,
    HEARSAY,
    LATEST,
    LEAN,
    LONGEST_PATH,
    MOVE,
    NEWS,
    NO_USE,
    OUTCOME,
    PATH,
    PLAYED,
    PLAYER,
    PRIOR,
    PROOF,
    PROOFS,
    REPLAY,
    ROOM,
    ROOT,
    SHARE,
    SIDE,
    SIDES,
    SUMS,
    TIME_BITS,
    USED,
    VISITS,
    WIDTH,
)
from teahouse.search.mcts.outcomes import lost, proven, settled, within
from teahouse.search.mcts.rave import foresee, share_of, slot, spread, weigh

JITTER = 1.0 / (1 << 20)  # a thousandth at most, so that unvisited moves come in a random order
GROWTH = 1 << 61  # tells the seed of that order apart from the seed of the playout

# A child's worth and its place are compared as one whole number, which is several times as quick.
PLACE_BITS = 20
PLACE_MASK = (1 << PLACE_BITS) - 1
WORTH_UNIT = float(1 << 36)
NOT_NEGATIVE = (1 << 31) - 1  # tells the compiler so, which spares it a check for each index


def simulate(
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
    """Run the simulations numbered first to end - 1, or until it is known how the game ends.

    Gives the number of the simulation to go on with. The root's position is states[0].
    """
    for simulation in range(first, end):
        if settled(rows[ROOT * WIDTH + PROOF]):
            return simulation
        own_seed = game_seed(seed, simulation)
        states[1] = states[0]
        notes[PATH] = ROOT
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
            0,
            0,
        )
        outcome = judge(boards, states, moves, rows, notes, weights, own_seed, simulation, depth)
        if weights[REPLAY] > 0:
            spread(rows, scores, worths, notes, weights, simulation, depth, outcome)
        back_up(rows, scores, worths, doubts, notes, weights, depth, 0, outcome, 1)
        rows[ROOT * WIDTH + VISITS] += 1
    return end


def descend(
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
    depth: int,
    visited: int,
) -> int:
    """Go on from a depth on the path with the moves that look best, down to a leaf of the tree.

    Gives its depth. A leaf that was visited often enough gets children, and the best of them is
    the leaf. The way ends earlier before a node that was not `visited` so often.
    """
    board = boards[0]
    state = states[1]
    node = notes[PATH + depth]
    while depth < LONGEST_PATH and not settled(rows[node * WIDTH + PROOF]):
        row = node * WIDTH
        side = notes[SIDE + state.player]
        notes[DECIDERS + depth] = side
        if rows[row + FIRST] == 0:
            if notes[USED] + len(moves) > notes[END]:
                break  # no room is left
            if state.over or (rows[row + VISITS] < enough(notes, weights) and node != ROOT):
                break
            urgency = weights[FIRST_PLAY]
            if urgency < 0:
                urgency = 1.0 / notes[SIDES]
                if rows[row + VISITS] > 0 and node != ROOT:
                    urgency = scores[2 * node]
                    if side != notes[DECIDERS + depth - 1]:
                        urgency = (1.0 - urgency) / (notes[SIDES] - 1)
            first = notes[USED]
            count = rules.legal(board, state, moves)
            expand(moves, rows, scores, worths, doubts, notes, count, urgency, seed)
            if weights[PRIOR] > 0:
                foresee(boards, states, rows, scores, worths, weights, first, count, urgency)
            rows[row + COUNT] = count
            rows[row + FIRST] = first
            if node == ROOT and weights[PROOFS] > 0:
                note_ends(boards, states, moves, rows, notes, first, count)
                rows[row + PROOF] = proven(rows, ROOT, notes[SIDES], side)
        weight = weights[EXPLORATION] * math.sqrt(math.log(rows[row + VISITS] + 1.0))
        node = best_child(worths, doubts, rows[row + FIRST], rows[row + COUNT], weight)
        if rows[node * WIDTH + VISITS] < visited:
            break
        depth += 1
        notes[PATH + depth] = node
        rules.play(board, state, rows[node * WIDTH + MOVE])
    return depth


def enough(notes: Any, weights: Any) -> float:
    """Visits of a node before its children get room.

    They are four times as many for each half of the room that is filled, so that it lasts.
    """
    visits = float(weights[EXPAND_AFTER])
    left = 2 * (notes[END] - notes[USED])
    while left < notes[ROOM]:
        visits *= 4.0
        left *= 2
    return visits


def judge(
    boards: Any,
    states: Any,
    moves: Any,
    rows: Any,
    notes: Any,
    weights: Any,
    seed: int,
    simulation: int,
    depth: int,
) -> int:
    """The outcome at a leaf: as it is proven or after random moves, 0 if it is estimated.

    NEWS notes whether it is a new proof.
    """
    board = boards[0]
    state = states[1]
    leaf = notes[PATH + depth] * WIDTH
    notes[NEWS] = 0
    if settled(rows[leaf + PROOF]):
        return int(rows[leaf + PROOF])
    if state.over:
        outcome = int(notes[OUTCOME + rules.winners(board, state, moves)])
        if weights[PROOFS] > 0:
            rows[leaf + PROOF] = outcome
            notes[NEWS] = 1
        return outcome
    random = generator(seed)
    cutoff = int(weights[CUTOFF])
    lean = weights[LEAN] > 0
    replay = weights[REPLAY] > 0
    stamp = simulation << TIME_BITS
    if replay:
        for level in range(depth):
            move = int(rows[notes[PATH + level + 1] * WIDTH + MOVE])
            notes[PLAYED + slot(move, notes[DECIDERS + level])] = stamp | level
    count = 0
    while not state.over and count != cutoff:
        random = advance(random)
        if lean:
            move = rules.playout_move(board, state, moves, random)
        else:
            move = rules.random_move(board, state, moves, random)
        if replay:
            side = notes[SIDE + state.player]
            notes[PLAYED + slot(move, side)] = stamp | min(LATEST, depth + count)
        rules.play(board, state, move)
        count += 1
    if state.over:
        return int(notes[OUTCOME + rules.winners(board, state, moves)])
    for side in range(notes[SIDES]):
        weights[SHARE + side] = rules.evaluate(board, state, notes[PLAYER + side])
    return 0


def expand(
    moves: Any,
    rows: Any,
    scores: Any,
    worths: Any,
    doubts: Any,
    notes: Any,
    count: int,
    urgency: float,
    seed: int,
) -> None:
    """Fill a row for each move. Unvisited, it counts as visited once with its parent's success.

    What another tree has left there is of no use.
    """
    first = notes[USED]
    notes[USED] = first + count
    for place in range(first * WIDTH, (first + count) * WIDTH):
        rows[place] = 0
    for place in range(2 * first, 2 * (first + count)):
        scores[place] = 0.0
    random = generator(seed ^ GROWTH)
    for index in range(count):
        random = advance(random)
        child = first + index
        rows[child * WIDTH + MOVE] = moves[index]
        worths[child] = urgency + JITTER * bounded(random, 1 << 10)
        doubts[child] = 1.0


def note_ends(
    boards: Any, states: Any, moves: Any, rows: Any, notes: Any, first: int, count: int
) -> None:
    """Prove the moves that end the game at once, so that none is overlooked."""
    board = boards[0]
    for child in range(first, first + count):
        states[2] = states[1]
        rules.play(board, states[2], rows[child * WIDTH + MOVE])
        if states[2].over:
            winners = rules.winners(board, states[2], moves)
            rows[child * WIDTH + PROOF] = notes[OUTCOME + winners]


def best_child(worths: Any, doubts: Any, first: int, count: int, weight: float) -> int:
    """The child with the highest sum of worth and doubt: UCT for the side that decides here."""
    first = first & NOT_NEGATIVE
    count = count & NOT_NEGATIVE
    most = -1 << 62
    for child in range(first, first + count):
        worth = int((worths[child] + weight * doubts[child]) * WORTH_UNIT)
        most = max(most, worth << PLACE_BITS | child - first)
    return first + (most & PLACE_MASK)


def back_up(
    rows: Any,
    scores: Any,
    worths: Any,
    doubts: Any,
    notes: Any,
    weights: Any,
    depth: int,
    top: int,
    outcome: int,
    times: int,
) -> int:
    """Count a simulation at the nodes of the path below the top; its outcome as it is there.

    If there were several of them, the SUMS of their shares are counted. A new proof is passed on
    as far as there is NEWS.
    """
    sides = notes[SIDES]
    for level in range(depth, top, -1):
        node = notes[PATH + level]
        row = node * WIDTH
        side = notes[DECIDERS + level - 1]
        proof = int(rows[row + PROOF])
        if times == 1:
            outcome = within(outcome, proof, sides)
            share = share_of(notes, weights, outcome, side)
        else:
            share = weights[SUMS + level] / times
        visits = rows[row + VISITS] + times
        rows[row + VISITS] = visits
        scores[2 * node] += times * (share - scores[2 * node]) / visits
        worths[node] = scores[2 * node]
        doubts[node] = 1.0 / math.sqrt(visits)
        if rows[row + HEARSAY] > 0:
            weigh(rows, scores, worths, weights, node)
        if sides == 2 and settled(proof):
            worths[node] = NO_USE
        elif lost(proof, sides, side):
            # Below all others; but if all are lost, who wins is open, and some hold out longer.
            worths[node] = NO_USE - 1.0 + scores[2 * node]
        elif settled(proof):
            doubts[node] = 0.0
        if notes[NEWS] > 0:
            parent = notes[PATH + level - 1]
            known = proven(rows, parent, sides, side)
            notes[NEWS] = int(known != rows[parent * WIDTH + PROOF])
            rows[parent * WIDTH + PROOF] = known
    return outcome
