"""Outcomes and proofs: kernels.

An outcome has a bit for each winning side, or the bit after them for a draw. A proof is the set of
outcomes, as the union of their bits, that a node can still have; 0 stands for all of them.
"""

from typing import Any


def solved(proof: int) -> bool:
    """Return whether a single outcome is left."""
    return proof != 0 and proof & (proof - 1) == 0


def clamp(outcome: int, proof: int, sides: int) -> int:
    """Return a rollout's outcome, corrected where the proof rules it out."""
    if proof == 0 or outcome == 0 or outcome & proof:
        return outcome
    if solved(proof):
        return proof
    return 1 << sides if proof >> sides & 1 else outcome


def excludes(proof: int, sides: int, side: int) -> bool:
    """Return whether the proof rules out both a win of the side and a draw."""
    return proof != 0 and proof & (1 << side | 1 << sides) == 0


def prove(nodes: Any, node: Any, sides: int, side: int) -> int:
    """Return a node's proof from its children's, if `side` is to move there.

    A won move is played. A move that cannot lose is preferred to a lost one; with two sides that
    rules out a loss. Any of several lost moves may be played if they leave the win to different
    sides, so a loss may be proven before its winner is.
    """
    won = 1 << side
    drawn = 1 << sides
    anything = 2 * drawn - 1
    union = 0
    not_lost = 0
    some_safe = False
    first = int(node.first_child)
    for child in range(first, first + node.child_count):
        proof = int(nodes[child].proof)
        if proof == won:
            return won
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
    return outcomes if outcomes != anything else 0
