"""Solving: values against brute force, proofs checked move by move, limits and interruptions."""

import random
from importlib import import_module
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proof_check import BadProofError, check_strategy, check_text
from variants import ALL, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.search import proving
from teahouse.search.proof import written
from teahouse.search.prover import DRAW, Claim, Prover
from teahouse.search.solve import Effort, Solution, solve

SMALL = th.load("orochi", side=2)
KINDS = list({(game.name, game.teams): game for game in reversed(ALL)}.values())


def maze(table: str, seed: int) -> th.Position:
    """The start of a game invented for tests; it is no game of the house."""
    folders = import_module("teahouse.games").__path__
    folders.append(str(Path(__file__).parent / "invented"))
    try:
        return Game("maze", {"table": table, "seed": seed}).start()
    finally:
        folders.pop()


def can_force(position: th.Position, claim: Claim) -> bool:
    """Brute force: whether a claim holds."""
    game = position.game
    if position.over:
        won = {side for side, team in enumerate(game.teams) if set(team) & set(position.winners)}
        return bool((won or {DRAW}) & claim.ends)
    forces = any(position.player in game.teams[side] for side in claim.by)
    return (any if forces else all)(
        can_force(position.play(move), claim) for move in position.legal
    )


def value_of(position: th.Position) -> str | None:
    """Brute force: win, draw or loss for the player who decides."""
    sides = range(len(position.game.teams))
    own = next(side for side in sides if position.player in position.game.teams[side])
    winner = [
        side for side in sides if can_force(position, Claim(frozenset({side}), frozenset({side})))
    ]
    if winner:
        return "win" if winner == [own] else "loss"
    return "draw" if len(sides) == 2 else None


def checked(solution: Solution) -> list[str]:
    """The claims of a solution's written proofs, all checked."""
    claims = check_text("\n".join(written(solution.proofs())) + "\n")
    assert claims == solution.says()
    return claims


@pytest.mark.parametrize("table", ["two", "three", "teams"])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_values_in_random_mazes_are_those_of_brute_force(table: str, seed: int) -> None:
    start = maze(table, seed)
    solution = solve(start, memory=1)
    assert solution.complete
    assert solution.value == value_of(start)
    sides = [solution.position.game.teams[side] for claim in solution.claims for side in claim.by]
    assert sides
    for proof in solution.proofs():
        assert can_force(start, proof.claim)
        names = [
            "".join(start.game.players[player] for player in team) for team in start.game.teams
        ]
        assert names
        by, ends = named(start, proof.claim)
        check_strategy(start, by, ends, proof.moves)


def named(position: th.Position, claim: Claim) -> tuple[list[str], list[str]]:
    game = position.game
    names = ["+".join(game.players[player] for player in team) for team in game.teams]
    ends = ["draw" if end == DRAW else names[end] for end in sorted(claim.ends)]
    return [names[side] for side in sorted(claim.by)], ends
