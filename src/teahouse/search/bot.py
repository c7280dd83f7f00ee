"""Bots: computer players of a level."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from hashlib import sha256
from threading import Event
from time import perf_counter

from teahouse.core.catalog import load
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import SEED_LIMIT, advance, bounded, game_seed, generator
from teahouse.core.validate import check_seed
from teahouse.search.engine import Engine
from teahouse.search.levels import check_level, profile
from teahouse.search.mcts.search import MAX_SIMULATIONS
from teahouse.search.result import AnalysedMove, Analysis
from teahouse.search.threads import check_threads

WEIGHT_SCALE = 1 << 20  # resolution of the integer weights of a random choice
PROVEN_VALUE = {"win": 1.0, "draw": 0.5, "loss": 0.0}


def bot(
    game: str | Game, level: int = 5, *, seed: int | None = None, threads: int | None = None
) -> Bot:
    """Return a bot of a level from 1, for beginners, to 8, the strongest.

    Each bot plays differently; bots with the same seed play the same where the level's budget is in
    simulations. `threads` is the number of search threads, by default that of the level's rating.
    """
    game = game if isinstance(game, Game) else load(game)
    return Bot(game, level, seed=seed, threads=threads)


class Bot:
    """A computer player; reuses its search tree from move to move."""

    def __init__(
        self, game: Game, level: int, *, seed: int | None = None, threads: int | None = None
    ) -> None:
        self.game = game
        self.level = check_level(level)
        self.seed = secrets.randbelow(SEED_LIMIT) if seed is None else check_seed(seed)
        """Makes this bot's choices differ from another one's in the same positions."""
        self.threads = check_threads(threads)
        profiled = profile(game)
        self._params = profiled.params
        self._budget = profiled.levels[self.level - 1]
        self._engine: Engine | None = None
        self.simulations = 0
        """Simulations of all moves so far."""

    @property
    def name(self) -> str:
        """The bot's name as a player."""
        return f"level {self.level}"

    def choose(
        self,
        position: Position,
        *,
        seed: int | None = None,
        progress: Callable[[Analysis], None] | None = None,
        cancel: Event | None = None,
    ) -> str:
        """Return a move; when cancelled, the best one found so far.

        The same seed gives the same move where the level's budget is in simulations. Without a seed
        it is derived from the bot's seed and the position.
        """
        if position.game.name != self.game.name:
            raise ValueError(f"A bot for {self.game.title} cannot play {position.game.title}.")
        if position.over:
            raise ValueError("Cannot choose a move: the game is over.")
        if len(position.legal) == 1:
            return position.legal[0]
        seed = _choice_seed(self.seed, position) if seed is None else check_seed(seed)
        analysis = self._analyse(position, seed, progress, cancel)
        self.simulations += analysis.simulations
        if not self._budget.temperature or analysis.value == 1.0:
            return analysis.best
        return _sample(analysis, self._budget.temperature, seed)

    def _analyse(
        self,
        position: Position,
        seed: int,
        progress: Callable[[Analysis], None] | None,
        cancel: Event | None,
    ) -> Analysis:
        simulations = self._budget.simulations
        if simulations is not None:
            simulations = max(simulations, len(position.legal))
            once = Engine(position, self._params, seed=seed, max_simulations=simulations)
            return once.run(None, simulations, progress, cancel)
        started = perf_counter()
        engine = self._engine
        if engine and engine.position.game == position.game:
            engine.set_position(position, seed)
        else:
            engine = self._engine = None  # free its memory before allocating another
            engine = Engine(
                position, self._params, threads=self.threads, seed=seed, reuse_tree=True
            )
            self._engine = engine
        return engine.run(self._budget.seconds, None, progress, cancel, started)


def _choice_seed(seed: int, position: Position) -> int:
    """Return the seed of the choice in a position by a bot with a seed."""
    return game_seed(seed, int.from_bytes(sha256(position.state).digest()[:7]))


def _sample(analysis: Analysis, temperature: float, seed: int) -> str:
    """Return a random move with softmax weights of the moves' values."""
    values = [_shrunk_value(move) for move in analysis.moves]
    best = max(values)
    weights = [int(WEIGHT_SCALE * math.exp((value - best) / temperature)) for value in values]
    random = advance(generator(game_seed(seed, MAX_SIMULATIONS)))
    index = bounded(random, sum(weights))
    for move, weight in zip(analysis.moves, weights, strict=True):
        if index < weight:
            return move.move
        index -= weight
    return analysis.best


def _shrunk_value(move: AnalysedMove) -> float:
    """Return the proven value, or the mean of the visits and of one draw."""
    if move.proof:
        return PROVEN_VALUE[move.proof]
    return (move.value * move.visits + 0.5) / (move.visits + 1)
