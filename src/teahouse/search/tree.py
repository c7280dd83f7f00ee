"""Monte Carlo tree search: what a tree is made of, and the kernels that grow it.

A node is a row of the arrays. The moves that can be played at a node are its children, and they lie
side by side. What a node is worth counts for the side that decided to go there, so that the choice
at a node reads nothing but its children's `worths` and `doubts`.

    rows     int32    WIDTH fields for each node: VISITS, MOVE, FIRST, COUNT, PROOF, HEARSAY
    scores   float64  two for each node: its score per visit, and what hearsay says of it
    worths   float32  both together, or what an unvisited or a proven move counts for
    doubts   float32  1 / sqrt(visits); 0 where the worth is proven
    notes    int64    facts about the game, and the path of the simulation that runs
    weights  float64  the settings, and each side's share of the outcome that was estimated

Hearsay is what is known of a move without trying it here: an estimate of where it leads, and how
playouts went in which the side played it later (all moves as first: AMAF, RAVE).

An outcome is a bit for each side that wins, or the bit after them for a draw. A proof is the set of
outcomes that a node can still have, 0 while nothing is known; one bit says how the game ends.

Several threads may grow one tree at once, each with notes, weights, states and moves of its own and
with rows of its own to fill. Nothing is locked. A node's children are all there before it points at
them; if two threads make them at the same moment, one's are forgotten. A visit or two may get lost.

Numba counts references to every array that a kernel passes on, so there are few of them.
"""

import math
from typing import Any

from teahouse.core.compiling import rules
from teahouse.core.random import advance, below, game_seed, generator

NO_USE = -1.0  # the worth of a move that need not be looked into any more: below all others
JITTER = 1.0 / (1 << 20)  # a thousandth at most, so that unvisited moves come in a random order
GROWTH = 1 << 61  # tells the seed of that order apart from the seed of the playout

ROOT = 0
VISITS, MOVE, FIRST, COUNT, PROOF, HEARSAY = range(6)
WIDTH = 6

MOST_PLAYERS = 8
LONGEST_PATH = 1024  # decisions from the root; what lies beyond is left to the playouts
# In the notes: the first free row and the end of the rows this thread may fill, sides, each
# player's side, a player of each side, the outcome for each set of winners, the path with its nodes
# and the side that decides at each of them, and for each side and move when it was last played: a
# slot may serve several, which does no harm.
USED = 0
END = 1
SIDES = 2
SIDE = 3
PLAYER = SIDE + MOST_PLAYERS
OUTCOME = PLAYER + MOST_PLAYERS
PATH = OUTCOME + (1 << MOST_PLAYERS)
DECIDERS = PATH + LONGEST_PATH + 1
PLAYED = DECIDERS + LONGEST_PATH + 1
SLOTS = 1 << 12
NOTES = PLAYED + SLOTS
TIME_BITS = 16  # of the decision's number within a simulation, in what PLAYED notes
LATEST = (1 << TIME_BITS) - 1

# In the weights: how much doubt counts beside the worth; visits of a node before its children get
# room; what an unvisited move is worth, if not what its parent is; whether proofs are kept; visits
# until what is seen outweighs hearsay; how many visits an estimate stands for; decisions until a
# playout is cut off and estimated; whether playouts lean to good moves; visits up to which moves
# played later count; whether other threads grow the same tree; and each side's share.
EXPLORATION, EXPAND_AFTER, FIRST_PLAY, PROOFS, TRUST, PRIOR, CUTOFF, LEAN, REPLAY = range(9)
COMPANY = 9
SHARE = 10
WEIGHTS = SHARE + MOST_PLAYERS

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
    board = boards[0]
    state = states[1]
    proofs = weights[PROOFS] > 0
    for simulation in range(first, end):
        if settled(rows[ROOT * WIDTH + PROOF]):
            return simulation
        own_seed = game_seed(seed, simulation)
        states[1] = states[0]
        depth = descend(
            boards, states, moves, rows, scores, worths, doubts, notes, weights, own_seed
        )
        leaf = notes[PATH + depth] * WIDTH
        outcome = int(rows[leaf + PROOF])
        news = 0
        if not settled(outcome):
            news = int(state.over and proofs)
            play_on(board, state, moves, rows, notes, weights, own_seed, simulation, depth)
            outcome = 0
            if state.over:
                outcome = int(notes[OUTCOME + rules.winners(board, state, moves)])
            else:
                for side in range(notes[SIDES]):
                    weights[SHARE + side] = rules.estimate(board, state, notes[PLAYER + side])
            if news:
                rows[leaf + PROOF] = outcome
        if weights[REPLAY] > 0:
            spread(rows, scores, worths, notes, weights, simulation, depth, outcome)
        back_up(rows, scores, worths, doubts, notes, weights, depth, outcome, news)
    return end


def settled(proof: int) -> bool:
    """Whether one outcome alone is left."""
    return proof != 0 and proof & (proof - 1) == 0


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
) -> int:
    """Play the moves that look best down to a leaf of the tree; how many they were.

    A leaf that was visited often enough gets children, and the best of them is the leaf.
    """
    board = boards[0]
    state = states[1]
    node = ROOT
    depth = 0
    notes[PATH] = ROOT
    while depth < LONGEST_PATH and not settled(rows[node * WIDTH + PROOF]):
        row = node * WIDTH
        side = notes[SIDE + state.player]
        notes[DECIDERS + depth] = side
        if rows[row + FIRST] == 0:
            if state.over or (rows[row + VISITS] < weights[EXPAND_AFTER] and node != ROOT):
                break
            if notes[USED] + len(moves) > notes[END]:
                break  # no room is left
            urgency = weights[FIRST_PLAY]
            if urgency < 0:
                urgency = 1.0 / notes[SIDES]
                if rows[row + VISITS] > 0 and node != ROOT:
                    urgency = scores[2 * node]
                    if side != notes[DECIDERS + depth - 1]:
                        urgency = (1.0 - urgency) / (notes[SIDES] - 1)
            first = notes[USED]
            count = rules.legal(board, state, moves)
            expand(moves, rows, worths, doubts, notes, count, urgency, seed)
            if weights[PRIOR] > 0:
                foresee(boards, states, rows, scores, worths, weights, first, count, urgency)
            rows[row + COUNT] = count
            rows[row + FIRST] = first
            if node == ROOT and weights[PROOFS] > 0:
                note_ends(boards, states, moves, rows, notes, first, count)
                rows[row + PROOF] = proven(rows, ROOT, notes[SIDES], side)
        weight = weights[EXPLORATION] * math.sqrt(math.log(rows[row + VISITS] + 1.0))
        node = best_child(worths, doubts, rows[row + FIRST], rows[row + COUNT], weight)
        if weights[COMPANY] > 0:  # until this is backed up it counts as lost for other threads
            worths[node] -= worths[node] * doubts[node] * doubts[node]
        depth += 1
        notes[PATH + depth] = node
        rules.play(board, state, rows[node * WIDTH + MOVE])
    return depth


def expand(
    moves: Any,
    rows: Any,
    worths: Any,
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
        worths[first + index] = urgency + JITTER * below(random, 1 << 10)
        doubts[first + index] = 1.0


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
            scores[2 * child + 1] = rules.estimate(board, states[2], player)
            rows[child * WIDTH + HEARSAY] = int(weights[PRIOR])
            jitter = worths[child] - urgency
            worths[child] = scores[2 * child + 1] + jitter


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


def play_on(
    board: Any,
    state: Any,
    moves: Any,
    rows: Any,
    notes: Any,
    weights: Any,
    seed: int,
    simulation: int,
    depth: int,
) -> None:
    """Play random moves until the game is over or the playout is cut off."""
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
            move = rules.lean(board, state, moves, random)
        else:
            move = rules.pick(board, state, moves, random)
        if replay:
            side = notes[SIDE + state.player]
            notes[PLAYED + slot(move, side)] = stamp | min(LATEST, depth + count)
        rules.play(board, state, move)
        count += 1


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
            if notes[PLAYED + slot(move, side)] >= earliest and worths[child] != NO_USE:
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


def back_up(
    rows: Any,
    scores: Any,
    worths: Any,
    doubts: Any,
    notes: Any,
    weights: Any,
    depth: int,
    outcome: int,
    news: int,
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
        rows[row + VISITS] = visits
        scores[2 * node] += (share_of(notes, weights, outcome, side) - scores[2 * node]) / visits
        worths[node] = scores[2 * node]
        doubts[node] = 1.0 / math.sqrt(visits)
        if rows[row + HEARSAY] > 0:
            weigh(rows, scores, worths, weights, node)
        if lost(proof, sides, side) or (sides == 2 and settled(proof)):
            worths[node] = NO_USE
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
    if proof == 0 or outcome == 0 or outcome & proof:
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
