"""Records of the self-play trees.

Every game of a batch owns a range of `max_nodes` nodes, states and drafts, and a range of
`max_edges` edges. A node is a position, or a position with the first actions of a compound move;
an edge is an action. Values are shares of the win by side, 0 to 1; a draw is an equal share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from teahouse.core.game import Game

MAX_PLAYERS = 8
TERMINAL = -1  # `edge_count` of a position in which the game is over

RUN = np.dtype(
    [
        ("sides", np.int32),
        ("side_of", np.int32, MAX_PLAYERS),
        ("max_nodes", np.int32),  # per game
        ("max_edges", np.int32),  # per game: those of any root fit
        ("edge_limit", np.int32),  # edges up to which other nodes are expanded
        ("considered", np.int32),  # actions at the root that sequential halving starts with
        ("noise", np.float32),  # scale of the Gumbel noise at the root
        ("value_scale", np.float32),  # weight of a value against a logit, see `tree.sigma`
        ("visit_offset", np.float32),
        ("opening", np.int32),  # upper bound of the random actions at the start of a game
        ("max_actions", np.int32),  # a longer game is abandoned
        ("play_on", np.float32),  # probability of playing on when the result is proven
        ("value_mix", np.float32),  # weight of the search's value in the value target
        ("ring", np.int32),  # steps that the replay buffer holds
        ("games", np.int32),
    ],
    align=True,
)
"""Parameters of a batch: the `run` argument of kernels."""


def node_type(sides: int) -> np.dtype:
    """Return the record type of a node."""
    return np.dtype(
        [
            ("player", np.int32),
            ("edge", np.int32),  # edge that leads to this node; -1 at the root
            ("first_edge", np.int32),
            ("edge_count", np.int32),  # 0: not expanded
            ("proof", np.int32),  # set of possible outcomes, see `search.mcts.outcomes`
            ("value", np.float32, (sides,)),  # network evaluation, or the result
        ],
        align=True,
    )


def edge_type(sides: int) -> np.dtype:
    """Return the record type of an edge."""
    return np.dtype(
        [
            ("node", np.int32),  # source node
            ("child", np.int32),  # -1: not visited
            ("action", np.int32),
            ("visits", np.int32),
            ("prior", np.float32),  # logarithm of the network's probability
            ("noise", np.float32),  # Gumbel noise at the root
            ("total", np.float32, (sides,)),  # sum of the visits' values
        ],
        align=True,
    )


def tree_type(sides: int) -> np.dtype:
    """Return the record type of a game's tree and progress."""
    return np.dtype(
        [
            ("random", np.int64),
            ("first_step", np.int64),  # first step of the game
            ("node_count", np.int32),
            ("edge_count", np.int32),
            ("leaf", np.int32),
            ("simulation", np.int32),
            ("value", np.float32, (sides,)),  # scratch of `backup`
            ("action", np.int32),  # last one taken
            ("finished", np.int32),  # games so far
            ("wins", np.int32, (sides,)),  # wins of each side
            ("proven", np.int32),  # searches that proved the root
        ],
        align=True,
    )


def run_record(game: Game, **values: float) -> np.ndarray:
    """Return the parameters of a batch as an array of one record."""
    runs = np.zeros(1, RUN)
    runs["sides"] = len(game.teams)
    for player in range(len(game.players)):
        runs["side_of"][0, player] = game.side(player)
    for name, value in values.items():
        runs[name] = value
    return runs
