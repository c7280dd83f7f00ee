"""Proofs of MCTS-Solver compared with brute force."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.positions import children, late_positions, maze
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.core.pyrecord import PyRecords
from teahouse.search.mcts.layout import NODE, ROOT
from teahouse.search.mcts.outcomes import prove

every_kind = pytest.mark.parametrize("game", KINDS, ids=ids)

SMALL = th.load("orochi", side=2)
DRAW = -1
MAX_POSITIONS = 2500  # of brute force
MAX_PLIES = 30


class TooManyPositionsError(Exception):
    pass


def solve(
    position: th.Position, seen: dict[bytes, frozenset[int]], depth: int = 0
) -> frozenset[int]:
    """Return the possible outcomes under perfect play, by brute force."""
    game = position.game
    known = seen.get(position.state)
    if known is not None:
        return known
    if len(seen) > MAX_POSITIONS or depth > MAX_PLIES:
        raise TooManyPositionsError
    if position.over:
        outcomes = frozenset(game.side(player) for player in position.winners) or {DRAW}
    else:
        side = game.side(position.player)
        after = [solve(child, seen, depth + 1) for child in children(position)]
        if {side} in after:
            outcomes = frozenset({side})
        elif {DRAW} in after:
            outcomes = frozenset().union(*(ends for ends in after if ends & {side, DRAW}))
        else:
            outcomes = frozenset().union(*after)
    seen[position.state] = frozenset(outcomes)
    return seen[position.state]


def proof_of(position: th.Position, outcomes: frozenset[int]) -> str | None:
    """Return the proof of a move with these outcomes for the player to move."""
    side = position.game.side(position.player)
    if outcomes == {side}:
        return "win"
    if outcomes == {DRAW}:
        return "draw"
    return None if outcomes & {side, DRAW} else "loss"


@cache
def small_solutions() -> dict[bytes, frozenset[int]]:
    seen: dict[bytes, frozenset[int]] = {}
    solve(SMALL.start(), seen)
    return seen


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_proofs_on_the_smallest_board_match_brute_force(data: st.DataObject) -> None:
    position = SMALL.start()
    for _ in range(data.draw(st.integers(0, 5))):
        after = [child for child in children(position) if not child.over]
        if after:
            position = data.draw(st.sampled_from(after))
    analysis = th.analyse(position, simulations=60_000, seed=data.draw(st.integers(0, 99)))
    for found in analysis.moves:
        child = position.play(found.move)
        assert found.proof in (None, proof_of(position, small_solutions()[child.state]))
    # The board is small enough to be solved, and the best move keeps the value.
    best = analysis.moves[0]
    truth = proof_of(position, small_solutions()[position.state])
    assert best.proof == truth
    assert analysis.value == {"win": 1.0, "loss": 0.0}[truth or ""]


@every_kind
def test_proofs_near_the_end_match_brute_force(game: Game) -> None:
    for seed in range(2):
        seen: dict[bytes, frozenset[int]] = {}
        for position in reversed(late_positions(game, seed, count=6)):
            try:
                solve(position, seen)
            except TooManyPositionsError:
                break
            analysis = th.analyse(position, simulations=2_000, seed=seed)
            for found in analysis.moves:
                child = position.play(found.move)
                assert found.proof in (None, proof_of(position, seen[child.state]))


@every_kind
def test_wins_this_turn_are_found(game: Game) -> None:
    for seed in range(5):
        (position,) = late_positions(game, seed, count=1)
        analysis = th.analyse(position, simulations=20 * len(position.legal), seed=seed)
        if any(position.player in child.winners for child in children(position)):
            assert analysis.value == 1.0
            assert analysis.moves[0].proof == "win"


@pytest.mark.parametrize("table", ["two", "three", "teams"])
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_proofs_in_random_mazes_match_brute_force(table: str, seed: int) -> None:
    position = maze(table, seed)
    seen: dict[bytes, frozenset[int]] = {}
    solve(position, seen)
    analysis = th.analyse(position, simulations=20_000, seed=seed)
    for found in analysis.moves:
        assert found.proof in (None, proof_of(position, seen[position.play(found.move).state]))
    if table != "three":  # a game of two sides is always solved
        best = analysis.moves[0]
        assert best.proof == proof_of(position, seen[position.state])
        assert analysis.value == {"win": 1.0, "draw": 0.5, "loss": 0.0}[best.proof or ""]


def test_all_values_are_proven_with_three_sides() -> None:
    proofs = [
        found.proof
        for seed in range(60)
        for found in th.analyse(maze("three", seed), simulations=5_000).moves
    ]
    assert min(proofs.count("win"), proofs.count("loss"), proofs.count("draw")) >= 5


def test_only_winning_moves_are_found() -> None:
    """Every position of the smallest board with exactly one winning move."""
    tried = 0
    for state, outcomes in small_solutions().items():
        position = th.Position(SMALL, state, 0)
        if position.over or proof_of(position, outcomes) != "win":
            continue
        good = [
            move
            for move, child in zip(position.legal, children(position), strict=True)
            if proof_of(position, small_solutions()[child.state]) == "win"
        ]
        if len(good) == 1 and len(position.legal) > 1:
            assert th.analyse(position, simulations=60_000).best == good[0]
            tried += 1
    assert tried >= 20


def nodes_with_proofs(*proofs: int) -> Any:
    """Return a root whose children have these proofs."""
    nodes: Any = PyRecords.zeros(1 + len(proofs), NODE)
    nodes[ROOT].first_child, nodes[ROOT].child_count = 1, len(proofs)
    for child, proof in enumerate(proofs, start=1):
        nodes[child].proof = proof
    return nodes


@pytest.mark.parametrize(
    ("proofs", "known"),
    [
        ((0b0010, 0, 0b0001), 0b0001),  # a win decides
        ((0b0010, 0), 0),  # an unknown child may be better
        ((0b0010, 0b0100), 0b0110),  # lost to either opponent
        ((0b0010, 0b0010), 0b0010),
        ((0b0010, 0b1000), 0b1000),  # a draw is better than a loss
        ((0b0011, 0b0010, 0b1000), 0b1011),  # a possible win is not given up for a draw
        ((0b0011, 0b1100), 0),  # nothing is excluded
    ],
)
def test_proofs_with_three_sides(proofs: tuple[int, ...], known: int) -> None:
    """Bits 0 to 2 are sides, bit 3 is a draw; side 0 is to move."""
    nodes = nodes_with_proofs(*proofs)
    assert prove(nodes, nodes[ROOT], sides=3, side=0) == known


@pytest.mark.parametrize(
    ("proofs", "known"),
    [
        ((0b010, 0b001, 0), 0b001),
        ((0b010, 0), 0),
        ((0b100, 0), 0b101),  # a draw is certain, so a loss is excluded
        ((0b101, 0b110), 0b101),
        ((0b110, 0b100), 0b100),  # nothing wins
        ((0b110, 0b010), 0b110),
        ((0b010, 0b010), 0b010),
    ],
)
def test_proofs_with_two_sides(proofs: tuple[int, ...], known: int) -> None:
    """Bits 0 and 1 are sides, bit 2 is a draw; side 0 is to move."""
    nodes = nodes_with_proofs(*proofs)
    assert prove(nodes, nodes[ROOT], sides=2, side=0) == known
