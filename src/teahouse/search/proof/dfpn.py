"""df-pn kernels: prove or disprove that a coalition of sides can force a set of outcomes.

The attackers try to force the goal; all other sides defend together. The proof number `pn` of a
node is a lower bound on the number of leaves still to be proven for the goal to hold, the disproof
number `dn` the same for its refutation. Nodes where an attacker decides are OR nodes, all others
AND nodes. The search is depth-first with a transposition table (df-pn, Nagai 2002), and uses

- the 1 + ε trick (Pawlewicz and Lew 2007) for the thresholds of the child to search next,
- weak proof numbers (Ueda et al. 2008): the largest of the children's numbers plus one for each
  other unsolved child, not their sum, which would count transpositions again and again,
- Zobrist keys over the bytes of a state.

No game repeats a position, so there are no cycles: neither the threshold controlling algorithm
(TCA) nor any other treatment of repetitions is needed.

    states       a record for each level of the path, and a last one to try moves on
    state_bytes  the same records as bytes
    zobrist      a random number for each byte of a state and each value of that byte
    moves        the legal moves at each level, and a last list as scratch space
    children     CHILD records, `run.max_moves` for each level
    frames       FRAME records, one for each level
    table        ENTRY records, the transposition table
    runs         one RUN record

A path as long as the buffers counts as refuted and sets `run.depth_limited`: then the goal may hold
although it was disproven.
"""

from typing import Any

import numpy as np

from teahouse.core.jit import rules
from teahouse.core.random import mix

INFINITE = (1 << 20) - 1
INITIAL = 8  # number of an unexpanded node for the side that has to answer all of its moves

PROVEN, REFUTED = -1, -2  # instead of a child's key

CHILD = np.dtype([("key", np.int64), ("pn", np.int64), ("dn", np.int64)], align=True)
"""A legal move of a node on the path: the key of the node it leads to, and that node's numbers."""

UNEXPANDED = 0  # a `count` of a frame
FRAME = np.dtype(
    [
        ("count", np.int64),  # number of legal moves
        ("child", np.int64),  # index of the child to search next
        ("pn_threshold", np.int64),
        ("dn_threshold", np.int64),
        ("key", np.int64),
        ("attacking", np.int64),  # 1 at an OR node, 0 at an AND node
        ("work", np.int64),  # nodes expanded in its subtree during this visit
    ],
    align=True,
)
"""A node on the path from the root."""

BUCKET = 4  # entries that a key may be stored in: a cache line
PN_SHIFT, DN_SHIFT = 42, 22
MAX_WORK = (1 << DN_SHIFT) - 1
ENTRY = np.dtype([("key", np.int64), ("packed", np.int64)], align=True)
"""A node in the transposition table; `packed` is pn (20 bits), dn (20 bits) and work (22 bits)."""

MAX_PLAYERS = 8
DRAW_BIT = 1 << MAX_PLAYERS  # in a set of outcomes; the bits below are the sides
RUN = np.dtype(
    [
        ("level", np.int64),  # depth of the current node
        ("nodes", np.int64),  # expanded so far
        ("generated", np.int64),  # moves generated so far
        ("draw_seen", np.int64),
        ("depth_limited", np.int64),  # whether a path was as long as the buffers
        ("max_plies", np.int64),  # limit on plies to reach the goal; 0: none
        ("max_moves", np.int64),  # children of a level
        ("root_only", np.int64),  # expand the root and stop; reset then
        ("goal", np.int64),  # the set of outcomes to force
        ("attackers", np.int64, (MAX_PLAYERS,)),  # 1 for each player who attacks
        ("outcome", np.int64, (1 << MAX_PLAYERS,)),  # outcome of each set of winners
    ],
    align=True,
)
"""What is searched for, and where the search stands."""


def zobrist_hash(zobrist: Any, state_bytes: Any) -> int:
    """Return the 62-bit Zobrist hash of a state's bytes.

    Different states collide with a chance of 1 in 10¹⁸. Proofs are verified without hashes.
    """
    value = 0
    for place in range(len(state_bytes)):
        value ^= zobrist[place << 8 | state_bytes[place]]
    return value


def node_key(zobrist: Any, state_bytes: Any, plies_left: int, attacking: int) -> int:
    """Return a node's key; its lowest bit is set at OR nodes.

    With a limit on plies the number of those left is part of the key.
    """
    key = zobrist_hash(zobrist, state_bytes)
    if plies_left > 0:
        key = mix(key ^ plies_left)
    return key & -2 | attacking


def search(
    boards: Any,
    states: Any,
    state_bytes: Any,
    zobrist: Any,
    moves: Any,
    children: Any,
    frames: Any,
    table: Any,
    runs: Any,
    nodes: int,
) -> int:
    """Expand up to `nodes` more nodes; return 1 once the root is proven or disproven, else 0."""
    board = boards[0]
    run = runs[0]
    stop = run.nodes + nodes
    while run.nodes < stop:
        level = run.level
        frame = frames[level]
        if frame.count == UNEXPANDED:
            expand(boards, states, state_bytes, zobrist, moves, children, frames, table, runs)
            if run.root_only:
                run.root_only = 0
                return 0
        if update(children, frames, table, runs):
            if level == 0:
                return 1
            run.level = level - 1
            frames[level - 1].work += frame.work
            probe_child(children, frames, table, runs)
        elif not probe_child(children, frames, table, runs):  # no transposition has changed it
            states[level + 1] = states[level]
            rules.play(board, states[level + 1], moves[level][frame.child])
            frames[level + 1].count = UNEXPANDED
            run.level = level + 1
    return 0


def expand(
    boards: Any,
    states: Any,
    state_bytes: Any,
    zobrist: Any,
    moves: Any,
    children: Any,
    frames: Any,
    table: Any,
    runs: Any,
) -> None:
    """Generate the children of the current node and look them up in the table."""
    board = boards[0]
    run = runs[0]
    run.nodes += 1
    level = run.level
    frame = frames[level]
    plies_left = run.max_plies - level
    last = len(states) - 1
    trial = states[last]
    state = states[level]
    own_moves = moves[level]
    scratch = moves[last]
    attacking = run.attackers[state.player]
    count = rules.legal(board, state, own_moves)
    frame.key = node_key(zobrist, state_bytes[level], plies_left, attacking)
    frame.attacking = attacking
    frame.work = 1
    frame.count = count
    run.generated += count
    for place in range(count):
        states[last] = states[level]
        rules.play(board, trial, own_moves[place])
        if trial.over:
            outcome = run.outcome[rules.winners(board, trial, scratch)]
            run.draw_seen |= int(outcome == DRAW_BIT)
            key = PROVEN if outcome & run.goal else REFUTED
        elif plies_left == 1:
            key = REFUTED
        elif level + 2 == last:
            run.depth_limited = 1
            key = REFUTED
        else:
            key = node_key(zobrist, state_bytes[last], plies_left - 1, run.attackers[trial.player])
        pn, dn = probe(table, key)
        child = children[level * run.max_moves + place]
        child.key = key
        child.pn = pn
        child.dn = dn


def update(children: Any, frames: Any, table: Any, runs: Any) -> bool:
    """Recompute (pn, dn) from the children; return whether a threshold is exceeded.

    If one is, store the numbers. If none is, select the best child and set its thresholds.
    """
    run = runs[0]
    level = run.level
    frame = frames[level]
    attacking = frame.attacking
    best = 0
    # At an OR node `own` is pn and `other` is dn, at an AND node dn and pn.
    own = INFINITE
    second = INFINITE
    other = 0
    unsolved = 0
    first = level * run.max_moves
    for place in range(frame.count):
        child = children[first + place]
        child_own = child.pn if attacking else child.dn
        child_other = child.dn if attacking else child.pn
        if child_own < own:
            second = own
            own = child_own
            best = place
        elif child_own < second:
            second = child_own
        if child_other > other:
            other = child_other
        unsolved += child_other > 0
    if unsolved > 1 and other < INFINITE:
        other = min(other + unsolved - 1, INFINITE - 1)
    if own == 0:
        other = INFINITE
    own_threshold = frame.pn_threshold if attacking else frame.dn_threshold
    other_threshold = frame.dn_threshold if attacking else frame.pn_threshold
    if own >= own_threshold or other >= other_threshold:
        pn = own if attacking else other
        dn = other if attacking else own
        store(table, frame.key, pn, dn, frame.work)
        return True
    frame.child = best
    own_threshold = min(own_threshold, second + 1 + second // 4)  # the 1 + ε trick
    if other_threshold < INFINITE:
        other_threshold -= unsolved - 1
    below = frames[level + 1]
    below.pn_threshold = own_threshold if attacking else other_threshold
    below.dn_threshold = other_threshold if attacking else own_threshold
    return False


def probe_child(children: Any, frames: Any, table: Any, runs: Any) -> bool:
    """Look the selected child up again; return whether its numbers have changed."""
    run = runs[0]
    level = run.level
    child = children[level * run.max_moves + frames[level].child]
    pn, dn = probe(table, child.key)
    changed = pn != child.pn or dn != child.dn
    child.pn = pn
    child.dn = dn
    return bool(changed)


def probe(table: Any, key: int) -> tuple[int, int]:
    """Return (pn, dn) of a key, or the initial numbers of an unexpanded node."""
    if key < 0:
        return (0, INFINITE) if key == PROVEN else (INFINITE, 0)
    first = bucket_start(table, key)
    for slot in range(first, first + BUCKET):
        if table[slot].key == key:
            packed = int(table[slot].packed)
            return packed >> PN_SHIFT, packed >> DN_SHIFT & INFINITE
    return (1, INITIAL) if key & 1 else (INITIAL, 1)


def bucket_start(table: Any, key: int) -> int:
    """Return the first slot of a key's bucket; the table's length is a power of 2."""
    return int(key & (len(table) - 1) & -BUCKET)


def store(table: Any, key: int, pn: int, dn: int, work: int) -> None:
    """Store a node's numbers, replacing the entry of its bucket that took the least work.

    Each replacement halves the work of all entries of the bucket, so that old ones age.
    """
    first = bucket_start(table, key)
    chosen = first
    least = MAX_WORK + 1
    for slot in range(first, first + BUCKET):
        spent = table[slot].packed & MAX_WORK
        if table[slot].key == key:
            work += spent
            chosen = slot
            least = 0
            break
        if spent < least:
            chosen = slot
            least = spent
    if least > 0:
        for slot in range(first, first + BUCKET):
            spent = table[slot].packed & MAX_WORK
            table[slot].packed -= spent - spent // 2
    table[chosen].key = key
    table[chosen].packed = pn << PN_SHIFT | dn << DN_SHIFT | min(work, MAX_WORK)
