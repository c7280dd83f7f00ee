"""Kernels of self-play: Gumbel MCTS with exact proofs, one tree per game.

At the root, Gumbel noise and sequential halving choose which actions to visit; below, visits follow
the improved policy (Danihelka et al., "Policy improvement by planning with Gumbel", 2022). Proven
outcomes are backed up as in `search.mcts`: proven children are not visited again, and their values
are exact.
"""

import math
from typing import Any

from teahouse.core.random import advance, bounded
from teahouse.learn.layout import TERMINAL
from teahouse.search.mcts.outcomes import solved

rules: Any = None  # replaced when a kernel is bound

WORST = -1e30
RANDOM_BITS = 24


def begin_search(run: Any, states: Any, nodes: Any, trees: Any, game: int) -> None:
    """Clear a game's tree except for the root's position."""
    tree = trees[game]
    tree.node_count = 1
    tree.edge_count = 0
    tree.simulation = 0
    root = game * run.max_nodes
    _clear_node(nodes[root], int(states[root].player), -1)


def _clear_node(node: Any, player: int, edge: int) -> None:
    node.player = player
    node.edge = edge
    node.first_edge = 0
    node.edge_count = 0
    node.proof = 0


def select_leaf(
    run: Any,
    board: Any,
    states: Any,
    drafts: Any,
    nodes: Any,
    edges: Any,
    trees: Any,
    schedule: Any,
    moves: Any,
    game: int,
) -> bool:
    """Descend to a leaf and store it in the tree; return whether it has to be evaluated."""
    tree = trees[game]
    root = game * run.max_nodes
    index = root
    while not solved(nodes[index].proof) and nodes[index].edge_count > 0:
        node = nodes[index]
        if index == root:
            row = min(int(run.considered), int(node.edge_count))
            wanted = int(schedule[row][tree.simulation])
            chosen = _select_at_root(run, nodes, edges, node, wanted)
        else:
            chosen = _select_below(run, nodes, edges, node)
        edge = edges[chosen]
        if edge.child >= 0:
            index = int(edge.child)
            continue
        child = root + tree.node_count
        tree.node_count += 1
        states[child] = states[index]
        drafts[child] = drafts[index]
        take_action(board, states[child], drafts[child], int(edge.action))
        _clear_node(nodes[child], int(states[child].player), chosen)
        edge.child = child
        if states[child].over:
            set_result(run, nodes[child], rules.winners(board, states[child], moves))
        index = child
        break
    tree.leaf = index
    tree.simulation += 1
    return not solved(nodes[index].proof) and nodes[index].edge_count == 0


def take_action(board: Any, state: Any, draft: Any, action: int) -> None:
    """Take an action: complete a move and play it, or add the action to the draft."""
    move = rules.move(board, state, draft, action)
    if move < 0:
        draft.chosen[draft.part] = action
        draft.part += 1
    else:
        draft.part = 0
        rules.play(board, state, move)


def set_result(run: Any, node: Any, winners: int) -> None:
    """Store the value and the proof of a position in which the game is over."""
    sides = int(run.sides)
    outcome = 0
    player = 0
    while winners >> player:
        if winners >> player & 1:
            outcome |= 1 << run.side_of[player]
        player += 1
    count = 0
    for side in range(sides):
        count += outcome >> side & 1
    for side in range(sides):
        node.value[side] = (outcome >> side & 1) / count if count else 1.0 / sides
    node.edge_count = TERMINAL
    node.proof = outcome if count else 1 << sides


def exact_value(proof: int, sides: int, side: int) -> float:
    """Return a side's share in a solved position."""
    if proof == 1 << sides:
        return 1.0 / sides
    return 1.0 if proof == 1 << side else 0.0


def completed_value(run: Any, nodes: Any, edge: Any, side: int, otherwise: float) -> float:
    """Return the value of an action for a side: proven, the mean of its visits, or `otherwise`."""
    if edge.child >= 0 and solved(nodes[edge.child].proof):
        return exact_value(int(nodes[edge.child].proof), int(run.sides), side)
    if edge.visits > 0:
        return edge.total[side] / edge.visits
    return otherwise


def mixed_value(run: Any, edges: Any, node: Any, side: int) -> float:
    """Return a node's value for a side, from the network's and those of the visited actions."""
    visits = 0
    probability = 0.0
    weighted = 0.0
    for index in range(node.first_edge, node.first_edge + node.edge_count):
        edge = edges[index]
        if edge.visits > 0:
            prior = math.exp(edge.prior) + 1e-9
            visits += edge.visits
            probability += prior
            weighted += prior * edge.total[side] / edge.visits
    if visits == 0:
        return float(node.value[side])
    return (node.value[side] + visits * weighted / probability) / (1.0 + visits)


def sigma(run: Any, edges: Any, node: Any) -> float:
    """Return the factor that makes values comparable to logits."""
    most = 0
    for index in range(node.first_edge, node.first_edge + node.edge_count):
        most = max(most, int(edges[index].visits))
    return float(run.value_scale * (run.visit_offset + most))


def _select_at_root(run: Any, nodes: Any, edges: Any, node: Any, wanted: int) -> int:
    """Return the edge that sequential halving visits next, one with `wanted` visits."""
    side = int(run.side_of[node.player])
    mixed = mixed_value(run, edges, node, side)
    scale = sigma(run, edges, node)
    best = 4.0 * WORST
    chosen = int(node.first_edge)
    for index in range(node.first_edge, node.first_edge + node.edge_count):
        edge = edges[index]
        score = edge.noise + edge.prior + scale * completed_value(run, nodes, edge, side, mixed)
        if edge.visits < wanted:
            score += WORST  # only where none has as many visits as wanted
        elif edge.visits > wanted:
            score += 2.0 * WORST
        if edge.child >= 0 and solved(nodes[edge.child].proof):
            score += 3.0 * WORST
        if score > best:
            best = score
            chosen = index
    return chosen


def _select_below(run: Any, nodes: Any, edges: Any, node: Any) -> int:
    """Return the edge whose share of the visits is furthest below the improved policy."""
    side = int(run.side_of[node.player])
    mixed = mixed_value(run, edges, node, side)
    scale = sigma(run, edges, node)
    highest = WORST
    visits = 0
    for index in range(node.first_edge, node.first_edge + node.edge_count):
        edge = edges[index]
        logit = edge.prior + scale * completed_value(run, nodes, edge, side, mixed)
        highest = max(highest, logit)
        visits += edge.visits
    total = 0.0
    for index in range(node.first_edge, node.first_edge + node.edge_count):
        edge = edges[index]
        logit = edge.prior + scale * completed_value(run, nodes, edge, side, mixed)
        total += math.exp(logit - highest)
    best = 2.0 * WORST
    chosen = int(node.first_edge)
    for index in range(node.first_edge, node.first_edge + node.edge_count):
        edge = edges[index]
        logit = edge.prior + scale * completed_value(run, nodes, edge, side, mixed)
        score = math.exp(logit - highest) / total - edge.visits / (1.0 + visits)
        if edge.child >= 0 and solved(nodes[edge.child].proof):
            score += WORST
        if score > best:
            best = score
            chosen = index
    return chosen


def expand_leaf(
    run: Any,
    board: Any,
    states: Any,
    drafts: Any,
    nodes: Any,
    edges: Any,
    trees: Any,
    moves: Any,
    mask: Any,
    logits: Any,
    values: Any,
    game: int,
) -> None:
    """Add the leaf's edges with the network's priors, and store its value.

    `values` are shares relative to the player to move: of the own side, then of the sides after it.
    """
    tree = trees[game]
    index = int(tree.leaf)
    node = nodes[index]
    if solved(node.proof) or node.edge_count != 0:
        return
    sides = int(run.sides)
    own = int(run.side_of[node.player])
    for offset in range(sides):
        node.value[(own + offset) % sides] = values[offset]
    count = int(rules.legal_mask(board, states[index], drafts[index], moves, mask))
    root = index == game * run.max_nodes
    if not root and tree.edge_count + count > run.edge_limit:
        return  # full: evaluated again if it is visited again
    highest = WORST
    for action in range(len(mask)):
        if mask[action]:
            highest = max(highest, float(logits[action]))
    total = 0.0
    for action in range(len(mask)):
        if mask[action]:
            total += math.exp(logits[action] - highest)
    normalizer = highest + math.log(total)
    random = int(tree.random)
    first = game * run.max_edges + tree.edge_count
    last = first
    for action in range(len(mask)):
        if mask[action] == 0:
            continue
        edge = edges[last]
        edge.node = index
        edge.child = -1
        edge.action = action
        edge.visits = 0
        edge.prior = logits[action] - normalizer
        edge.noise = 0.0
        if root and run.noise > 0:
            random = advance(random)
            uniform = (bounded(random, 1 << RANDOM_BITS) + 0.5) / (1 << RANDOM_BITS)
            edge.noise = -run.noise * math.log(-math.log(uniform))
        for side in range(sides):
            edge.total[side] = 0.0
        last += 1
    tree.random = random
    tree.edge_count += last - first
    node.first_edge = first
    node.edge_count = last - first


def backup(run: Any, nodes: Any, edges: Any, trees: Any, game: int) -> None:
    """Add the leaf's value to the edges above it, and back up a proof as far as it goes."""
    tree = trees[game]
    sides = int(run.sides)
    index = int(tree.leaf)
    proving = nodes[index].proof != 0
    for side in range(sides):
        tree.value[side] = nodes[index].value[side]
    while True:
        node = nodes[index]
        if solved(node.proof):
            for side in range(sides):
                tree.value[side] = exact_value(int(node.proof), sides, side)
        if node.edge < 0:
            return
        edge = edges[node.edge]
        edge.visits += 1
        for side in range(sides):
            edge.total[side] += tree.value[side]
        index = int(edge.node)
        if proving:
            proof = prove(run, nodes, edges, nodes[index])
            proving = proof != nodes[index].proof
            nodes[index].proof = proof


def prove(run: Any, nodes: Any, edges: Any, node: Any) -> int:
    """Return a node's proof from its children's, by the rules of `search.mcts.outcomes.prove`."""
    sides = int(run.sides)
    won = 1 << run.side_of[node.player]
    drawn = 1 << sides
    anything = 2 * drawn - 1
    union = 0
    not_lost = 0
    some_safe = False
    for index in range(node.first_edge, node.first_edge + node.edge_count):
        child = edges[index].child
        proof = int(nodes[child].proof) if child >= 0 else 0
        if proof == won:
            return int(won)
        if proof == 0:
            proof = anything
        union |= proof
        if proof & (won | drawn) == proof:
            some_safe = True
        if proof & (won | drawn):
            not_lost |= proof
    outcomes = union
    if some_safe:
        outcomes = union & (won | drawn) if sides == 2 else not_lost
    return int(outcomes) if outcomes != anything else 0
