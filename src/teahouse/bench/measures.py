"""What is measured: rates of playouts, of search and of batches on the CPU.

With one thread a second is one of CPU time, which other programs on the machine hardly change; with
several it is one of the clock on the wall.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from teahouse.core import jit
from teahouse.core.defaults import rules as defaults
from teahouse.core.game import Game
from teahouse.rl.batch import Batch
from teahouse.search.engine import Engine
from teahouse.search.levels import profile
from teahouse.search.mcts.params import PLAIN_UCT

BATCH = 4096
RUN_SECONDS = 0.1
"""A rate is the best of runs of about this length."""


def clock(threads: int) -> Callable[[], float]:
    """Return the clock to measure work of this many threads with."""
    return time.process_time if threads == 1 else time.perf_counter


def best_rate(work: Callable[[int], int], amount: int, threads: int, seconds: float) -> float:
    """Return the best rate of runs: `work(amount)` returns how many units it did.

    The amount grows until a run is long enough to measure.
    """
    now = clock(threads)
    best = 0.0
    end = now() + seconds
    while best == 0.0 or now() < end:
        begin = now()
        done = work(amount)
        spent = now() - begin
        if spent < min(RUN_SECONDS, seconds / 2):
            amount *= 2
            if spent < 0.01:
                continue
        best = max(best, done / spent)
    return best


def playouts(game: Game, threads: int, seconds: float) -> float:
    """Return random moves per second."""
    game.playouts(64 * threads, threads=threads)
    return best_rate(
        lambda games: game.playouts(games, seed=1, threads=threads).moves, 500, threads, seconds
    )


def loop(game: Game, threads: int, seconds: float) -> float:
    """Return random moves per second if the list of legal moves is written before each."""
    with move_lists(game):
        return playouts(game, threads, seconds)


@contextmanager
def move_lists(game: Game) -> Iterator[None]:
    """Play with the default `random_move`, which writes the list of legal moves."""
    names = ("random_move", "playout")
    own = {name: getattr(game.rules, name) for name in names}
    for name in names:
        setattr(game.rules, name, getattr(defaults, name))
    jit.clear()
    try:
        yield
    finally:
        for name, kernel in own.items():
            setattr(game.rules, name, kernel)
        jit.clear()


def search(game: Game, threads: int, seconds: float, plain: bool = True) -> float:
    """Return simulations per second from the start on a growing tree.

    Plain UCT has one random rollout per simulation, as OpenSpiel's; else the parameters are those
    of the game's bots.
    """
    params = PLAIN_UCT if plain else profile(game).params
    Engine(game.start(seed=1), params, threads=threads).run(None, 64)
    engine = Engine(game.start(seed=1), params, threads=threads)
    now = clock(threads)
    begin = now()
    done = engine.run(seconds, None).simulations
    return done / (now() - begin)


def own_search(game: Game, threads: int, seconds: float) -> float:
    """Return simulations per second with the parameters of the game's bots."""
    return search(game, threads, seconds, plain=False)


def batch(game: Game, threads: int, seconds: float, observe: bool = False) -> float:
    """Return steps per second: actions are drawn, checked and taken, and masks written."""
    games = Batch(game, BATCH, threads=threads)

    def run(steps: int) -> int:
        for _ in range(steps):
            games.step(games.sample())
            if observe:
                games.observation  # noqa: B018 - runs its kernel
        return steps * games.size

    run(3)
    now = clock(threads)
    steps, begin = 0, now()
    while now() - begin < seconds:
        steps += run(5)
    return steps / (now() - begin)


def planes(game: Game, threads: int, seconds: float) -> float:
    """Return steps per second with the observation of every position."""
    return batch(game, threads, seconds, observe=True)


MEASURES: dict[str, Callable[[Game, int, float], float]] = {
    "playouts": playouts,
    "loop": loop,
    "search": search,
    "own search": own_search,
    "batch": batch,
    "planes": planes,
}
UNITS = {
    "playouts": "moves/s",
    "loop": "moves/s",
    "search": "simulations/s",
    "own search": "simulations/s",
    "batch": "steps/s",
    "planes": "steps/s",
}
