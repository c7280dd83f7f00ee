"""Monte Carlo tree search: what a tree is made of, and the kernels that grow it.

A node is a row of the arrays. The moves that can be played at a node are its children, and they lie
side by side. A node's score counts for the side that decided to go there, so that the choice at a
node reads nothing but its children's `means` and `doubts`.

    rows     int32    WIDTH fields for each node: VISITS, SCORE, MOVE, FIRST, COUNT, PROOF
    means    float32  the score per visit, or what a proof or an unvisited move counts for
    doubts   float32  1 / sqrt(visits); 0 where the mean is proven
    notes    int64    facts about the game, and the path of the simulation that runs

An outcome is a bit for each side that wins, or the bit after them for a draw. A proof is the set of
outcomes that a node can still have, 0 while nothing is known; one bit says how the game ends.

Numba counts references to every array that a kernel passes on, so there are few of them.
"""

import math
from typing import Any

from teahouse.core.compiling import rules
from teahouse.core.playouts import play_out
from teahouse.core.random import advance, below, game_seed, generator

EXPLORATION = 0.6  # how much doubt counts beside the mean score
EXPAND_AFTER = 8  # visits of a node before its children get room in the tree
NO_USE = -1.0  # the mean of a move that need not be looked into any more: below all others
JITTER = 1.0 / (1 << 20)  # a thousandth at most, so that unvisited moves come in a random order
GROWTH = 1 << 61  # tells the seed of that order apart from the seed of the playout

ROOT = 0
# In a row. The score counts a win as the number of sides and a draw as 1.
VISITS, SCORE, MOVE, FIRST, COUNT, PROOF = range(6)
WIDTH = 6

MOST_PLAYERS = 8
LONGEST_PATH = 1024  # decisions from the root; what lies beyond is left to the playouts
# In the notes: rows in use, sides, each player's side, the outcome for each set of winners, and the
# path: its nodes, and the side that decides at each of them.
USED = 0
SIDES = 1
SIDE = 2
OUTCOME = SIDE + MOST_PLAYERS
PATH = OUTCOME + (1 << MOST_PLAYERS)
DECIDERS = PATH + LONGEST_PATH + 1
NOTES = DECIDERS + LONGEST_PATH + 1

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
    means: Any,
    doubts: Any,
    notes: Any,
    seed: int,
    first: int,
    end: int,
) -> int:
    """Run the simulations numbered first to end - 1, or until it is known how the game ends.

    Gives the number of the simulation to go on with. The root's position is states[0].
    """
    board = boards[0]
    state = states[1]
    for simulation in range(first, end):
        if settled(rows[ROOT * WIDTH + PROOF]):
            return simulation
        own_seed = game_seed(seed, simulation)
        states[1] = states[0]
        depth = descend(board, state, moves, rows, means, doubts, notes, own_seed)
        leaf = notes[PATH + depth] * WIDTH
        outcome = int(rows[leaf + PROOF])
        news = 0
        if not settled(outcome):
            news = int(state.over)
            if not news:
                play_out(board, state, moves, own_seed)
            outcome = int(notes[OUTCOME + rules.winners(board, state, moves)])
            if news:
                rows[leaf + PROOF] = outcome
        back_up(rows, means, doubts, notes, depth, outcome, news)
    return end


def settled(proof: int) -> bool:
    """Whether one outcome alone is left."""
    return proof != 0 and proof & (proof - 1) == 0


def descend(
    board: Any, state: Any, moves: Any, rows: Any, means: Any, doubts: Any, notes: Any, seed: int
) -> int:
    """Play the moves that look best down to a leaf of the tree; how many they were.

    A leaf that was visited often enough gets children, and the best of them is the leaf.
    """
    node = ROOT
    depth = 0
    notes[PATH] = ROOT
    while depth < LONGEST_PATH and not settled(rows[node * WIDTH + PROOF]):
        row = node * WIDTH
        side = notes[SIDE + state.player]
        notes[DECIDERS + depth] = side
        if rows[row + FIRST] == 0:
            if state.over or (rows[row + VISITS] < EXPAND_AFTER and node != ROOT):
                break
            if notes[USED] + len(moves) > len(means):
                break  # no room is left
            urgency = 1.0 / notes[SIDES]
            if node != ROOT:
                urgency = rows[row + SCORE] / (float(rows[row + VISITS]) * notes[SIDES])
                if side != notes[DECIDERS + depth - 1]:
                    urgency = (1.0 - urgency) / (notes[SIDES] - 1)
            rows[row + FIRST] = notes[USED]
            rows[row + COUNT] = rules.legal(board, state, moves)
            expand(moves, rows, means, doubts, notes, rows[row + COUNT], urgency, seed)
        weight = EXPLORATION * math.sqrt(math.log(rows[row + VISITS] + 1.0))
        node = best_child(means, doubts, rows[row + FIRST], rows[row + COUNT], weight)
        depth += 1
        notes[PATH + depth] = node
        rules.play(board, state, rows[node * WIDTH + MOVE])
    return depth


def expand(
    moves: Any,
    rows: Any,
    means: Any,
    doubts: Any,
    notes: Any,
    count: int,
    urgency: float,
    seed: int,
) -> None:
    """Add a row for each move. Unvisited, it counts as visited once with its parent's success."""
    first = notes[USED]
    notes[USED] = first + count
    random = generator(seed ^ GROWTH)
    for index in range(count):
        random = advance(random)
        rows[(first + index) * WIDTH + MOVE] = moves[index]
        means[first + index] = urgency + JITTER * below(random, 1 << 10)
        doubts[first + index] = 1.0


def best_child(means: Any, doubts: Any, first: int, count: int, weight: float) -> int:
    """The child with the highest sum of mean and doubt: UCT for the side that decides here."""
    first = first & NOT_NEGATIVE
    count = count & NOT_NEGATIVE
    most = -1 << 62
    for child in range(first, first + count):
        worth = int((means[child] + weight * doubts[child]) * WORTH_UNIT)
        most = max(most, worth << PLACE_BITS | child - first)
    return first + (most & PLACE_MASK)


def back_up(
    rows: Any, means: Any, doubts: Any, notes: Any, depth: int, outcome: int, news: int
) -> None:
    """Count an outcome at every node of the path; `news` says that the leaf has a new proof."""
    sides = notes[SIDES]
    for level in range(depth, 0, -1):
        node = notes[PATH + level]
        row = node * WIDTH
        side = notes[DECIDERS + level - 1]
        proof = int(rows[row + PROOF])
        outcome = within(outcome, proof, sides)
        visits = rows[row + VISITS] + 1
        score = rows[row + SCORE] + sides * (outcome >> side & 1) + (outcome >> sides & 1)
        rows[row + VISITS] = visits
        rows[row + SCORE] = score
        means[node] = score / (float(visits) * sides)
        doubts[node] = 1.0 / math.sqrt(visits)
        if lost(proof, sides, side) or (sides == 2 and settled(proof)):
            means[node] = NO_USE
        elif settled(proof):
            doubts[node] = 0.0
        if news:
            parent = notes[PATH + level - 1]
            known = proven(rows, parent, sides, side)
            news = int(known != rows[parent * WIDTH + PROOF])
            rows[parent * WIDTH + PROOF] = known
    rows[ROOT * WIDTH + VISITS] += 1


def within(outcome: int, proof: int, sides: int) -> int:
    """An outcome of a playout put right by what is proven."""
    if proof == 0 or outcome & proof:
        return outcome
    if settled(proof):
        return proof
    return 1 << sides if proof >> sides & 1 else outcome


def lost(proof: int, sides: int, side: int) -> bool:
    """Whether a side neither wins nor draws, whoever else wins."""
    return proof != 0 and proof & (1 << side | 1 << sides) == 0


def proven(rows: Any, node: int, sides: int, side: int) -> int:
    """The outcomes that a node can have, from its children's and from what the side wants.

    A won move is played. One that cannot lose is not given up for one that is lost; between two
    sides that alone rules a loss out. Of lost moves that leave the win to several others any may be
    played, so that a loss is known before its winner is.
    """
    won = 1 << side
    drawn = 1 << sides
    anything = 2 * drawn - 1
    every = 0
    not_lost = 0
    some_safe = False
    first = int(rows[node * WIDTH + FIRST])
    for child in range(first, first + rows[node * WIDTH + COUNT]):
        proof = int(rows[child * WIDTH + PROOF])
        if proof == won:
            return won
        if proof == 0:
            proof = anything
        every |= proof
        if proof & (won | drawn) == proof:
            some_safe = True
        if proof & (won | drawn):
            not_lost |= proof
    outcomes = every
    if some_safe:
        outcomes = every & (won | drawn) if sides == 2 else not_lost
    return outcomes if outcomes != anything else 0
