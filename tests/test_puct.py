"""PUCT search with a network: trees, proofs, budgets, compound moves, several sides."""

from threading import Event, Thread

import numpy as np
import pytest
from support.networks import small_network
from support.positions import children, late_positions
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.search.engine import Engine
from teahouse.search.mcts.outcomes import solved
from teahouse.search.mcts.params import SearchParams
from teahouse.search.mcts.search import Child
from teahouse.search.networks import Network
from teahouse.search.puct.evaluator import Evaluator
from teahouse.search.puct.params import PuctParams
from teahouse.search.puct.search import PuctSearch
from teahouse.search.result import Analysis, _Cursor

every_kind = pytest.mark.parametrize("game", KINDS, ids=ids)

SMALL = th.load("orochi", side=3)
NETWORK = small_network(SMALL)


def interpreted(
    position: th.Position, network: Network, seed: int = 0, memory: int = 8 << 20, **params: float
) -> PuctSearch:
    """Return a search that compiles nothing."""
    puct = PuctParams(**params)  # type: ignore[arg-type]
    return PuctSearch(position, seed, memory, 200, network, puct, backend=jit.INTERPRETED)


@every_kind
def test_moves_of_the_root_are_complete_and_legal(game: Game) -> None:
    position = game.start(seed=1)
    search = interpreted(position, small_network(game))
    assert search.children() == []
    search.run(40)
    found = search.children()
    assert [child.move for child in found] == [position.move(text) for text in position.legal]
    assert search.simulations == 40 and not search.solved
    assert sum(child.visits for child in found) <= 39
    assert all(0 <= child.value <= 1 and child.prior >= 0 for child in found)
    assert max(child.visits for child in found) > 0
    if all(child.node >= 0 for child in found):  # else some first actions have no children yet
        assert sum(child.prior for child in found) == pytest.approx(1, abs=1e-5)


@every_kind
def test_values_of_all_sides_add_up(game: Game) -> None:
    search = interpreted(game.start(seed=1), small_network(game, scale=2.0))
    search.run(30)
    nodes = search.nodes
    visited = nodes[nodes["visits"] > 0]
    assert len(visited) > 20
    assert visited["value"].sum(axis=1) == pytest.approx(np.ones(len(visited)))
    assert not nodes["pending"].any()


@every_kind
def test_moves_that_end_the_game_are_proven(game: Game) -> None:
    (position,) = late_positions(game, seed=3, count=1)
    search = interpreted(position, small_network(game))
    search.run(1)
    ends = 0
    for text, child in zip(position.legal, search.children(), strict=True):
        after = position.play(text)
        if after.over and child.node >= 0:
            ends += 1
            sides = {game.side(player) for player in after.winners} or {len(game.teams)}
            assert child.proof == sum(1 << side for side in sides)
    assert ends


def test_interpreted_and_compiled_trees_are_equal() -> None:
    for position in (SMALL.start(), *late_positions(SMALL, seed=2, count=8)[:1]):
        signatures = set()
        for backend in (jit.INTERPRETED, jit.COMPILED):
            search = PuctSearch(position, 5, 8 << 20, 200, NETWORK, PuctParams(), backend=backend)
            search.run(60)
            search.run(60)
            signatures.add(search.signature())
        assert len(signatures) == 1


def test_a_seed_repeats_a_search_and_another_one_changes_it() -> None:
    def signature(seed: int) -> str:
        search = interpreted(SMALL.start(), NETWORK, seed=seed)
        search.run(80)
        return search.signature()

    assert signature(1) == signature(1)
    assert len({signature(seed) for seed in range(4)}) > 1


def can_win(position: th.Position, player: int) -> bool:
    """Return whether a player of two can force a win."""
    if position.over:
        return player in position.winners
    results = (can_win(after, player) for after in children(position))
    return any(results) if position.player == player else all(results)


def test_proofs_agree_with_minimax() -> None:
    for seed in range(12):
        position, *_ = late_positions(SMALL, seed, 4)
        search = interpreted(position, NETWORK)
        search.run(2_000)
        assert search.solved
        won = any(child.proof == 1 << position.player for child in search.children())
        assert won == can_win(position, position.player)


def test_proven_moves_are_not_visited_again() -> None:
    *_, position = late_positions(SMALL, seed=5, count=6)[:2]
    search = interpreted(position, NETWORK)
    for _ in range(100):
        before = {child.node: child for child in search.children()}
        search.run(1)
        if search.solved:
            break
        for child in search.children():
            known = before.get(child.node)
            if known and solved(known.proof):
                assert child.visits == known.visits


def test_the_tree_is_reused() -> None:
    search = interpreted(SMALL.start(), NETWORK)
    search.run(120)
    best = max(search.children(), key=lambda child: child.visits)
    texts = {SMALL.start().move(text): text for text in SMALL.start().legal}
    after = SMALL.start().play(texts[best.move])
    expected = sorted((c.move, c.visits, c.value) for c in search.children(best.node))
    assert search.advance(after)
    assert search.root_visits == best.visits
    assert sorted((c.move, c.visits, c.value) for c in search.children()) == expected
    search.run(20)
    assert search.root_visits == best.visits + 20
    assert not search.advance(SMALL.start())
    search.reset(SMALL.start(), 1)
    assert search.root_visits == 0 and search.children() == []


@pytest.mark.parametrize("name", ["oolong", "toot"])
def test_the_tree_is_reused_after_compound_moves(name: str) -> None:
    position = th.load(name).start(seed=1)
    search = interpreted(position, small_network(position.game))
    search.run(60)
    best = max(search.children(), key=lambda child: child.visits)
    text = next(text for text in position.legal if position.move(text) == best.move)
    assert search.advance(position.play(text))
    assert search.root_visits == best.visits


def test_a_full_tree_is_searched_on() -> None:
    search = interpreted(SMALL.start(), NETWORK, memory=30_000)
    search.run(150)
    assert search.simulations == 150 and search.root_visits == 150
    assert search.memory < 60_000


def test_threads_share_a_tree() -> None:
    search = PuctSearch(SMALL.start(), 1, 8 << 20, 400, NETWORK, PuctParams(batch=4), threads=3)
    threads = [Thread(target=search.run, args=(100, number)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert search.simulations >= 300 or search.solved
    assert search.root_visits == search.simulations
    assert not search.nodes["pending"].any()


class BreakableNetwork:
    """A network that raises an exception as long as there is one."""

    def __init__(self) -> None:
        self.game = SMALL
        self.failure: BaseException | None = None

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.failure is not None:
            raise self.failure
        return NETWORK.evaluate(planes)


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), RuntimeError("out of memory")])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_failed_evaluation_ends_the_search_and_the_next_one_works(
    failure: BaseException, threads: int
) -> None:
    network, position = BreakableNetwork(), SMALL.start()
    engine = Engine(
        position,
        SearchParams(),
        threads=threads,
        reuse_tree=True,
        network=network,  # type: ignore[arg-type]
    )
    for simulations in (None, 40):  # before and after the root is expanded
        if simulations:
            engine.run(None, simulations)
        network.failure = failure
        with pytest.raises(type(failure)):
            engine.run(60.0, None)
        network.failure = None
        assert not engine.set_position(position, seed=1)
        assert engine.run(None, 40).simulations >= 40
        position = position.play(position.legal[0])
        engine.set_position(position, seed=1)


def test_one_evaluation_follows_the_policy() -> None:
    analysis = Engine(SMALL.start(), SearchParams(), network=NETWORK, max_simulations=1).run(
        None, 1
    )
    search = interpreted(SMALL.start(), NETWORK)
    search.run(1)
    likeliest = max(search.children(), key=lambda child: child.prior)
    assert SMALL.start().move(analysis.best) == likeliest.move


def test_budget_progress_and_cancel() -> None:
    engine = Engine(SMALL.start(), SearchParams(), network=NETWORK, threads=2)
    seen: list[Analysis] = []
    assert engine.run(0.3, None, progress=seen.append).simulations > 0
    assert seen and seen[-1].best in SMALL.start().legal
    cancel = Event()
    cancel.set()
    assert engine.run(60.0, None, cancel=cancel).seconds < 30
    exact = Engine(SMALL.start(), SearchParams(), network=NETWORK, max_simulations=50)
    analysis = exact.run(None, 50)
    assert analysis.simulations == 50 and analysis.line[0] == analysis.best


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("batch", 0, "an integer from 1 to 256"),
        ("batch", 257, "an integer from 1 to 256"),
        ("policy_temperature", 0.0, "above 0"),
        ("batch_growth", 0.0, "above 0"),
        ("c_puct", -1.0, "a number from 0"),
        ("fpu_reduction", float("nan"), "a number from 0"),
    ],
)
def test_parameters_are_checked(name: str, value: float, reason: str) -> None:
    with pytest.raises(th.OptionError, match=f"{name} must be {reason}"):
        PuctParams(**{name: value})  # type: ignore[arg-type]


def test_evaluations_are_cached_within_bounds() -> None:
    planes = np.random.default_rng(0).integers(0, 2, (6, 4, 25)).astype(np.uint8)
    evaluator = Evaluator(NETWORK, seed=0, memory=1 << 20)
    logits, values = evaluator.evaluate(planes)
    again = evaluator.evaluate(planes[::-1])
    assert evaluator.evaluations == 6
    assert np.array_equal(again[0], logits[::-1]) and np.array_equal(again[1], values[::-1])
    small = Evaluator(NETWORK, seed=0, memory=3_000)
    for _ in range(2):
        small.evaluate(planes)
    assert small.evaluations > 6  # some were forgotten


def test_symmetries_change_no_result_of_a_symmetric_network() -> None:
    indifferent = small_network(SMALL, scale=0.0)
    evaluator = Evaluator(indifferent, seed=3, memory=1 << 20)
    planes = np.random.default_rng(0).integers(0, 2, (5, 4, 25)).astype(np.uint8)
    assert np.array_equal(evaluator.evaluate(planes)[0], indifferent.evaluate(planes)[0])


@pytest.mark.parametrize(("lcb", "best"), [(0.5, 1), (0.0, 0)])
def test_the_move_to_play_has_the_highest_lower_confidence_bound(lcb: float, best: int) -> None:
    statistics = [(600, 0.7), (400, 0.9), (3, 0.99), (0, 0.5)]
    found = [
        Child(number, number, visits, value, 0) for number, (visits, value) in enumerate(statistics)
    ]
    assert _Cursor(SMALL.start(), lcb).best(found) == best
