"""Monte Carlo tree search: the kernels of selection, expansion, rollout and backpropagation.

Several threads may share a tree without locks. Each has its own run record, states, moves and range
of free nodes. Children are complete before their parent links to them; if two threads expand a node
at once, one set of children is lost, and so may be a visit or two.

Numba counts references to every array that is passed on, but not to records: kernels pass `run`,
not `runs`.
"""

import math
from typing import Any

from teahouse.core.fence import release_fence
from teahouse.core.jit import rules
from teahouse.core.random import advance, bounded, game_seed, generator
from teahouse.search.mcts.layout import LOG_ROOTS, MAX_DEPTH, MAX_PLY, PLY_BITS, PRUNED, ROOT
from teahouse.search.mcts.outcomes import clamp, excludes, prove, solved
from teahouse.search.mcts.rave import amaf_slot, blend, init_priors, reward, update_amaf

JITTER = 1.0 / (1 << 20)  # at most 0.001 in all: unvisited moves come in a random order
JITTER_SEED = 1 << 61  # separates the random numbers of that order from the rollout's

# Selection compares q + bonus and a child's index as one integer, which is several times as fast.
INDEX_BITS = 20
INDEX_MASK = (1 << INDEX_BITS) - 1
SCORE_SCALE = float(1 << 36)
NOT_NEGATIVE = (1 << 31) - 1  # a mask that spares the compiler a sign check for each index


def simulate(
    boards: Any,
    states: Any,
    moves: Any,
    nodes: Any,
    ucb: Any,
    runs: Any,
    count: int,
) -> None:
    """Run `count` simulations from the position in states[0]; stop when the root is solved."""
    run = runs[0]
    root = nodes[ROOT]
    own_seed = run.seed
    end = run.simulation + count
    while run.simulation < end and not solved(root.proof):
        seed = game_seed(own_seed, run.simulation)
        states[1] = states[0]
        run.path[0] = ROOT
        depth = select_leaf(boards, states, moves, nodes, ucb, run, seed, 0, 0)
        outcome = rollout(boards, states, moves, nodes, run, seed, depth)
        if run.amaf_threshold > 0:
            update_amaf(nodes, ucb, run, depth, outcome)
        backpropagate(nodes, ucb, run, depth, 0, outcome, 1)
        root.visits += 1
        run.simulation += 1


def select_leaf(
    boards: Any,
    states: Any,
    moves: Any,
    nodes: Any,
    ucb: Any,
    run: Any,
    seed: int,
    depth: int,
    min_visits: int,
) -> int:
    """Descend by UCT from a depth of the path to a leaf, expanding it if due; return its depth.

    Stop before a child with fewer than `min_visits`. states[1] is the position at that depth.
    """
    board = boards[0]
    state = states[1]
    index = run.path[depth]
    node = nodes[index]
    while depth < MAX_DEPTH and not solved(node.proof):
        side = run.side_of[state.player]
        run.deciders[depth] = side
        if node.first_child == 0:
            if run.next_free + len(moves) > run.end:
                break  # the tree is full
            if state.over or (node.visits < expansion_threshold(run) and index != ROOT):
                break
            urgency = run.first_play_urgency
            if urgency < 0:
                urgency = 1.0 / run.sides
                if node.visits > 0 and index != ROOT:
                    urgency = node.value
                    if side != run.deciders[depth - 1]:
                        urgency = (1.0 - urgency) / (run.sides - 1)
            first = run.next_free
            count = rules.legal(board, state, moves)
            add_children(moves, nodes, ucb, run, count, urgency, seed)
            if run.prior_visits > 0:
                init_priors(boards, states, nodes, ucb, run, first, count, urgency)
            node.child_count = count
            release_fence()
            node.first_child = first
            if index == ROOT and run.proofs:
                prove_terminal_children(boards, states, moves, nodes, run, first, count)
                node.proof = prove(nodes, node, run.sides, side)
        factor = run.exploration * log_root(run, node.visits)
        index = best_child(ucb, node.first_child, node.child_count, factor)
        node = nodes[index]
        if node.visits < min_visits:
            break
        depth += 1
        run.path[depth] = index
        rules.play(board, state, node.move)
    return depth


def log_root(run: Any, visits: int) -> float:
    """Return sqrt(log(visits + 1)), from a table for few visits: most nodes have few."""
    if visits < LOG_ROOTS:
        return float(run.log_roots[visits])
    return math.sqrt(math.log(visits + 1.0))


def expansion_threshold(run: Any) -> float:
    """Return the visits before a node is expanded.

    They quadruple each time half of the free nodes are used, so that the tree fills slowly.
    """
    visits = float(run.expansion_threshold)
    left = 2 * (run.end - run.next_free)
    while left < run.capacity:
        visits *= 4.0
        left *= 2
    return visits


def rollout(
    boards: Any, states: Any, moves: Any, nodes: Any, run: Any, seed: int, depth: int
) -> int:
    """Return the outcome at a leaf: proven, after a rollout, or 0 if `run.evaluation` has it.

    Set `run.new_proof` if the leaf is a terminal position.
    """
    board = boards[0]
    state = states[1]
    leaf = nodes[run.path[depth]]
    run.new_proof = False
    if solved(leaf.proof):
        return int(leaf.proof)
    if state.over:
        outcome = int(run.outcome_of[rules.winners(board, state, moves)])
        if run.proofs:
            leaf.proof = outcome
            run.new_proof = True
        return outcome
    random = generator(seed)
    cutoff = run.rollout_cutoff
    weighted = run.weighted_rollouts
    amaf = run.amaf_threshold > 0
    stamp = run.simulation << PLY_BITS
    if amaf:
        for level in range(depth):
            move = int(nodes[run.path[level + 1]].move)
            run.last_played[amaf_slot(move, run.deciders[level])] = stamp | level
    count = 0
    if cutoff < 0 and not (amaf or weighted):
        rules.playout(board, state, moves, random)
    while not state.over and count != cutoff:
        random = advance(random)
        if weighted:
            move = rules.playout_move(board, state, moves, random)
        else:
            move = rules.random_move(board, state, moves, random)
        if amaf:
            slot = amaf_slot(move, run.side_of[state.player])
            run.last_played[slot] = stamp | min(MAX_PLY, depth + count)
        rules.play(board, state, move)
        count += 1
    if state.over:
        return int(run.outcome_of[rules.winners(board, state, moves)])
    for side in range(run.sides):
        run.evaluation[side] = rules.evaluate(board, state, run.player_of[side])
    return 0


def add_children(
    moves: Any, nodes: Any, ucb: Any, run: Any, count: int, urgency: float, seed: int
) -> None:
    """Allocate a node for each move, with `urgency` for q and the bonus of one visit."""
    first = run.next_free
    run.next_free = first + count
    random = generator(seed ^ JITTER_SEED)
    for index in range(count):
        random = advance(random)
        child = first + index
        node = nodes[child]
        node.visits = 0
        node.move = moves[index]
        node.first_child = 0
        node.child_count = 0
        node.proof = 0
        node.amaf_visits = 0
        node.value = 0.0
        node.amaf_value = 0.0
        ucb[child].q = urgency + JITTER * bounded(random, 1 << 10)
        ucb[child].bonus = 1.0


def prove_terminal_children(
    boards: Any, states: Any, moves: Any, nodes: Any, run: Any, first: int, count: int
) -> None:
    """Prove the moves that end the game at once."""
    board = boards[0]
    for child in range(first, first + count):
        states[2] = states[1]
        rules.play(board, states[2], nodes[child].move)
        if states[2].over:
            nodes[child].proof = run.outcome_of[rules.winners(board, states[2], moves)]


def best_child(ucb: Any, first: int, count: int, factor: float) -> int:
    """Return the child with the highest upper confidence bound."""
    first = first & NOT_NEGATIVE
    count = count & NOT_NEGATIVE
    best = -1 << 62
    for child in range(first, first + count):
        score = int((ucb[child].q + factor * ucb[child].bonus) * SCORE_SCALE)
        best = max(best, score << INDEX_BITS | child - first)
    return first + (best & INDEX_MASK)


def backpropagate(
    nodes: Any, ucb: Any, run: Any, depth: int, top: int, outcome: int, count: int
) -> int:
    """Update the path's nodes from a depth up to below `top`; return the outcome as clamped there.

    With a `count` above 1, add a batch of simulations whose rewards are in `run.reward_sums`. Back
    up a new proof as far as it changes the parent's.
    """
    sides = run.sides
    for level in range(depth, top, -1):
        index = run.path[level]
        node = nodes[index]
        side = run.deciders[level - 1]
        proof = int(node.proof)
        if count == 1:
            outcome = clamp(outcome, proof, sides)
            mean = reward(run, outcome, side)
        else:
            mean = run.reward_sums[level] / count
        visits = node.visits + count
        node.visits = visits
        node.value += count * (mean - node.value) / visits
        ucb[index].q = node.value
        ucb[index].bonus = 1.0 / math.sqrt(visits)
        if node.amaf_visits > 0:
            ucb[index].q = blend(node, run.rave_equivalence)
        if sides == 2 and solved(proof):
            ucb[index].q = PRUNED
        elif excludes(proof, sides, side):
            # Below all others. If all moves lose, prefer the one that promised most.
            ucb[index].q = PRUNED - 1.0 + node.value
        elif solved(proof):
            ucb[index].bonus = 0.0
        if run.new_proof:
            parent = nodes[run.path[level - 1]]
            proof = prove(nodes, parent, sides, side)
            run.new_proof = proof != parent.proof
            parent.proof = proof
    return outcome
