"""Bots: players of a level."""

from __future__ import annotations

import math
from collections.abc import Callable
from hashlib import sha256
from threading import Event
from time import perf_counter

from teahouse.core.catalog import load
from teahouse.core.game import Game, checked_seed
from teahouse.core.position import Position
from teahouse.core.random import advance, below, game_seed, generator
from teahouse.search.engine import Engine
from teahouse.search.levels import checked_level, profile
from teahouse.search.mcts.search import MAX_SIMULATIONS
from teahouse.search.result import AnalysedMove, Analysis

FINE = 1 << 20  # steps between 0 and 1, for chances
CERTAIN = {"win": 1.0, "draw": 0.5, "loss": 0.0}


def bot(game: str | Game, level: int = 5) -> Bot:
    """A bot of a level from 1, which a child beats, to 8, the strongest."""
    return Bot(game if isinstance(game, Game) else load(game), checked_level(level))


class Bot:
    """Plays a game, with any options; it keeps what it thought from move to move."""

    def __init__(self, game: Game, level: int) -> None:
        self.game = game
        self.level = level
        self._profile = profile(game)
        self._does = self._profile.levels[level - 1]
        self._thinking: Engine | None = None
        self.simulations = 0
        """How many it has made in all."""

    @property
    def name(self) -> str:
        """What it is called at a table."""
        return f"level {self.level}"

    def choose(
        self,
        position: Position,
        *,
        seed: int | None = None,
        threads: int = 2,
        progress: Callable[[Analysis], None] | None = None,
        cancel: Event | None = None,
    ) -> str:
        """The move it plays; if it is cancelled, the best it knows by then.

        The same seed gives the same move where the level's budget is in simulations; without one
        it follows from the position.
        """
        if position.game.name != self.game.name:
            raise ValueError(f"a bot for {self.game.title} cannot play {position.game.title}")
        if position.over:
            raise ValueError("the game is over: there is no move to choose")
        if len(position.legal) == 1:
            return position.legal[0]
        seed = _seed_of(position) if seed is None else checked_seed(seed)
        analysis = self._analysis(position, seed, threads, progress, cancel)
        self.simulations += analysis.simulations
        if not self._does.freedom or analysis.value == 1.0:
            return analysis.best
        return _free_choice(analysis, self._does.freedom, seed)

    def _analysis(
        self,
        position: Position,
        seed: int,
        threads: int,
        progress: Callable[[Analysis], None] | None,
        cancel: Event | None,
    ) -> Analysis:
        settings = self._profile.settings
        simulations = self._does.simulations
        if simulations is not None:
            simulations = max(simulations, len(position.legal))
            thinking = Engine(position, settings, seed=seed, simulations=simulations)
            return thinking.run(None, simulations, progress, cancel)
        began = perf_counter()
        kept = self._thinking
        if kept and kept.threads == threads and kept.position.game == position.game:
            kept.turn_to(position, seed)
        else:
            self._thinking = None  # so that its memory is free before more is taken
            kept = Engine(position, settings, threads=threads, seed=seed, keeps=True)
            self._thinking = kept
        return kept.run(self._does.seconds, None, progress, cancel, began)


def _seed_of(position: Position) -> int:
    """A seed that follows from the position."""
    return int.from_bytes(sha256(position.state).digest()[:7])


def _free_choice(analysis: Analysis, freedom: float, seed: int) -> str:
    """A move by chance, the likelier the better it looks."""
    worths = [_worth(move) for move in analysis.moves]
    chances = [int(FINE * math.exp((worth - max(worths)) / freedom)) for worth in worths]
    random = advance(generator(game_seed(seed, MAX_SIMULATIONS)))
    index = below(random, sum(chances))
    for move, chance in zip(analysis.moves, chances, strict=True):
        if index < chance:
            return move.move
        index -= chance
    return analysis.best


def _worth(move: AnalysedMove) -> float:
    """What a move looks like: what was seen of it, held against an even chance."""
    if move.proof:
        return CERTAIN[move.proof]
    return (move.value * move.visits + 0.5) / (move.visits + 1)
