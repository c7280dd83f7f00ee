"""What a tree is made of: the arrays that the kernels of the search share.

A node is a row of the arrays. The moves that can be played at a node are its children, and they lie
side by side. What a node is worth counts for the side that decided to go there, so that the choice
at a node reads nothing but its children's `worths` and `doubts`.

    rows     int32    WIDTH fields for each node: VISITS, MOVE, FIRST, COUNT, PROOF, HEARSAY
    scores   float64  two for each node: its score per visit, and what hearsay says of it
    worths   float32  both together, or what an unvisited or a proven move counts for
    doubts   float32  1 / sqrt(visits); 0 where the worth is proven
    notes    int64    facts about the game, and the path of the simulation that runs
    weights  float64  the settings, and each side's share of the outcome that was estimated
"""

NO_USE = -1.0  # the worth of a move that need not be looked into any more: below all others

ROOT = 0
VISITS, MOVE, FIRST, COUNT, PROOF, HEARSAY = range(6)
WIDTH = 6

MAX_PLAYERS = 8
LONGEST_PATH = 1024  # decisions from the root; what lies beyond is left to the playouts
# In the notes: the first free row and the end of the rows this thread may fill, sides, each
# player's side, a player of each side, the outcome for each set of winners, the path with its nodes
# and the side that decides at each of them, for each side and move when it was last played: a slot
# may serve several, which does no harm; whether there is a new proof to pass on; and how many rows
# this thread could fill when it began at the root.
USED = 0
END = 1
SIDES = 2
SIDE = 3
PLAYER = SIDE + MAX_PLAYERS
OUTCOME = PLAYER + MAX_PLAYERS
PATH = OUTCOME + (1 << MAX_PLAYERS)
DECIDERS = PATH + LONGEST_PATH + 1
PLAYED = DECIDERS + LONGEST_PATH + 1
SLOTS = 1 << 12
NEWS = PLAYED + SLOTS
ROOM = NEWS + 1
NOTES = ROOM + 1
TIME_BITS = 16  # of the decision's number within a simulation, in what PLAYED notes
LATEST = (1 << TIME_BITS) - 1

# In the weights: how much doubt counts beside the worth; visits of a node before its children get
# room; what an unvisited move is worth, if not what its parent is; whether proofs are kept; visits
# until what is seen outweighs hearsay; how many visits an estimate stands for; decisions until a
# playout is cut off and estimated; whether playouts lean to good moves; visits up to which moves
# played later count; each side's share; and sums of shares at the nodes of the path.
EXPLORATION, EXPAND_AFTER, FIRST_PLAY, PROOFS, TRUST, PRIOR, CUTOFF, LEAN, REPLAY = range(9)
SHARE = 9
SUMS = SHARE + MAX_PLAYERS
WEIGHTS = SUMS + LONGEST_PATH + 1
