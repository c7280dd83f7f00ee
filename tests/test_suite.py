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


def has_default_layout(problem: Problem) -> bool:
    """Return whether the kernels of the game's defaults serve: others take long to compile."""
    game = problem.position.game
    layout, default = game.layout, th.load(game.name).layout
    return (layout.board.dtype, layout.state) == (default.board.dtype, default.state)


def sample(name: str, kind: str) -> list[Problem]:
    """Return a few problems that are fast to check: with default layout, then with few moves."""
    own = [problem for problem in problems(name) if problem.kind == kind]
    own.sort(key=lambda problem: (not has_default_layout(problem), len(problem.position.legal)))
    return own[:SAMPLE]


@every_game
@pytest.mark.parametrize("kind", KINDS)
def test_answers_of_a_sample_are_proven(name: str, kind: str) -> None:
    for problem in sample(name, kind):
        check(problem)


@pytest.mark.long
@every_game
def test_all_answers_are_proven(name: str) -> None:
    for problem in problems(name):
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


def assert_search_solves(chosen: list[Problem]) -> None:
    """Search with a small part of the strongest bot's budget; require all wins this turn."""
    solved: Counter[bool] = Counter()
    for problem in chosen:
        analysis = th.analyse(problem.position, simulations=20_000, seed=1)
        correct = analysis.best in problem.moves
        if problem.kind == WIN_THIS_TURN:
            assert correct, problem
        else:
            solved[correct] += 1
    assert solved[True] >= 0.8 * solved.total()


@every_game
def test_search_finds_wins_this_turn_and_most_other_answers(name: str) -> None:
    assert_search_solves([problem for problem in problems(name) if has_default_layout(problem)])


@pytest.mark.long
@every_game
def test_search_finds_answers_of_all_variants(name: str) -> None:
    assert_search_solves(problems(name))


def test_lost_positions_keep_the_winner_open_among_three_sides() -> None:
    lost = 0
    for problem in problems("fillit"):
        if problem.position.game.options["mode"] != "3":
            continue
        analysis = th.analyse(problem.position, simulations=20_000, seed=1)
        if all(move.proof == "loss" for move in analysis.moves):
            assert analysis.best in problem.moves, problem
            lost += 1
    assert lost > 0
