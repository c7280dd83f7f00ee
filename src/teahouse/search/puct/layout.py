"""Records of the PUCT tree.

A node is a position, or a position with the first actions of a compound move. The children of a
node are consecutive and come after it. Values are shares of the win by side, 0 to 1.
"""

import numpy as np

ROOT = 0
NO_CHILDREN = 0  # `first_child` of a node that is not expanded
TERMINAL = -1  # `first_child` of a position in which the game is over
MAX_PLAYERS = 8
MAX_DEPTH = 1024  # actions from the root; deeper nodes are not expanded


def node_type(sides: int) -> np.dtype:
    """Return the record type of a node."""
    return np.dtype(
        [
            ("visits", np.int32),
            ("pending", np.int32),  # evaluations in progress below (virtual visits)
            ("action", np.int32),  # action that leads to this node
            ("move", np.int32),  # move completed by the action; -1 if parts are missing
            ("first_child", np.int32),
            ("child_count", np.int32),
            ("proof", np.int32),  # set of possible outcomes, see `mcts.outcomes`
            ("side", np.int32),  # side to move
            ("prior", np.float32),  # probability by the network's policy
            ("own_value", np.float64, (sides,)),  # network evaluation
            ("value", np.float64, (sides,)),  # mean of this node's and the visited children's
        ],
        align=True,
    )


RUN = np.dtype(
    [
        # parameters, see `PuctParams`
        ("c_puct", np.float64),
        ("fpu_reduction", np.float64),
        ("policy_temperature", np.float64),
        ("virtual_loss", np.float64),
        # the game
        ("sides", np.int64),
        ("side_of", np.int64, MAX_PLAYERS),
        ("outcome_of", np.int64, 1 << MAX_PLAYERS),  # by set of winning players
        # progress
        ("next_free", np.int64),  # node
        ("end", np.int64),
        ("known", np.int64),  # simulations of the last batch without an evaluation
    ],
    align=True,
)
"""State of a search: the `run` argument of kernels."""
