"""RAVE: kernels of AMAF statistics and priors.

AMAF (all moves as first) credits a move at a node with every simulation in which the same side
played it later. A prior is the evaluation of the child's position, counted as AMAF visits.
"""

from typing import Any

from teahouse.core.jit import rules
from teahouse.search.mcts.layout import AMAF_SLOTS, PLY_BITS, PRUNED


def init_priors(
    boards: Any,
    states: Any,
    nodes: Any,
    ucb: Any,
    run: Any,
    first: int,
    count: int,
    urgency: float,
) -> None:
    """Initialise each child's prior from the evaluation of the position it leads to."""
    board = boards[0]
    player = states[1].player
    for child in range(first, first + count):
        node = nodes[child]
        states[2] = states[1]
        rules.play(board, states[2], node.move)
        if not states[2].over:
            node.amaf_value = rules.evaluate(board, states[2], player)
            node.amaf_visits = run.prior_visits
            jitter = ucb[child].q - urgency
            ucb[child].q = node.amaf_value + jitter


def amaf_slot(move: int, side: int) -> int:
    """Return the slot of a side's move in `last_played`."""
    return (move + (move >> 12) + side * 1361) & AMAF_SLOTS - 1


def update_amaf(nodes: Any, ucb: Any, run: Any, depth: int, outcome: int) -> None:
    """Update AMAF statistics of the children along the path."""
    for level in range(depth):
        node = nodes[run.path[level]]
        if node.visits > run.amaf_threshold:
            continue
        first = int(node.first_child)
        side = run.deciders[level]
        result = reward(run, outcome, side)
        earliest = run.simulation << PLY_BITS | level
        for index in range(first, first + node.child_count):
            child = nodes[index]
            if (
                run.last_played[amaf_slot(int(child.move), side)] >= earliest
                and ucb[index].q > PRUNED
            ):
                visits = child.amaf_visits + 1
                child.amaf_visits = visits
                child.amaf_value += (result - child.amaf_value) / visits
                ucb[index].q = blend(child, run.rave_equivalence)


def blend(node: Any, equivalence: float) -> float:
    """Return the mean of a node's value and AMAF value, weighted by the RAVE schedule."""
    visits = float(node.visits)
    amaf_visits = float(node.amaf_visits)
    beta = amaf_visits / (amaf_visits + visits + amaf_visits * visits / equivalence)
    return float(node.value + beta * (node.amaf_value - node.value))


def reward(run: Any, outcome: int, side: int) -> float:
    """Return a side's reward: 1 for a win, an equal share for a draw, else 0.

    Outcome 0 stands for a rollout that was cut off: return the evaluation.
    """
    if outcome == 0:
        return float(run.evaluation[side])
    sides = run.sides
    return (outcome >> side & 1) + (outcome >> sides & 1) / float(sides)
