"""Kernels of self-play: start games, act after a search, and record training targets.

The replay buffer is a ring of steps. In every step each game adds one row: its position, the
improved policy and the value target, which is complete once the game has ended.
"""

import math
from typing import Any

from teahouse.core.encoding import nth_legal
from teahouse.core.random import SEED_LIMIT, advance, bounded
from teahouse.learn.tree import (
    RANDOM_BITS,
    WORST,
    completed_value,
    exact_value,
    mixed_value,
    set_result,
    sigma,
    take_action,
)
from teahouse.search.mcts.outcomes import excludes, solved

rules: Any = None  # replaced when a kernel is bound

UNFINISHED = -1
"""`ends` of a row whose game goes on."""
ABANDONED = -2
"""`ends` of a row whose game has no result."""
MAX_FORCED = 16  # forced actions that are taken without a search


def start_game(
    run: Any,
    board: Any,
    states: Any,
    drafts: Any,
    trees: Any,
    moves: Any,
    mask: Any,
    step: int,
    game: int,
) -> None:
    """Start a new game with a random opening that does not end it."""
    tree = trees[game]
    root = game * run.max_nodes
    state = states[root]
    draft = drafts[root]
    random = int(tree.random)
    going = False
    while not going:
        random = advance(random)
        rules.start(board, state, random & (SEED_LIMIT - 1))
        draft.part = 0
        random = advance(random)
        for _ in range(bounded(random, int(run.opening) + 1)):
            if not state.over:
                count = int(rules.legal_mask(board, state, draft, moves, mask))
                random = advance(random)
                rank = bounded(random, count)
                take_action(board, state, draft, nth_legal(mask, rank))
        going = not state.over
    tree.random = random
    tree.first_step = step


def act(
    run: Any,
    board: Any,
    states: Any,
    drafts: Any,
    nodes: Any,
    edges: Any,
    trees: Any,
    moves: Any,
    mask: Any,
    replay_states: Any,
    replay_drafts: Any,
    finals: Any,
    policies: Any,
    targets: Any,
    exact: Any,
    ends: Any,
    step: int,
    game: int,
) -> None:
    """Record the searched position, take the chosen action, and start a new game if this one ends.

    A game whose result is proven mostly ends at once.
    """
    tree = trees[game]
    root = game * run.max_nodes
    row = step % run.ring
    at = row * run.games + game
    state = states[root]
    draft = drafts[root]
    node = nodes[root]
    sides = int(run.sides)
    replay_states[at] = states[root]
    replay_drafts[at] = drafts[root]
    finals[at] = states[root]
    chosen = _improve_policy(run, nodes, edges, node, policies[row][game])
    _set_value_target(run, edges, node, targets[row][game])
    exact[row][game] = solved(node.proof)
    ends[row][game] = UNFINISHED
    tree.action = edges[chosen].action
    random = advance(int(tree.random))
    tree.random = random
    playing_on = bounded(random, 1 << RANDOM_BITS) < run.play_on * (1 << RANDOM_BITS)
    over = False
    if solved(node.proof):
        tree.proven += 1
        over = not playing_on
    if over:
        for side in range(sides):
            tree.value[side] = exact_value(int(node.proof), sides, side)
    else:
        take_action(board, state, draft, int(tree.action))
        forced = 0
        while not state.over and forced < MAX_FORCED:
            if rules.legal_mask(board, state, draft, moves, mask) != 1:
                break
            take_action(board, state, draft, nth_legal(mask, 0))
            forced += 1
        if state.over:
            over = True
            finals[at] = states[root]
            set_result(run, node, rules.winners(board, state, moves))
            for side in range(sides):
                tree.value[side] = node.value[side]
    if over:
        tree.finished += 1
        for side in range(sides):
            tree.wins[side] += tree.value[side] == 1.0
        _complete_targets(run, replay_states, targets, exact, ends, trees, step, game)
    elif step - tree.first_step >= run.max_actions:
        first = max(int(tree.first_step), step - run.ring + 1)
        for earlier in range(first, step + 1):
            ends[earlier % run.ring][game] = ABANDONED
        over = True
    if over:
        start_game(run, board, states, drafts, trees, moves, mask, step + 1, game)


def _improve_policy(run: Any, nodes: Any, edges: Any, node: Any, policy: Any) -> int:
    """Write the improved policy and return the edge to play: a won one if there is any."""
    side = int(run.side_of[node.player])
    sides = int(run.sides)
    first = int(node.first_edge)
    end = first + int(node.edge_count)
    mixed = mixed_value(run, edges, node, side)
    scale = sigma(run, edges, node)
    most = 0
    for index in range(first, end):
        most = max(most, int(edges[index].visits))
    won = int(node.proof) == 1 << side
    lost = excludes(int(node.proof), sides, side)
    highest = 4.0 * WORST
    best = 4.0 * WORST
    chosen = first
    for index in range(first, end):
        edge = edges[index]
        score = _score(run, nodes, edge, side, scale, mixed, won, lost)
        highest = max(highest, score)
        score += edge.noise
        if edge.visits < most and not won:
            score += 0.5 * WORST
        if score > best:
            best = score
            chosen = index
    total = 0.0
    for index in range(first, end):
        score = _score(run, nodes, edges[index], side, scale, mixed, won, lost)
        total += math.exp(max(score - highest, -80.0)) * (score > highest - 80.0)
    for action in range(len(policy)):
        policy[action] = 0.0
    for index in range(first, end):
        score = _score(run, nodes, edges[index], side, scale, mixed, won, lost)
        weight = math.exp(max(score - highest, -80.0)) * (score > highest - 80.0)
        policy[edges[index].action] = weight / total
    return chosen


def _score(
    run: Any,
    nodes: Any,
    edge: Any,
    side: int,
    scale: float,
    mixed: float,
    won: bool,
    lost: bool,
) -> float:
    """Return an action's logit in the improved policy: equal for won ones, tiny for refuted ones.

    All actions of a lost position are compared as if nothing was proven.
    """
    proof = int(nodes[edge.child].proof) if edge.child >= 0 else 0
    if won:
        return 0.0 if proof == 1 << side else WORST
    if lost:
        return edge.prior
    if excludes(proof, int(run.sides), side):
        return WORST + edge.prior
    return edge.prior + scale * completed_value(run, nodes, edge, side, mixed)


def _set_value_target(run: Any, edges: Any, node: Any, target: Any) -> None:
    """Write the search's value, relative to the player to move."""
    sides = int(run.sides)
    own = int(run.side_of[node.player])
    for offset in range(sides):
        side = (own + offset) % sides
        if solved(node.proof):
            target[offset] = exact_value(int(node.proof), sides, side)
        else:
            target[offset] = mixed_value(run, edges, node, side)


def _complete_targets(
    run: Any,
    replay_states: Any,
    targets: Any,
    exact: Any,
    ends: Any,
    trees: Any,
    step: int,
    game: int,
) -> None:
    """Blend the game's result, `tree.value`, into the targets of its rows."""
    tree = trees[game]
    sides = int(run.sides)
    first = max(int(tree.first_step), step - run.ring + 1)
    for earlier in range(first, step + 1):
        row = earlier % run.ring
        ends[row][game] = step % run.ring
        if exact[row][game]:
            continue
        own = int(run.side_of[replay_states[row * run.games + game].player])
        target = targets[row][game]
        for offset in range(sides):
            result = tree.value[(own + offset) % sides]
            target[offset] = run.value_mix * target[offset] + (1.0 - run.value_mix) * result
