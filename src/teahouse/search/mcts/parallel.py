"""Lock-free parallel MCTS: the kernel each thread runs.

A cache line that one core wrote costs another core a good part of a simulation to fetch. So a
thread descends through the often visited nodes once for a batch of simulations and updates them
once. Virtual loss on these nodes sends other threads elsewhere in the meantime. Below them each
simulation of the batch selects its own path.
"""

from typing import Any

from teahouse.core.random import game_seed
from teahouse.search.mcts.layout import ROOT
from teahouse.search.mcts.outcomes import clamp, solved
from teahouse.search.mcts.rave import reward, update_amaf
from teahouse.search.mcts.tree import backpropagate, rollout, select_leaf

SHARED_VISITS = 128  # of a node that a batch shares: one visit more changes little there
BATCH = 16  # simulations


def simulate_parallel(
    boards: Any,
    states: Any,
    moves: Any,
    nodes: Any,
    ucb: Any,
    runs: Any,
    count: int,
) -> None:
    """Run simulations as `simulate` does, while other threads do the same on the tree."""
    run = runs[0]
    root = nodes[ROOT]
    own_seed = run.seed
    end = run.simulation + count
    while run.simulation < end and not solved(root.proof):
        seed = game_seed(own_seed, run.simulation)
        states[1] = states[0]
        run.path[0] = ROOT
        top = select_leaf(boards, states, moves, nodes, ucb, run, seed, 0, SHARED_VISITS)
        add_virtual_loss(nodes, ucb, run, top)
        states[3] = states[1]
        for level in range(1, top + 1):
            run.reward_sums[level] = 0.0
        size = 0
        last = 0  # outcome of the last simulation, at the top
        run.new_proof = False
        while size < BATCH and run.simulation < end and not run.new_proof:
            seed = game_seed(own_seed, run.simulation)
            states[1] = states[3]
            depth = select_leaf(boards, states, moves, nodes, ucb, run, seed, top, 0)
            outcome = rollout(boards, states, moves, nodes, run, seed, depth)
            if run.amaf_threshold > 0:
                update_amaf(nodes, ucb, run, depth, outcome)
            outcome = last = backpropagate(nodes, ucb, run, depth, top, outcome, 1)
            for level in range(top, 0, -1):
                proof = int(nodes[run.path[level]].proof)
                outcome = clamp(outcome, proof, run.sides)
                run.reward_sums[level] += reward(run, outcome, run.deciders[level - 1])
            run.simulation += 1
            size += 1
        backpropagate(nodes, ucb, run, top, 0, last, size)
        root.visits += size


def add_virtual_loss(nodes: Any, ucb: Any, run: Any, depth: int) -> None:
    """Lower q along the path as if every simulation of the batch were lost."""
    for level in range(1, depth + 1):
        index = run.path[level]
        ucb[index].q *= 1.0 - BATCH / (nodes[index].visits + BATCH)
