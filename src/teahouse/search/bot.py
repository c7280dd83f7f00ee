"""Bots: computer players of a level."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Sequence
from itertools import accumulate
from threading import Event
from time import perf_counter

from teahouse.core.catalog import as_game
from teahouse.core.game import Game
from teahouse.core.position import Position, check_position
from teahouse.core.random import SEED_LIMIT, advance, bounded, game_seed, generator, text_seed
from teahouse.core.validate import check_seed
from teahouse.search.engine import Engine
from teahouse.search.levels import LEVELS, check_engine, check_level, profile
from teahouse.search.mcts.search import MAX_SIMULATIONS
from teahouse.search.networks import Network, find_network, shipped_network
from teahouse.search.result import AnalysedMove, Analysis
from teahouse.search.tablebase import find_tablebase
from teahouse.search.threads import check_threads

WEIGHT_SCALE = 1 << 20  # resolution of the integer weights of a random choice
NEAR_BEST_VISITS = 0.5  # share of the best move's visits required of an alternative
NEAR_BEST_VALUE = 0.01  # below the best move's value
PROVEN_VALUE = {"win": 1.0, "draw": 0.5, "loss": 0.0}


def bot(
    game: str | Game,
    level: int = 5,
    *,
    seed: int | None = None,
    threads: int | None = None,
    engine: str | None = None,
    wait: bool = True,
) -> Bot:
    """Return a bot of a level from 1, for beginners, to 8, the strongest.

    Each bot plays differently; bots with the same seed play the same where the level's budget is in
    simulations. `threads` is the number of search threads, by default that of the level's rating.
    `engine` is `search` or `network`, by default that of the level. Without `wait`, the bot answers
    interpreted as long as another process is compiling its kernels (`search.prepare`).
    """
    return Bot(as_game(game), level, seed=seed, threads=threads, engine=engine, wait=wait)


class Bot:
    """A computer player; reuses its search tree from move to move."""

    def __init__(
        self,
        game: Game,
        level: int,
        *,
        seed: int | None = None,
        threads: int | None = None,
        engine: str | None = None,
        wait: bool = True,
    ) -> None:
        """Load the network if the level or `engine` asks for one.

        A level without its network searches without one; a missing network that was asked for by
        `engine` raises `NetworkError`.
        """
        self.level = check_level(level)
        self.seed = secrets.randbelow(SEED_LIMIT) if seed is None else check_seed(seed)
        """Makes this bot's choices differ from another one's in the same positions."""
        self.threads = check_threads(threads)
        self._asked_engine = None if engine is None else check_engine(engine)
        self._wait = wait
        self._engine: Engine | None = None
        self.simulations = 0
        """Simulations of all moves so far."""
        self._set_game(game)

    def _set_game(self, game: Game) -> None:
        """Take over the level's budget, network and tablebase for a game with its options."""
        profiled = profile(game)
        budget = profiled.levels[self.level - 1]
        network: Network | None = None
        if self._asked_engine == "network":
            network = shipped_network(game)
        elif self._asked_engine is None and budget.engine == "network":
            network = find_network(game)
        strongest = self.level == LEVELS[-1] and self._asked_engine is None
        self.game = game
        self._params, self._puct = profiled.params, profiled.puct
        self._budget = budget
        self._network = network
        self._tablebase = find_tablebase(game) if strongest else None

    def __repr__(self) -> str:
        return f"teahouse.bot({self.game!r}, level={self.level})"

    @property
    def name(self) -> str:
        """The bot's name in records."""
        return f"level {self.level}"

    @property
    def engine(self) -> str:
        """What chooses the moves: `search` or `network`."""
        return "search" if self._network is None else "network"

    def choose(
        self,
        position: Position,
        *,
        seed: int | None = None,
        progress: Callable[[Analysis], None] | None = None,
        cancel: Event | None = None,
    ) -> str:
        """Return a move; when cancelled, the best one found so far.

        The position may be one of the game with other options: they become those of the bot.
        The same seed gives the same move where the level's budget is in simulations. Without a seed
        it is derived from the bot's seed and the position's text.
        """
        self._take_up(position)
        if position.over:
            raise ValueError("Cannot choose a move: the game is over.")
        if len(position.legal) == 1:
            return position.legal[0]
        seed = text_seed(self.seed, str(position)) if seed is None else check_seed(seed)
        analysis = self._analyse(position, seed, progress, cancel)
        self.simulations += analysis.simulations
        found = {move.move: move for move in analysis.moves}
        moves = [found[move] for move in position.legal]  # the order decides what a seed chooses
        if self._tablebase and analysis.proof == "win":
            return _sample(moves, [int(move.proof == "win") for move in moves], seed)
        if not self._budget.temperature:
            return _sample(moves, _near_best_weights(moves, found[analysis.best]), seed)
        weights = _softmax_weights(moves, self._budget.temperature)
        return _winning_move(position, moves) or _sample(moves, weights, seed)

    def _take_up(self, position: Position) -> None:
        """Be ready for a position's game and options; raise `ValueError` for another game."""
        game = check_position(position).game
        if game.name != self.game.name:
            raise ValueError(f"A bot for {self.game.title} cannot play {game.title}.")
        if game != self.game:
            self._set_game(game)

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
            once = Engine(
                position,
                self._params,
                seed=seed,
                max_simulations=simulations,
                wait=self._wait,
                network=self._network,
                puct=self._puct,
            )
            return once.run(None, simulations, progress, cancel)
        started = perf_counter()
        engine = self._engine_at(position, seed)
        return engine.run(self._budget.seconds, None, progress, cancel, started)

    def _engine_at(self, position: Position, seed: int) -> Engine:
        """Return the engine that keeps this bot's tree, set to a position."""
        engine = self._engine
        if engine and engine.position.game == position.game:
            engine.set_position(position, seed)
        else:
            engine = self._engine = None  # free its memory before allocating another
            engine = Engine(
                position,
                self._params,
                threads=self.threads,
                seed=seed,
                reuse_tree=True,
                wait=self._wait,
                network=self._network,
                puct=self._puct,
                tablebase=self._tablebase,
            )
            self._engine = engine
        return engine

    def ponder(self, position: Position, seconds: float, cancel: Event) -> None:
        """Search a position in which the opponent is to move, until cancelled.

        The next choice continues with this tree. A bot whose budget is in simulations keeps no tree
        and does not ponder.
        """
        self._take_up(position)
        if self._budget.simulations is None and not position.over:
            engine = self._engine_at(position, text_seed(self.seed, str(position)))
            engine.run(seconds, None, None, cancel)


def _winning_move(position: Position, moves: Sequence[AnalysedMove]) -> str | None:
    """Return a move that wins the game at once, if the analysis has found one."""
    won = (move.move for move in moves if move.proof == "win")
    return next((move for move in won if position.play(move).over), None)


def _softmax_weights(moves: Sequence[AnalysedMove], temperature: float) -> list[int]:
    """Return the softmax weights of the moves' values."""
    values = [_shrunk_value(move) for move in moves]
    best = max(values)
    return [int(WEIGHT_SCALE * math.exp((value - best) / temperature)) for value in values]


def _near_best_weights(moves: Sequence[AnalysedMove], best: AnalysedMove) -> list[int]:
    """Return the visits of the moves that are about as good as the best one, 0 for all others."""
    return [
        max(1, move.visits)
        if move is best
        or (
            not (best.proof or move.proof)
            and move.visits >= NEAR_BEST_VISITS * best.visits
            and move.value >= best.value - NEAR_BEST_VALUE
        )
        else 0
        for move in moves
    ]


def _sample(moves: Sequence[AnalysedMove], weights: list[int], seed: int) -> str:
    """Return a random move, with probabilities in proportion to the weights."""
    random = advance(generator(game_seed(seed, MAX_SIMULATIONS)))
    index = bounded(random, sum(weights))
    return next(
        move.move for move, total in zip(moves, accumulate(weights), strict=True) if index < total
    )


def _shrunk_value(move: AnalysedMove) -> float:
    """Return the proven value, or the mean of the visits and of one draw."""
    if move.proof:
        return PROVEN_VALUE[move.proof]
    return (move.value * move.visits + 0.5) / (move.visits + 1)
