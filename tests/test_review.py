"""Reviews: grades, proofs, accuracy, the same result however they are computed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from support.positions import late_record
from support.variants import KINDS, STUDIED, ids

import teahouse as th
from teahouse.search import evaluations
from teahouse.search import review as rv
from teahouse.search.chances import calibrated
from teahouse.search.evaluations import COARSE, DEEP, FULL, Evaluation, LineMove, PositionEvaluator
from teahouse.search.review import Reviewing, grade_of, tasks_of
from teahouse.search.suite import WIN_THIS_TURN, problems

PAIR = next(game for game in KINDS if game.teams == ((0,), (1,)))
THREE = next(game for game in KINDS if len(game.teams) == 3)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search with the budgets of the lowest levels."""
    monkeypatch.setattr(evaluations, "BUDGETS", {COARSE: 1, FULL: 3, DEEP: 4})


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_the_end_of_a_game(game: th.Game) -> None:
    record = late_record(game, seed=2, count=5)
    found = th.review(record, threads=1)
    assert found.complete
    assert found.fraction == 1.0
    assert len(found.moves) == len(record.moves)
    assert len(found.chances) == len(found.proven) == len(record.moves) + 1
    for chances in found.chances:
        assert chances is not None
        assert sum(chances) == pytest.approx(1.0)
    winners = {game.side(player) for player in record.position.winners}
    assert found.proven[-1] == (winners.pop() if winners else -1)
    assert all(move.grade is not None for move in found.moves)
    assert all(bool(move.line) == (move.loss > 0) for move in found.moves)
    for move in found.moves:
        position = record.positions[move.number - 1]
        assert move.player == position.player
        for one in move.line:  # the better line is legal
            position = position.play(one.move)


@pytest.mark.parametrize("name", STUDIED)
def test_a_missed_win_is_a_blunder(name: str) -> None:
    problem = next(
        one
        for one in problems(name)
        if one.kind == WIN_THIS_TURN and len(one.position.legal) > len(one.moves)
    )
    position = problem.position
    wrong = next(move for move in position.legal if move not in problem.moves)
    record = th.Record(position.game, position)
    record.play(wrong)
    state = Reviewing(record.game, record.moves)
    done = PositionEvaluator().evaluate(tasks_of(record, [1, 0]), FULL)
    state.known = {one.ply: one for one in done}
    (move,) = state.review().moves
    assert move.grade in rv.WRONG
    assert move.best in problem.moves
    assert move.missed == "win"


@pytest.mark.usefixtures("quick")
def test_the_same_review_with_threads_and_after_interruptions() -> None:
    record = late_record(PAIR, seed=1, count=6)
    complete = th.review(record, threads=1)
    assert th.review(record, threads=2) == complete
    cancel = Event()
    parts: list[th.Review] = []

    def stop(found: th.Review) -> None:
        parts.append(found)
        cancel.set()

    interrupted = th.review(record, threads=1, progress=stop, cancel=cancel)
    assert not interrupted.complete
    assert interrupted.fraction < 1.0
    state = Reviewing(record.game, record.moves)
    while True:  # one position at a time, each by a searcher that knows nothing
        stage, plies = state.pending()
        if not plies:
            break
        for one in PositionEvaluator().evaluate(tasks_of(record, plies[-1:]), stage):
            state.known[one.ply] = one
    assert state.review() == complete


def test_a_value_that_another_thread_drops_is_searched_again() -> None:
    class Forgetful(OrderedDict[Any, Any]):
        def __contains__(self, key: object) -> bool:
            found = super().__contains__(key)
            self.clear()
            return found

    evaluator, position = PositionEvaluator(), th.load("orochi", side=2).start()
    evaluator._known = Forgetful()
    value = evaluator._value(position, 20, None)
    assert position in {one for one, _ in evaluator._known}
    assert evaluator._value(position, 20, None) == value


def test_grades() -> None:
    assert [grade_of(loss) for loss in (0, 0.019, 0.02, 0.05, 0.1, 0.199, 0.2, 1)] == [
        *("best", "best", "fine", "inaccuracy", "mistake", "mistake", "blunder", "blunder")
    ]


def evaluation(ply: int, player: int, chance: float, **fields: object) -> Evaluation:
    """Return the evaluation of a position in which the best move was played."""
    chances = (chance, 1 - chance) if player == 0 else (1 - chance, chance)
    plain = Evaluation(
        ply, FULL, player, chances, None, 2, "a", "a", (), played_chance=chance, best_chance=chance
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


def test_losses_and_accuracy() -> None:
    line = (LineMove("b", 0, "Play b"),)
    known = {
        0: evaluation(0, 0, 0.6, best="b", line=line, best_chance=0.6, played_chance=0.45),
        1: evaluation(1, 1, 0.55),
        2: evaluation(2, 0, 0.45, choices=1, played_chance=None, best_chance=None),
        3: evaluation(3, 1, 0.55, played=None),
    }
    found = Reviewing(PAIR, ["a", "a", "a"], known).review()
    assert [move.grade for move in found.moves] == ["mistake", "best", "forced"]
    assert found.moves[0].loss == pytest.approx(0.15)
    assert found.accuracy == pytest.approx((50.0, 100.0))
    assert found.mistakes == (1,)
    assert found.moves[0].line == line


def test_proofs_are_backed_up() -> None:
    """A move to a won position had won before; one to a lost position gives everything away."""
    line = (LineMove("b", 1, "Play b"),)
    known = {
        0: evaluation(0, 0, 0.5),
        1: evaluation(1, 1, 0.7, best="b", line=line, best_chance=0.7, played_chance=0.4),
        2: evaluation(2, 0, 0.6),
        3: evaluation(3, 0, 1.0, proof="win"),
        4: evaluation(4, 1, 0.0, proof="loss", played=None),
    }
    found = Reviewing(PAIR, ["a"] * 4, known).review()
    assert found.proven == (None, None, 0, 0, 0)
    assert found.moves[1].loss == pytest.approx(0.7)
    assert found.moves[1].proof == "loss"
    assert found.moves[2].missed == "win"


def test_three_sides_know_no_winner_by_a_loss() -> None:
    third = 1 / 3
    plain = Evaluation(0, FULL, 0, (third, third, third), None, 2, "a", "a")
    known = {
        0: replace(plain, played_chance=third, best_chance=third),
        1: replace(plain, ply=1, player=1, proof="loss", played=None),
    }
    found = Reviewing(THREE, ["a"], known).review()
    assert found.proven == (None, None)
    assert found.moves[0].proof is None


def test_doubtful_moves_are_verified() -> None:
    line = (LineMove("b", 0, "Play b"),)
    wrong = evaluation(0, 0, 0.6, best="b", line=line, best_chance=0.6, played_chance=0.3)
    state = Reviewing(PAIR, ["a", "a"], {})
    assert state.pending() == (COARSE, [2, 1, 0])
    state.known = {ply: evaluation(ply, ply % 2, 0.5) for ply in range(3)}
    assert state.pending()[1] == []
    state.known[0] = wrong
    assert state.pending() == (DEEP, [0])
    state.known[0] = replace(wrong, stage=DEEP, best_chance=0.31)
    assert state.pending()[1] == []
    assert state.review().complete


def test_another_move_is_judged() -> None:
    line = (LineMove("b", 0, "Play b"),)
    known = {
        0: evaluation(0, 0, 0.6, best="b", line=line, best_chance=0.6, played_chance=0.3),
        1: evaluation(1, 1, 0.7, played=None),
    }
    state = Reviewing(PAIR, ["a"], known)
    best, played = state.judge(0, "b"), state.judge(0, "a")
    assert best is not None
    assert best.grade == "best"
    assert played is not None
    assert played.grade == "blunder"
    assert state.judge(0, "c") is None
    tried = state.judge(0, "c", evaluation(0, 0, 0.6, played="c", played_chance=0.53))
    assert tried is not None
    assert tried.grade == "inaccuracy"


def test_a_record_without_moves() -> None:
    found = th.review(th.Record(PAIR, late_record(PAIR, 1, 1).positions[0]), threads=1)
    assert found.complete
    assert found.moves == ()
    assert found.accuracy == (None, None)


def test_calibrated_chances() -> None:
    assert calibrated((0.6, 0.4), 1.0) == pytest.approx((0.6, 0.4))
    assert calibrated((0.6, 0.4), 2.0) == pytest.approx((0.36 / 0.52, 0.16 / 0.52))
    assert sum(calibrated((0.5, 0.3, 0.2), 0.5)) == pytest.approx(1.0)
    assert calibrated((1.0, 0.0), 3.0) == (1.0, 0.0)
