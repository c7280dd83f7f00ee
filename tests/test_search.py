"""Tree search: the same tree interpreted and compiled, budgets, limits, cancelling."""

import threading
from threading import Event, Thread
from typing import Any

import pytest
from support.positions import children, late_positions
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.pyrecord import PyRecords
from teahouse.search import engine as engine_module
from teahouse.search.arena import parse_player
from teahouse.search.mcts import search as search_module
from teahouse.search.mcts.layout import NODE, PRUNED, RUN, UCB
from teahouse.search.mcts.parallel import BATCH, SHARED_VISITS
from teahouse.search.mcts.params import SearchParams
from teahouse.search.mcts.search import MAX_SIMULATIONS, NODE_BYTES, TreeSearch
from teahouse.search.mcts.tree import backpropagate, best_child
from teahouse.search.result import AnalysedMove, _rank, summarize

every_kind = pytest.mark.parametrize("game", KINDS, ids=ids)

SMALL = th.load("orochi", side=2)


@every_kind
def test_interpreted_and_compiled_trees_are_equal(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions = [game.start(seed=2), *late_positions(game, seed=2, count=4)[:1]]
    long_games = game.playouts(10).moves > 1500  # slow when interpreted
    half = 30 if long_games else 125

    def signatures() -> list[tuple[int, str]]:
        jit.clear()
        found = []
        for position in positions:
            search = TreeSearch(position, seed=5, memory=1 << 20, simulations=2 * half)
            search.run(half)
            search.run(half)
            found.append((search.simulations, search.signature()))
            best = max(search.children(), key=lambda child: child.visits)
            assert search.advance(position.play(position.legal[search.children().index(best)]))
            search.run(half // 5)
            found.append((search.simulations, search.signature()))
        return found

    compiled = signatures()
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    assert signatures() == compiled
    analysis = th.analyse(positions[0], simulations=9, threads=2)
    assert analysis.simulations == 9
    jit.clear()


def test_of_lost_moves_the_most_promising_is_selected() -> None:
    sides, side = 3, 0
    nodes: Any = PyRecords.zeros(4, NODE)
    ucb: Any = PyRecords.zeros(4, UCB)
    run: Any = PyRecords.zeros(1, RUN)[0]
    run.sides, run.deciders[0] = sides, side
    others_win = 0b110
    for child, value in ((1, 0.2), (2, 0.6), (3, 0.1)):
        nodes[child].visits, nodes[child].value = 99, value
        nodes[child].proof = others_win if child < 3 else 0
        run.path[1] = child
        backpropagate(nodes, ucb, run, 1, 0, 0b010, 1)
    unlikely, likely, unknown = (ucb[child].q for child in (1, 2, 3))
    assert unlikely < likely <= PRUNED < unknown
    assert best_child(ucb, 1, 2, 0.1) == 2
    assert best_child(ucb, 1, 3, 0.1) == 3


@every_kind
def test_an_analysis_covers_every_move(game: Game) -> None:
    position = game.start(seed=3)
    analysis = th.analyse(position, simulations=1500, seed=4)
    assert {found.move for found in analysis.moves} == {*position.legal}
    assert analysis.moves[0].move == analysis.best
    assert sum(found.visits for found in analysis.moves) == analysis.simulations == 1500
    assert all(0 <= found.value <= 1 for found in analysis.moves)
    best = max(analysis.moves, key=lambda found: found.visits)
    assert (analysis.best, analysis.value) == (best.move, best.value)
    assert analysis.line[0] == analysis.best
    for move in analysis.line:
        position = position.play(move)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("simulations", [1, 2, 1000, 1001])
def test_a_simulation_budget_is_exact(threads: int, simulations: int) -> None:
    position = th.load("orochi").start()
    analysis = th.analyse(position, simulations=simulations, threads=threads)
    assert analysis.simulations == simulations


@pytest.mark.parametrize("simulations", [1, 2, 1000, 1001])
def test_one_thread_is_deterministic(simulations: int) -> None:
    position = th.load("orochi").start()

    def found(seed: int) -> tuple[object, ...]:
        analysis = th.analyse(position, simulations=simulations, seed=seed)
        return (analysis.best, analysis.value, analysis.line, analysis.moves)

    assert found(7) == found(7)
    assert simulations == 1 or found(7) != found(8)


def test_a_batch_is_not_spent_on_one_rarely_visited_move() -> None:
    search = TreeSearch(
        th.load("fillit").start(), seed=1, memory=1 << 24, simulations=9000, threads=2
    )
    search.run(4 * SHARED_VISITS)
    before = [child.visits for child in search.children()]
    assert max(before) < SHARED_VISITS
    search.run(BATCH)
    after = [child.visits for child in search.children()]
    assert sum(after) - sum(before) == BATCH
    assert sum(new > old for new, old in zip(after, before, strict=True)) > 1


def test_slices_make_no_difference() -> None:
    in_one_run = TreeSearch(th.load("orochi").start(), seed=1, memory=1 << 24, simulations=1000)
    in_one_run.run(1000)
    in_slices = TreeSearch(th.load("orochi").start(), seed=1, memory=1 << 24, simulations=1000)
    for count in (1, 0, 399, 600):
        in_slices.run(count)
    assert in_one_run.signature() == in_slices.signature()


@every_kind
def test_a_full_tree_is_searched_on(game: Game) -> None:
    position = game.start()
    search = TreeSearch(position, seed=0, memory=1 << 18, simulations=MAX_SIMULATIONS)
    assert search.memory <= max(1 << 18, 2 * game.layout.max_moves * NODE_BYTES)
    search.run(20_000)
    assert search.solved or search.simulations == 20_000
    assert sum(child.visits for child in search.children()) == search.simulations
    tiny = TreeSearch(
        position, seed=0, memory=1, simulations=MAX_SIMULATIONS
    )  # the root's moves fit
    tiny.run(100)
    assert not any(tiny.children(child.node) for child in tiny.children())  # nothing else did
    assert sum(child.visits for child in tiny.children()) == 100
    assert th.analyse(position, simulations=500, memory=1, threads=2).simulations == 500


def test_the_search_stops_when_the_root_is_solved() -> None:
    analysis = th.analyse(SMALL.start(), simulations=MAX_SIMULATIONS)
    assert analysis.simulations < MAX_SIMULATIONS
    assert analysis.value in (0.0, 1.0)
    assert th.analyse(SMALL.start(), seconds=3600, threads=2).value == analysis.value


def test_a_time_budget_is_used() -> None:
    analysis = th.analyse(th.load("orochi").start(), seconds=0.02)
    assert analysis.seconds >= 0.02
    assert analysis.simulations > 0


@pytest.mark.parametrize("threads", [1, 2])
def test_cancelling(threads: int) -> None:
    cancel = Event()
    reported: list[th.Analysis] = []

    def progress(analysis: th.Analysis) -> None:
        reported.append(analysis)
        cancel.set()

    analysis = th.analyse(
        th.load("orochi").start(),
        simulations=MAX_SIMULATIONS,
        threads=threads,
        progress=progress,
        cancel=cancel,
    )
    assert len(reported) == 1
    assert 0 < reported[0].simulations <= analysis.simulations < MAX_SIMULATIONS


def test_cancelling_from_another_thread() -> None:
    started, cancel = Event(), Event()

    def wait_and_cancel() -> None:
        started.wait()
        cancel.set()

    other = Thread(target=wait_and_cancel)
    other.start()
    analysis = th.analyse(
        th.load("orochi").start(),
        simulations=MAX_SIMULATIONS,
        progress=lambda analysis: started.set(),
        cancel=cancel,
    )
    other.join()
    assert analysis.simulations < MAX_SIMULATIONS


def search_threads() -> list[str]:
    return [one.name for one in threading.enumerate() if one.name.startswith("ThreadPoolExecutor")]


def test_no_thread_searches_on_after_an_exception() -> None:
    def interrupt(_: th.Analysis) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        th.analyse(th.load("orochi").start(), seconds=60, threads=2, progress=interrupt)
    assert raised.tb is not None  # which keeps all frames of the search
    assert not search_threads()


def test_no_thread_searches_while_a_cancelled_search_is_summarized(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cancel = Event()
    cancel.set()
    running: list[list[str]] = []

    def watch(*arguments: Any) -> th.Analysis:
        running.append(search_threads())
        return summarize(*arguments)

    monkeypatch.setattr(engine_module, "summarize", watch)
    th.analyse(th.load("orochi").start(), seconds=60, threads=2, cancel=cancel)
    assert running == [[]]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_ends_before_counts_of_visits_overflow(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "MAX_VISITS", 500)
    analysis = th.analyse(th.load("orochi").start(), seconds=3600, threads=threads)
    assert analysis.simulations >= 500


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"seconds": 1, "simulations": 1}, "either seconds or simulations"),
        ({"seconds": 0}, "seconds must be a number above 0"),
        ({"seconds": float("nan")}, "seconds must be a number above 0"),
        ({"seconds": "1"}, "seconds must be a number above 0"),
        ({"seconds": True}, "seconds must be a number above 0"),
        ({"simulations": 0}, "simulations must be an integer from 1"),
        ({"simulations": 2.0}, "simulations must be an integer from 1"),
        ({"simulations": 1 << 60}, "simulations must be an integer from 1"),
        ({"threads": 0}, "threads must be an integer from 1 to 64"),
        ({"memory": 0}, "memory must be an integer from 1 to"),
        ({"seed": -1}, "seed must be an integer from 0 to"),
    ],
)
def test_bad_values_raise(options: dict[str, float], reason: str) -> None:
    with pytest.raises(th.OptionError, match=reason):
        th.analyse(SMALL.start(), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("expansion_threshold", 0, "at least 1, got 0"),
        ("rave_equivalence", 0.0, "above 0"),
        ("exploration", float("nan"), "a number"),
    ],
)
def test_parameters_are_checked(name: str, value: float, reason: str) -> None:
    with pytest.raises(th.OptionError, match=f"{name} must be {reason}"):
        SearchParams(**{name: value})  # type: ignore[arg-type]
    if value == 0:
        with pytest.raises(th.OptionError, match=f"{name} must be {reason}"):
            parse_player(SMALL, f"search:{name}=0")


def test_a_finished_game_raises() -> None:
    (position,) = late_positions(SMALL, seed=1, count=1)
    over = next(child for child in children(position) if child.over)
    with pytest.raises(ValueError, match="the game is over"):
        th.analyse(over)


def test_moves_are_ordered_by_best_proof_visits_and_value() -> None:
    moves = (
        AnalysedMove("lost", 900, 0.0, "loss"),
        AnalysedMove("visited", 500, 0.4, None),
        AnalysedMove("drawn", 90, 0.5, "draw"),
        AnalysedMove("valued", 90, 0.6, None),
        AnalysedMove("won", 2, 1.0, "win"),
        AnalysedMove("best", 1, 1.0, "win"),
    )
    ordered = sorted(moves, key=lambda found: _rank(found, moves[-1]), reverse=True)
    ranked = [found.move for found in ordered]
    assert ranked == ["best", "won", "visited", "valued", "drawn", "lost"]
