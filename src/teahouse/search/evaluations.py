"""Evaluation of a game's positions and moves by search, for reviews.

Every search is of one position with one seed and a budget in simulations, so evaluations do not
depend on their order, on the number of threads, or on how often they were interrupted.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Event
from time import monotonic

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import text_seed
from teahouse.search.chances import winning_chances
from teahouse.search.engine import Engine
from teahouse.search.levels import DEFAULT_LEVELS, profile
from teahouse.search.result import Proof

COARSE, FULL, DEEP = 1, 2, 3
"""Stages of a review: a first graph, every move compared with the best one, mistakes verified."""
BUDGETS = {COARSE: 4, FULL: 6, DEEP: 7}
"""The level whose budget each search of a stage has."""
MEMORY = 128  # megabytes of a search
DISAPPOINTMENT = 0.05
"""Winning chances by which a best move falls short of its promise, to look for a better one."""
MAX_LINE = 10
MAX_CACHED = 500


@dataclass(frozen=True)
class LineMove:
    """A move of a line, in words too."""

    move: str
    player: int
    description: str


@dataclass(frozen=True)
class Task:
    """A position of a game and the move played there, None at the end."""

    ply: int
    position: Position
    played: str | None


@dataclass(frozen=True)
class Evaluation:
    """The evaluation of a position of a game, and of the move played there."""

    ply: int
    """Moves of the record before this position."""
    stage: int
    player: int
    chances: tuple[float, ...]
    """Winning chance of each side, after the best move if moves were compared."""
    proof: Proof | None
    """Proven result for the player to move."""
    choices: int
    """Legal moves; 0 if the game is over."""
    played: str | None = None
    best: str | None = None
    line: tuple[LineMove, ...] = ()
    """Best move and expected continuation, where another move was played."""
    played_chance: float | None = None
    """Winning chance of the player's side after the move played; None if not compared."""
    best_chance: float | None = None
    """The same after the best move."""


@dataclass(frozen=True)
class PositionValue:
    """Winning chances, proof and best line of a position, from a search or a finished game."""

    chances: tuple[float, ...]
    proof: Proof | None
    line: tuple[str, ...]
    ranked: tuple[str, ...]
    """The two best moves."""
    proofs: dict[str, Proof | None]
    """Proven result of each legal move."""


def stage_simulations(game: Game, stage: int) -> int:
    """Return the budget of a search of a stage."""
    level = BUDGETS[stage]
    simulations = profile(game).levels[level - 1].simulations
    return simulations or DEFAULT_LEVELS[level - 1].simulations or 1


class PositionEvaluator:
    """Evaluates positions by search, with a cache of the latest results."""

    def __init__(self, *, seed: int = 0, threads: int = 1, wait: bool = True) -> None:
        """Without `wait`, search interpreted as long as the kernels are not compiled."""
        self._seed = seed
        self._threads = threads
        self._wait = wait
        self._known: OrderedDict[tuple[Position, int], PositionValue] = OrderedDict()

    def evaluate(
        self,
        tasks: Sequence[Task],
        stage: int,
        cancel: Event | None = None,
        deadline: float = math.inf,
    ) -> list[Evaluation]:
        """Return the evaluation of each task, or none if cancelled or past the deadline.

        After the deadline, by `time.monotonic`, no search is started; those that were finished are
        remembered, so that the next call goes on with the rest.
        """
        if not tasks:
            return []
        simulations = stage_simulations(tasks[0].position.game, stage)
        after = {
            task.ply: task.position.play(task.played)
            for task in tasks
            if task.played is not None and stage > COARSE and len(task.position.legal) > 1
        }
        limits = (simulations, cancel, deadline)
        found = self._search([*(task.position for task in tasks), *after.values()], *limits)
        if found is None:
            return []
        alternatives: dict[int, str] = {}
        for task in tasks:
            if task.ply in after:
                alternative = _alternative(task, found[task.position], found[after[task.ply]])
                if alternative is not None:
                    alternatives[task.ply] = alternative
        better = {
            task.ply: task.position.play(alternatives[task.ply])
            for task in tasks
            if task.ply in alternatives
        }
        compared = self._search(better.values(), *limits)
        if compared is None:
            return []
        found |= compared
        evaluations = []
        for task in tasks:
            evaluation = _evaluation(task, stage, found[task.position])
            if task.ply in after:
                alternative = alternatives.get(task.ply)
                value = found[better[task.ply]] if alternative is not None else None
                evaluation = _compare(
                    evaluation,
                    task,
                    found[task.position],
                    found[after[task.ply]],
                    alternative,
                    value,
                )
            evaluations.append(evaluation)
        return evaluations

    def _search(
        self,
        positions: Iterable[Position],
        simulations: int,
        cancel: Event | None,
        deadline: float,
    ) -> dict[Position, PositionValue] | None:
        """Search positions on all threads; None if not all could be searched."""
        unique = list(dict.fromkeys(positions))

        def search(position: Position) -> PositionValue | None:
            known = self._known.get((position, simulations))
            if known is not None or monotonic() >= deadline:
                return known
            return self._value(position, simulations, cancel)

        if self._threads == 1 or len(unique) < 2:
            values = [search(position) for position in unique]
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                values = list(pool.map(search, unique))
        if cancel is not None and cancel.is_set():
            return None
        found = {
            position: value
            for position, value in zip(unique, values, strict=True)
            if value is not None
        }
        return found if len(found) == len(unique) else None

    def _value(self, position: Position, simulations: int, cancel: Event | None) -> PositionValue:
        key = (position, simulations)
        known = self._known.get(key)  # another thread may drop it
        if known is not None:
            return known
        if position.over:
            value = _final(position)
        elif len(position.legal) == 1:
            after = position.play(position.legal[0])
            value = _forced(position, after, self._value(after, simulations, cancel))
        else:
            value = self._searched(position, simulations, cancel)
        if cancel is None or not cancel.is_set():
            self._known[key] = value
            if len(self._known) > MAX_CACHED:
                self._known.popitem(last=False)
        return value

    def _searched(
        self, position: Position, simulations: int, cancel: Event | None
    ) -> PositionValue:
        game = position.game
        simulations = max(simulations, len(position.legal))
        engine = Engine(
            position,
            profile(game).params,
            seed=text_seed(self._seed, str(position)),
            memory=MEMORY,
            max_simulations=simulations,
            wait=self._wait,
        )
        found = engine.run(None, simulations, None, cancel)
        proofs = {one.move: one.proof for one in found.moves}
        ranked = tuple(one.move for one in found.moves[:2])
        chances = winning_chances(game, found.scores)
        return PositionValue(chances, found.proof, found.line, ranked, proofs)


def _final(position: Position) -> PositionValue:
    """Return the result of a finished game."""
    game = position.game
    winners = {game.side(player) for player in position.winners}
    count = len(game.teams)
    chances = tuple(float(side in winners) if winners else 1 / count for side in range(count))
    proof: Proof = "draw"
    if winners:
        proof = "win" if game.side(position.player) in winners else "loss"
    return PositionValue(chances, proof, (), (), {})


def _forced(position: Position, after: Position, found: PositionValue) -> PositionValue:
    """Return the value of a position with one legal move from that of the position after it."""
    move = position.legal[0]
    proof = proof_for(position.game, position.player, found.proof, after.player)
    return PositionValue(found.chances, proof, (move, *found.line), (move,), {move: proof})


def proof_for(game: Game, player: int, proof: Proof | None, owner: int) -> Proof | None:
    """Convert a proof for its owner to one for another player; None if that is unknown."""
    if proof is None or proof == "draw" or game.side(player) == game.side(owner):
        return proof
    if proof == "win":
        return "loss"
    return "win" if len(game.teams) == 2 else None


def _alternative(task: Task, own: PositionValue, played: PositionValue) -> str | None:
    """Return the alternative to compare the played move with, if any.

    That is the best one. If the best one was played but leads to less than it promised, it is the
    second best.
    """
    if own.ranked[0] != task.played:
        return own.ranked[0]
    side = task.position.game.side(task.position.player)
    disappoints = own.chances[side] - played.chances[side] >= DISAPPOINTMENT
    return own.ranked[1] if disappoints and own.proofs[own.ranked[0]] is None else None


def _evaluation(task: Task, stage: int, own: PositionValue) -> Evaluation:
    """Return the evaluation of a position alone."""
    return Evaluation(
        ply=task.ply,
        stage=stage,
        player=task.position.player,
        chances=own.chances,
        proof=own.proof,
        choices=len(task.position.legal),
        played=task.played,
        best=own.ranked[0] if own.ranked else None,
    )


def _compare(
    evaluation: Evaluation,
    task: Task,
    own: PositionValue,
    played: PositionValue,
    alternative: str | None,
    better: PositionValue | None,
) -> Evaluation:
    """Return the evaluation extended by the comparison of the played move with the alternative."""
    position = task.position
    game, side = position.game, position.game.side(position.player)
    assert task.played is not None
    chance = _chance(own.proofs[task.played], played.chances[side], game)
    if alternative is not None and better is not None:
        promised = _chance(own.proofs[alternative], better.chances[side], game)
        if promised > chance:
            line = described(position, (alternative, *better.line)[:MAX_LINE])
            return replace(
                evaluation,
                chances=better.chances,
                best=alternative,
                line=line,
                played_chance=chance,
                best_chance=promised,
            )
    return replace(
        evaluation,
        chances=played.chances,
        best=task.played,
        played_chance=chance,
        best_chance=chance,
    )


def _chance(proof: Proof | None, chance: float, game: Game) -> float:
    """Return the chance that a proof leaves, else the given one."""
    return chance if proof is None else proven_chance(proof, len(game.teams))


def proven_chance(proof: Proof, sides: int) -> float:
    """Return the winning chance of a side with a proven result; a draw counts in part."""
    return {"win": 1.0, "loss": 0.0, "draw": 1 / sides}[proof]


def described(position: Position, moves: Iterable[str]) -> tuple[LineMove, ...]:
    """Return the moves of a line with their players and in words."""
    found = []
    for move in moves:
        found.append(LineMove(move, position.player, position.describe(move, "imperative")))
        position = position.play(move)
    return tuple(found)
