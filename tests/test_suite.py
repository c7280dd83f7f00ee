"""Test positions: answers proven on a sample, and the search that finds them.

`make suite` proves all answers; `tools/suite.py` measures the strongest bot.
"""

from collections import Counter
from dataclasses import replace

import pytest
from check_suite import check
from support.variants import STUDIED

import teahouse as th
from teahouse.search.suite import (
    KINDS,
    WIN_THIS_TURN,
    Problem,
    problems,
    wins_this_turn,
)

every_game = pytest.mark.parametrize("name", STUDIED)
SAMPLE = 3  # of each kind


def sample(name: str, kind: str) -> list[Problem]:
    """Return the problems with the fewest moves, which are the fastest to check."""
    own = [problem for problem in problems(name) if problem.kind == kind]
    own.sort(key=lambda problem: len(problem.position.legal))
    return own[:SAMPLE]


@every_game
@pytest.mark.parametrize("kind", KINDS)
def test_answers_of_a_sample_are_proven(name: str, kind: str) -> None:
    for problem in sample(name, kind):
        check(problem)


@every_game
def test_wrong_answers_are_rejected(name: str) -> None:
    for kind in KINDS:
        problem = sample(name, kind)[0]
        wrong = next(move for move in problem.position.legal if move not in problem.moves)
        for moves in ((wrong,), (*problem.moves, wrong)):
            with pytest.raises(AssertionError):
                check(replace(problem, moves=moves))


@every_game
def test_wins_this_turn_are_found_within_the_turn(name: str) -> None:
    for problem in problems(name):
        if problem.kind == WIN_THIS_TURN:
            assert wins_this_turn(problem.position, 3000) == list(problem.moves)
    assert wins_this_turn(th.load(name).start(), 1) is None


@every_game
def test_search_finds_all_wins_this_turn_and_most_other_answers(name: str) -> None:
    """The budget is a small part of the strongest bot's."""
    found: Counter[bool] = Counter()
    for problem in problems(name):
        analysis = th.analyse(problem.position, simulations=20_000, seed=1)
        right = analysis.best in problem.moves
        if problem.kind == WIN_THIS_TURN:
            assert right, problem
        else:
            found[right] += 1
    assert found[True] >= 0.8 * found.total()


def test_lost_positions_keep_the_winner_open_among_several_sides() -> None:
    lost = 0
    for problem in problems("fillit"):
        analysis = th.analyse(problem.position, simulations=20_000, seed=1)
        if all(move.proof == "loss" for move in analysis.moves):
            assert analysis.best in problem.moves, problem
            lost += 1
    assert lost > 0
