"""Records of the search tree.

A node is an index into `nodes` and `ucb`. The children of a node are consecutive. Values of a node
are from the view of the side that chose to move there.
"""

import numpy as np

ROOT = 0
PRUNED = -1.0  # q of a move that selection has to avoid: below the value of any other

MAX_PLAYERS = 8
MAX_DEPTH = 1024  # of the tree; rollouts start there at the latest
MAX_VISITS = 1 << 30  # of the root: counts have 32 bits, and other threads may be adding to it
AMAF_SLOTS = 1 << 12  # moves that share a slot blur each other's statistics, which is harmless
PLY_BITS = 16  # of a time stamp in `last_played`, below the number of the simulation
MAX_PLY = (1 << PLY_BITS) - 1

LOG_ROOTS = 1 << 10  # numbers of visits whose sqrt(log(visits + 1)) is in a table

NODE = np.dtype(
    [
        ("visits", np.int32),
        ("move", np.int32),  # that leads here
        ("first_child", np.int32),  # 0: not expanded
        ("child_count", np.int32),
        ("proof", np.int32),  # set of possible outcomes, see `outcomes`
        ("amaf_visits", np.int32),
        ("value", np.float64),  # mean reward of the visits
        ("amaf_value", np.float64),  # mean reward of the AMAF visits
    ],
    align=True,
)

UCB = np.dtype(
    [
        ("q", np.float32),  # the value, blended with the AMAF value
        ("bonus", np.float32),  # 1 / sqrt(visits), or 0 if the value is exact
    ]
)
"""Terms of a node's upper confidence bound, q + factor * bonus.

Selection scans these, so they are apart from `NODE`: as its fields they cost Orochi 8 % of its
simulations.
"""

RUN = np.dtype(
    [
        # parameters, see `SearchParams`
        ("exploration", np.float64),
        ("expansion_threshold", np.int64),
        ("first_play_urgency", np.float64),
        ("proofs", np.bool_),
        ("rave_equivalence", np.float64),
        ("amaf_threshold", np.int64),
        ("prior_visits", np.int64),
        ("rollout_cutoff", np.int64),
        ("weighted_rollouts", np.bool_),
        ("log_roots", np.float64, LOG_ROOTS),  # sqrt(log(visits + 1))
        # the game
        ("sides", np.int64),
        ("side_of", np.int64, MAX_PLAYERS),
        ("player_of", np.int64, MAX_PLAYERS),  # one player of each side
        ("outcome_of", np.int64, 1 << MAX_PLAYERS),  # by set of winning players
        # progress
        ("seed", np.int64),
        ("simulation", np.int64),  # number of the next one
        # nodes that this thread may allocate
        ("next_free", np.int64),
        ("end", np.int64),
        ("capacity", np.int64),  # free nodes when the root was set
        # the simulation in progress
        ("path", np.int64, MAX_DEPTH + 1),  # nodes from the root
        ("deciders", np.int64, MAX_DEPTH + 1),  # side to move at each of them
        ("reward_sums", np.float64, MAX_DEPTH + 1),  # of a batch, at each node of the path
        ("evaluation", np.float64, MAX_PLAYERS),  # reward of each side, if cut off
        ("new_proof", np.bool_),  # whether there is a proof to back up
        ("last_played", np.int64, AMAF_SLOTS),  # time stamp, by side and move
    ],
    align=True,
)
"""State of one thread of a search: the `run` argument of kernels."""
