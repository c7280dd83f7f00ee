"""Bots: levels, tree reuse from move to move, and the data in `bots.json`."""

from dataclasses import replace
from threading import Event
from time import perf_counter

import pytest
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.search.bot import _near_best_weights, _winning_move
from teahouse.search.engine import Engine
from teahouse.search.levels import (
    LEVEL_NAMES,
    LEVELS,
    Level,
    level_of_bot,
    level_ratings,
    level_text,
    player_text,
    profile,
)
from teahouse.search.mcts.params import DEFAULT_PARAMS, SearchParams
from teahouse.search.mcts.search import TreeSearch
from teahouse.search.proof.solve import solve
from teahouse.search.result import AnalysedMove
from teahouse.search.threads import default_threads, usable_cores

every_kind = pytest.mark.parametrize("game", KINDS, ids=ids)
CANCELLED = Event()
CANCELLED.set()


@every_kind
def test_every_level_plays_legal_moves(game: Game) -> None:
    position = game.start(seed=1)
    for level in LEVELS:
        bot = th.bot(game, level)
        assert (bot.level, bot.name) == (level, f"level {level}")
        move = bot.choose(position, cancel=CANCELLED)
        assert move in position.legal
        after = position.play(move)
        position = game.start(seed=1) if after.over else after


@every_kind
def test_levels_1_and_2_finish_a_game(game: Game) -> None:
    bots = [th.bot(game, 1), th.bot(game.name, 2)]
    position = game.start(seed=2)
    while not position.over:
        position = position.play(bots[game.side(position.player) % 2].choose(position))


@every_kind
def test_every_level_plays_an_immediate_win(game: Game) -> None:
    bot = th.bot(game, 3)
    position, before = game.start(), game.start()
    seed = 0
    while not (position.over and before.player in position.winners):
        if position.over:
            position, seed = game.start(), seed + 1
        before = position
        position = position.play(bot.choose(position, seed=seed))
    for level in (1, 4, 7):
        follower = before.play(th.bot(game, level).choose(before, seed=5))
        assert before.player in follower.winners


def test_a_choice_depends_on_seed_and_position_only() -> None:
    position = th.load("orochi").start()
    for level in (1, 4):
        bots = [th.bot("orochi", level, seed=1) for _ in range(2)]
        assert bots[0].choose(position) == bots[0].choose(position) == bots[1].choose(position)
        assert len({th.bot("orochi", level).choose(position, seed=9) for _ in range(3)}) == 1
        chosen = {th.bot("orochi", level, seed=seed).choose(position) for seed in range(20)}
        assert len(chosen) > 1


@every_kind
@pytest.mark.parametrize("level", [1, 5])
def test_the_same_moves_meet_different_games(game: Game, level: int) -> None:
    person = th.bot(game, 4, seed=1)
    played = set()
    for seed in range(6):
        bot = th.bot(game, level, seed=seed)
        position = game.start(seed=1)
        moves: list[str] = []
        while not position.over and len(moves) < 24:
            first_side = game.side(position.player) == 0
            moves.append((person if first_side else bot).choose(position))
            position = position.play(moves[-1])
        played.add(tuple(moves))
    assert len(played) > 1


def test_only_moves_about_as_good_as_the_best_replace_it() -> None:
    moves = (
        AnalysedMove("a", 50, 0.5, None),
        AnalysedMove("b", 100, 0.505, None),
        AnalysedMove("c", 49, 0.51, None),
        AnalysedMove("d", 90, 0.4, None),
        AnalysedMove("e", 90, 0.5, "draw"),
    )
    assert _near_best_weights(moves, moves[1]) == [50, 100, 0, 0, 0]
    assert _near_best_weights(moves, moves[4]) == [0, 0, 0, 0, 90]


def test_weak_levels_win_at_once_but_may_miss_a_longer_win() -> None:
    game = th.load("orochi", side=2)
    solved = th.analyse(game.start(), simulations=20_000)
    assert solved.value == 1.0
    assert _winning_move(game.start(), solved.moves) is None  # it takes several moves
    chosen = {th.bot(game, 1, seed=seed).choose(game.start()) for seed in range(20)}
    assert len(chosen) > 1


def test_bots_without_a_seed_differ() -> None:
    assert len({th.bot("toot", 1).seed for _ in range(5)}) == 5
    assert th.bot("toot", 1, seed=3).seed == 3


def test_one_setting_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEAHOUSE_THREADS", raising=False)
    assert th.bot("toot").threads == default_threads() == min(2, usable_cores())
    assert th.bot("toot", threads=3).threads == 3
    monkeypatch.setenv("TEAHOUSE_THREADS", "5")
    assert th.bot("toot").threads == 5
    for text in ("0", "65", "two"):
        monkeypatch.setenv("TEAHOUSE_THREADS", text)
        with pytest.raises(th.OptionError, match="TEAHOUSE_THREADS must be an integer from 1 to"):
            th.bot("toot")


def test_levels_have_names_and_ratings_for_players() -> None:
    game = th.load("orochi")
    elo = level_ratings(game)[2].elo
    assert len(set(LEVEL_NAMES)) == len(LEVELS)
    assert level_text(3) == "Level 3 · Regular"
    assert level_text(3, game) == f"Level 3 · Regular (rating {elo})"
    assert {player_text(name) for name in ("level3", "level 3", "bot, level 3")} == {level_text(3)}
    assert [level_of_bot(name) for name in ("Casual", "level9", "human")] == [None] * 3


def test_an_unknown_engine_is_an_error() -> None:
    with pytest.raises(ValueError, match="Unknown engine 'magic'; engines: search, network"):
        Level(engine="magic")


def test_a_forced_move_takes_no_search() -> None:
    game = th.load("toot")
    position = game.start().play("+k10")
    bot = th.bot(game, 8)
    assert position.legal == ("*",)
    assert bot.choose(position) == "*"
    assert bot.simulations == 0


def test_errors_give_the_reason() -> None:
    with pytest.raises(th.OptionError, match="from 1 to 8, got 9"):
        th.bot("orochi", level=9)
    with pytest.raises(th.OptionError, match="Unknown game"):
        th.bot("go")
    with pytest.raises(ValueError, match="A bot for Orochi cannot play Toot"):
        th.bot("orochi").choose(th.load("toot").start())
    game = th.load("orochi", side=2)
    position = game.start()
    while not position.over:
        position = position.play(position.legal[0])
    with pytest.raises(ValueError, match="the game is over"):
        th.bot(game).choose(position)


def test_a_cancelled_bot_returns_its_best_move_so_far() -> None:
    cancel = Event()
    position = th.load("oolong").start()
    seen: list[th.Analysis] = []

    def interrupt(analysis: th.Analysis) -> None:
        seen.append(analysis)
        cancel.set()

    assert th.bot("oolong", 8).choose(position, cancel=cancel, progress=interrupt)
    assert len(seen) == 1


@every_kind
@pytest.mark.parametrize("threads", [1, 3])
def test_a_rerooted_tree_is_the_subtree(game: Game, threads: int) -> None:
    position = game.start(seed=3)
    search = TreeSearch(position, seed=1, memory=1 << 24, simulations=20_000, threads=threads)
    for thread in range(threads):
        search.run(10_000, thread)

    def subtree(node: int) -> list[object]:
        children = search.children(node)
        return [(c.move, c.visits, c.value, c.proof, subtree(c.node)) for c in children]

    best = max(search.children(), key=lambda child: child.visits)
    reply = max(search.children(best.node), key=lambda child: child.visits)
    expected = subtree(reply.node)
    follower = position.play(_text(position, best.move))
    follower = follower.play(_text(follower, reply.move))
    assert search.advance(follower)
    assert subtree(0) == expected
    for thread in range(threads):
        search.run(1_000, thread)
    assert sum(child.visits for child in search.children()) >= 1_000


@every_kind
def test_a_reset_tree_equals_a_new_one(game: Game) -> None:
    position = game.start(seed=3)
    first = TreeSearch(position, seed=1, memory=1 << 22, simulations=20_000)
    first.run(3_000)
    used = TreeSearch(game.start(seed=4), seed=2, memory=1 << 22, simulations=20_000)
    used.run(6_000)
    used.reset(position, seed=1)
    used.run(3_000)
    assert (used.simulations, used.signature()) == (first.simulations, first.signature())


@every_kind
def test_the_tree_is_reused_for_a_later_position(game: Game) -> None:
    position = game.start(seed=4)
    engine = Engine(position, DEFAULT_PARAMS)
    for _ in range(3):
        analysis = engine.run(None, 3_000)
        for move in analysis.line[:2]:
            position = position.play(move)
        assert engine.set_position(position, seed=1)
        assert engine.position == position
    assert not engine.set_position(game.start(seed=4), seed=1)
    # An unvisited move has no subtree.
    start = game.start(seed=4)
    shallow = Engine(start, DEFAULT_PARAMS, reuse_tree=True)
    tried = shallow.run(None, 1).moves
    untried = next(move.move for move in tried if not move.visits)
    assert not shallow.set_position(start.play(untried), seed=1)
    assert shallow.run(None, 50).simulations == 50


@pytest.mark.parametrize("threads", [1, 2])
def test_time_since_the_start_counts(threads: int) -> None:
    engine = Engine(th.load("oolong").start(seed=1), DEFAULT_PARAMS, threads=threads)
    stop = Event()
    stop.set()
    started = perf_counter() - 400
    assert engine.run(1_000.0, None, cancel=stop, started=started).seconds >= 400
    # Half of the budget is left, however long ago the clock started.
    late = engine.run(0.1, None, started=perf_counter() - 1_000)
    assert late.simulations > 1
    assert late.seconds < 1_000


@every_kind
def test_two_threads_agree_with_one(game: Game) -> None:
    position = game.start(seed=5)
    bot = th.bot(game, 2)
    played = [position]
    while not position.over:
        position = position.play(bot.choose(position))
        played.append(position)
    last = next(p for p in reversed(played) if not p.over and len(p.legal) > 1)
    params = SearchParams()
    values = {Engine(last, params, threads=threads).run(None, 20_000).value for threads in (1, 2)}
    assert len(values) == 1 or not values <= {0.0, 0.5, 1.0}


def test_the_solver_finds_the_exact_value() -> None:
    game = th.load("orochi")
    for seed in range(3):
        position = game.start()
        while position.ply < 34:
            position = position.play(th.bot(game, 1).choose(position, seed=seed))
        exact = Engine(position, SearchParams(solver_share=1.0, solver_horizon=100)).run(
            None, 200_000
        )
        solution = solve(position)
        assert solution.value is not None
        assert exact.value == {"win": 1.0, "loss": 0.0}[solution.value]


@pytest.mark.parametrize("game", th.games())
def test_budgets_increase_and_ratings_are_complete(game: str) -> None:
    own = profile(th.load(game))
    budgets = [level.simulations for level in own.levels[:-1]]
    assert budgets == sorted(budgets, key=lambda budget: budget or 0)
    assert replace(own.levels[-1], engine="search") == Level(seconds=1.0)
    for rating, level in zip(level_ratings(th.load(game)), LEVELS, strict=False):
        assert rating.level == level
        assert rating.low <= rating.elo <= rating.high


def _text(position: th.Position, move: int) -> str:
    return next(text for text in position.legal if position.move(text) == move)
