"""Outcomes of games, and proofs of them: kernels.

An outcome is a bit for each side that wins, or the bit after them for a draw. A proof is the set of
outcomes that a node can still have, 0 while nothing is known; one bit says how the game ends.
"""

from typing import Any

from teahouse.search.mcts.layout import COUNT, FIRST, PROOF, WIDTH


def settled(proof: int) -> bool:
    """Whether one outcome alone is left."""
    return proof != 0 and proof & (proof - 1) == 0


def within(outcome: int, proof: int, sides: int) -> int:
    """An outcome of a playout put right by what is proven."""
    if proof == 0 or outcome == 0 or outcome & proof:
        return outcome
    if settled(proof):
        return proof
    return 1 << sides if proof >> sides & 1 else outcome


def lost(proof: int, sides: int, side: int) -> bool:
    """Whether a side neither wins nor draws, whoever else wins."""
    return proof != 0 and proof & (1 << side | 1 << sides) == 0


def proven(rows: Any, node: int, sides: int, side: int) -> int:
    """The outcomes that a node can have, from its children's and from what the side wants.

    A won move is played. One that cannot lose is not given up for one that is lost; between two
    sides that alone rules a loss out. Of lost moves that leave the win to several others any may be
    played, so that a loss is known before its winner is.
    """
    won = 1 << side
    drawn = 1 << sides
    anything = 2 * drawn - 1
    every = 0
    not_lost = 0
    some_safe = False
    first = int(rows[node * WIDTH + FIRST])
    for child in range(first, first + rows[node * WIDTH + COUNT]):
        proof = int(rows[child * WIDTH + PROOF])
        if proof == won:
            return won
        if proof == 0:
            proof = anything
        every |= proof
        if proof & (won | drawn) == proof:
            some_safe = True
        if proof & (won | drawn):
            not_lost |= proof
    outcomes = every
    if some_safe:
        outcomes = every & (won | drawn) if sides == 2 else not_lost
    return outcomes if outcomes != anything else 0
