"""PUCT search: the kernels that select leaves, and that expand and back up evaluated ones.

Threads share a tree under a lock: an evaluation takes a hundred times as long as these kernels.
`rules` stands for the kernels of a game's rules and encoding (`core.encoding`).
"""

import math
from typing import Any

from teahouse.core.encoding import observe_game
from teahouse.search.mcts.outcomes import excludes, prove, solved
from teahouse.search.puct.layout import MAX_DEPTH, NO_CHILDREN, ROOT, TERMINAL

rules: Any = None  # replaced when a kernel is bound

COLLISION = -1
AVOIDED = -1000.0  # score of a child that selection has to avoid


def select_leaves(
    boards: Any,
    states: Any,
    drafts: Any,
    moves: Any,
    mask: Any,
    offsets: Any,
    nodes: Any,
    runs: Any,
    planes: Any,
    paths: Any,
    depths: Any,
    count: int,
) -> int:
    """Select up to `count` leaves from the position in states[0]; return how many to evaluate.

    Write the observation and the path of each. Leaves with a known result are backed up at once;
    `run.known` is their number. Stop early at a leaf that is being evaluated.
    """
    run = runs[0]
    run.known = 0
    selected = 0
    while selected + run.known < count and not solved(nodes[ROOT].proof):
        path = paths[selected]
        states[1] = states[0]
        drafts[0].part = 0
        depth = descend(boards, states, drafts, moves, mask, nodes, run, path)
        if depth == COLLISION:
            break
        leaf = nodes[path[depth]]
        if leaf.first_child == TERMINAL or solved(leaf.proof):
            back_up(nodes, run, path, depth)
            run.known += 1
            continue
        for level in range(depth + 1):
            nodes[path[level]].pending += 1
        state = states[1]
        observe_game(boards[0], state, drafts[0], int(state.player), offsets, planes[selected])
        depths[selected] = depth
        selected += 1
    return selected


def descend(
    boards: Any,
    states: Any,
    drafts: Any,
    moves: Any,
    mask: Any,
    nodes: Any,
    run: Any,
    path: Any,
) -> int:
    """Descend to a leaf and add its children; return its depth, or `COLLISION`."""
    state = states[1]
    draft = drafts[0]
    index = ROOT
    path[0] = ROOT
    depth = 0
    while True:
        node = nodes[index]
        if node.first_child == TERMINAL or solved(node.proof):
            return depth
        if node.first_child == NO_CHILDREN:
            if node.pending > 0:
                return COLLISION
            node.side = run.side_of[state.player]
            if depth < MAX_DEPTH and run.next_free + len(mask) <= run.end:
                add_children(boards, states, drafts, moves, mask, nodes, run, index)
            return depth
        if node.visits == 0:
            return COLLISION
        index = best_child(nodes, node, run)
        depth += 1
        path[depth] = index
        chosen = nodes[index]
        if chosen.move < 0:
            draft.chosen[draft.part] = chosen.action
            draft.part += 1
        else:
            draft.part = 0
            rules.play(boards[0], state, chosen.move)


def add_children(
    boards: Any,
    states: Any,
    drafts: Any,
    moves: Any,
    mask: Any,
    nodes: Any,
    run: Any,
    index: int,
) -> None:
    """Add a child for each legal action; prove those that end the game, and thereby the node."""
    board = boards[0]
    node = nodes[index]
    rules.legal_mask(board, states[1], drafts[0], moves, mask)
    last = int(run.next_free)
    for action in range(len(mask)):
        if not mask[action]:
            continue
        move = int(rules.move(board, states[1], drafts[0], action))
        child = nodes[last]
        child.visits = 0
        child.pending = 0
        child.action = action
        child.move = move
        child.first_child = NO_CHILDREN
        child.child_count = 0
        child.proof = 0
        child.prior = 0.0
        if move >= 0:
            states[2] = states[1]
            rules.play(board, states[2], move)
            if states[2].over:
                child.first_child = TERMINAL
                child.proof = run.outcome_of[rules.winners(board, states[2], moves)]
                set_outcome(child, run)
        last += 1
    node.first_child = run.next_free
    node.child_count = last - run.next_free
    run.next_free = last
    node.proof = prove(nodes, node, run.sides, node.side)
    if solved(node.proof):
        set_outcome(node, run)


def set_outcome(node: Any, run: Any) -> None:
    """Set the value of a node to that of its outcome; several winners share the win."""
    sides = run.sides
    drawn = node.proof >> sides & 1
    winners = 0
    for side in range(sides):
        winners += drawn | node.proof >> side & 1
    for side in range(sides):
        node.value[side] = (drawn | node.proof >> side & 1) / winners


def best_child(nodes: Any, node: Any, run: Any) -> int:
    """Return the child with the highest value plus exploration bonus."""
    side = int(node.side)
    sides = run.sides
    first = int(node.first_child)
    end = first + int(node.child_count)
    visited = 0.0
    for index in range(first, end):
        if nodes[index].visits > 0:
            visited += nodes[index].prior
    urgency = node.value[side] - run.fpu_reduction * math.sqrt(visited)
    factor = run.c_puct * math.sqrt(float(node.visits + node.pending))
    best = first
    highest = 2 * AVOIDED
    for index in range(first, end):
        child = nodes[index]
        visits = float(child.visits)
        pending = float(child.pending)
        value = urgency
        if visits > 0:
            value = child.value[side]
        if pending > 0:
            # A first evaluation in progress counts as one visit of the urgency.
            weight = max(1.0, visits)
            value *= weight / (weight + run.virtual_loss * pending)
        score = value + factor * child.prior / (1.0 + visits + pending)
        if child.proof != 0:
            if (sides == 2 and solved(child.proof)) or excludes(child.proof, sides, side):
                score = AVOIDED + value
            elif solved(child.proof):
                score = child.value[side]  # exact: no bonus
        if score > highest:
            highest = score
            best = index
    return best


def back_up_evaluations(
    nodes: Any, runs: Any, paths: Any, depths: Any, logits: Any, values: Any, count: int
) -> None:
    """Expand the selected leaves by the network's output and back up their values."""
    run = runs[0]
    sides = run.sides
    for number in range(count):
        path = paths[number]
        depth = int(depths[number])
        for level in range(depth + 1):
            nodes[path[level]].pending -= 1
        leaf = nodes[path[depth]]
        scores = values[number]
        highest = scores[0]
        for index in range(1, sides):
            highest = max(highest, scores[index])
        total = 0.0
        for index in range(sides):
            total += math.exp(scores[index] - highest)
        for index in range(sides):  # the own side comes first, the others in turn order
            side = (leaf.side + index) % sides
            leaf.own_value[side] = math.exp(scores[index] - highest) / total
            leaf.value[side] = leaf.own_value[side]
        set_priors(nodes, leaf, logits[number], run.policy_temperature)
        back_up(nodes, run, path, depth)


def set_priors(nodes: Any, node: Any, logits: Any, temperature: float) -> None:
    """Set the children's priors to the softmax of their logits."""
    first = int(node.first_child)
    if first <= 0:
        return
    end = first + int(node.child_count)
    highest = logits[nodes[first].action]
    for index in range(first + 1, end):
        highest = max(highest, logits[nodes[index].action])
    total = 0.0
    for index in range(first, end):
        total += math.exp((logits[nodes[index].action] - highest) / temperature)
    for index in range(first, end):
        weight = math.exp((logits[nodes[index].action] - highest) / temperature)
        nodes[index].prior = weight / total


def back_up(nodes: Any, run: Any, path: Any, depth: int) -> None:
    """Count a visit along the path, and update proofs and values above the leaf."""
    nodes[path[depth]].visits += 1
    changed = nodes[path[depth]].proof != 0
    for level in range(depth - 1, -1, -1):
        node = nodes[path[level]]
        node.visits += 1
        if changed:
            proof = prove(nodes, node, run.sides, node.side)
            changed = proof != node.proof
            node.proof = proof
        if solved(node.proof):
            set_outcome(node, run)
        else:
            average_children(nodes, node, run)


def average_children(nodes: Any, node: Any, run: Any) -> None:
    """Set a node's value to the mean of its own and its children's, weighted by visits.

    Leave out moves that are proven to lose if there is another one: they will not be played.
    """
    sides = run.sides
    lost = excludes(node.proof, sides, node.side)
    for side in range(sides):
        node.value[side] = node.own_value[side]
    total = 1
    for index in range(node.first_child, node.first_child + node.child_count):
        child = nodes[index]
        if child.visits > 0 and (lost or not excludes(child.proof, sides, node.side)):
            total += child.visits
            for side in range(sides):
                node.value[side] += child.visits * child.value[side]
    for side in range(sides):
        node.value[side] /= total
    if node.proof != 0:
        clamp_value(node, sides)


def clamp_value(node: Any, sides: int) -> None:
    """Clamp a node's value to what its proof allows."""
    share = 1.0 / sides
    for side in range(sides):
        if excludes(node.proof, sides, side):
            node.value[side] = 0.0
        elif not node.proof >> side & 1:
            node.value[side] = min(node.value[side], share)
        elif node.proof & ~(1 << side | 1 << sides) == 0:
            node.value[side] = max(node.value[side], share)


def reroot_tree(nodes: Any, targets: Any, root: int, end: int) -> int:
    """Move the subtree of a node to the front; return its number of nodes.

    `targets` has a zero for each node. Children come after their parent, so one pass finds all
    nodes of the subtree, and no node moves backwards.
    """
    targets[root] = 1
    for index in range(root, end):
        if targets[index]:
            first = int(nodes[index].first_child)
            if first > 0:
                for child in range(first, first + nodes[index].child_count):
                    targets[child] = 1
    count = 0
    for index in range(root, end):
        if targets[index]:
            targets[index] = count
            nodes[count] = nodes[index]
            count += 1
    for index in range(count):
        if nodes[index].first_child > 0:
            nodes[index].first_child = targets[nodes[index].first_child]
    return count
