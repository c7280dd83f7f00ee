"""The suites: what they hold, answers proven on a sample, and a bot that finds them.

`make suite` checks all answers, and `tools/suite.py measure` asks the strongest bot.
"""

from collections import Counter

import pytest
from check_suite import check

import teahouse as th
from teahouse.search.suite import (
    KINDS,
    THE_ONLY_MOVE,
    WIN_THIS_TURN,
    Problem,
    decisions,
    option_text,
    problems,
    read,
    wins_this_turn,
)

every_game = pytest.mark.parametrize("name", th.games())
SAMPLE = 3  # of each kind


@every_game
def test_there_are_enough_problems_of_every_kind_and_they_make_sense(name: str) -> None:
    found = problems(name)
    assert len(found) >= 40
    assert len({problem.position for problem in found}) == len(found)
    kinds = Counter(problem.kind for problem in found)
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 10
    if th.load(name).options:
        assert len({option_text(problem.position.game) for problem in found}) >= 3
    for problem in found:
        assert read(name, problem.line()) == problem
        assert 0 < len(problem.moves) < len(problem.position.legal)
        assert set(problem.moves) < set(problem.position.legal)
        assert (len(problem.moves) == 1) or problem.kind != THE_ONLY_MOVE
        assert problem.keeps in ("win", "no loss", f"no loss in {decisions(problem.keeps)}")


def sample(name: str, kind: str) -> list[Problem]:
    """Problems that do not take long to check: those with the fewest moves."""
    own = [problem for problem in problems(name) if problem.kind == kind]
    own.sort(key=lambda problem: len(problem.position.legal))
    return own[:SAMPLE]


@every_game
@pytest.mark.parametrize("kind", KINDS)
def test_answers_hold_on_a_sample(name: str, kind: str) -> None:
    for problem in sample(name, kind):
        check(problem)


@every_game
def test_a_wrong_answer_is_found_out(name: str) -> None:
    for kind in KINDS:
        problem = sample(name, kind)[0]
        wrong = next(move for move in problem.position.legal if move not in problem.moves)
        for moves in ((wrong,), (*problem.moves, wrong)):
            with pytest.raises(AssertionError):
                check(Problem(problem.position, kind, problem.keeps, moves))


@every_game
def test_wins_this_turn_are_found_by_looking_at_the_turn_alone(name: str) -> None:
    for problem in problems(name):
        if problem.kind == WIN_THIS_TURN:
            assert wins_this_turn(problem.position, 3000) == list(problem.moves)
    assert wins_this_turn(th.load(name).start(), 1) is None


@every_game
def test_a_bot_finds_wins_this_turn_and_most_of_the_rest(name: str) -> None:
    """With far fewer simulations than the strongest bot has time for."""
    found: Counter[bool] = Counter()
    for problem in problems(name):
        analysis = th.analyse(problem.position, simulations=20_000, seed=1)
        right = analysis.best in problem.moves
        if problem.kind == WIN_THIS_TURN:
            assert right, problem
        else:
            found[right] += 1
    assert found[True] >= 0.8 * found.total()


def test_who_loses_anyway_leaves_the_win_to_several_others() -> None:
    lost = 0
    for problem in problems("fillit"):
        analysis = th.analyse(problem.position, simulations=20_000, seed=1)
        if all(move.proof == "loss" for move in analysis.moves):
            assert analysis.best in problem.moves, problem
            lost += 1
    assert lost > 0
