"""Review of a game: winning chances, a grade for every move, accuracy, the biggest mistakes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Literal

from teahouse.core.game import Game
from teahouse.core.record import Record
from teahouse.core.validate import check_seed, check_type
from teahouse.search.evaluations import (
    COARSE,
    DEEP,
    FULL,
    Evaluation,
    LineMove,
    PositionEvaluator,
    Task,
    proof_for,
    proven_chance,
    stage_simulations,
)
from teahouse.search.result import Proof
from teahouse.search.threads import check_threads

Grade = Literal["best", "fine", "inaccuracy", "mistake", "blunder", "forced"]
THRESHOLDS: dict[Grade, float] = {
    "blunder": 0.20,
    "mistake": 0.10,
    "inaccuracy": 0.05,
    "fine": 0.02,
    "best": 0.0,
}
"""The smallest loss of winning chances for each grade; a forced move has none."""
WRONG = ("inaccuracy", "mistake", "blunder")
HALVING_LOSS = 0.15
"""A move that gives away this much counts half of one that gives away nothing."""
MAX_MISTAKES = 3
MAX_VERIFIED = 30
"""Moves that are searched again before they are called wrong: those that gave away most."""
GROUP = 8
"""Positions that are evaluated together."""


@dataclass(frozen=True)
class ReviewedMove:
    """A move with its grade."""

    number: int
    """1 for the first move of the record."""
    player: int
    """Who played it."""
    move: str
    """Its text."""
    grade: Grade | None = None
    """None until it has been compared with the best move."""
    loss: float = 0.0
    """Winning chances that it gave away."""
    best: str | None = None
    """The best move; None until it is known."""
    line: tuple[LineMove, ...] = ()
    """The best move and the expected continuation, where that is another move."""
    proof: Proof | None = None
    """Proven result for its player after the move."""
    missed: Proof | None = None
    """Proven result for its player before the move."""


@dataclass(frozen=True)
class Review:
    """A game with its winning chances and graded moves."""

    chances: tuple[tuple[float, ...] | None, ...]
    """Winning chance of each side in every position; None where not evaluated yet."""
    proven: tuple[int | None, ...]
    """The side that wins by force in every position, -1 for a draw; None if unknown."""
    moves: tuple[ReviewedMove, ...]
    """Every move with its grade."""
    accuracy: tuple[float | None, ...]
    """Of each player, 0 to 100; None for a player without a choice."""
    mistakes: tuple[int, ...]
    """Numbers of the moves that gave away most, in order of the game."""
    complete: bool
    """Whether nothing is left to evaluate."""
    fraction: float
    """How much of the work is done."""


@dataclass
class Reviewing:
    """The evaluations of a game so far, and the pending work."""

    game: Game
    moves: Sequence[str]
    known: dict[int, Evaluation] = field(default_factory=dict)

    def pending(self) -> tuple[int, list[int]]:
        """Return the next stage and its plies, last ones first; no plies when all is done."""
        plies = range(len(self.moves), -1, -1)
        for stage in (COARSE, FULL):
            left = [ply for ply in plies if self._stage(ply) < stage]
            if left:
                return stage, left
        return DEEP, [ply for ply in plies if ply in self._suspects() and self._stage(ply) < DEEP]

    def _stage(self, ply: int) -> int:
        return self.known[ply].stage if ply in self.known else 0

    def _suspects(self) -> set[int]:
        """Return the plies of the moves that have to be verified, or have been.

        These are moves that seem wrong, and those after which the chances of their player fall.
        """
        verified = {ply for ply, one in self.known.items() if one.stage == DEEP}
        losses = {
            move.number - 1: max(move.loss, self._fall(move))
            for move in self._graded()
            if move.grade not in (None, "forced")
        }
        losses = {ply: loss for ply, loss in losses.items() if loss >= THRESHOLDS["inaccuracy"]}
        worst = sorted(losses.keys() - verified, key=lambda ply: (-losses[ply], ply))
        return verified | {*worst[: max(0, MAX_VERIFIED - len(verified))]}

    def _fall(self, move: ReviewedMove) -> float:
        """Return by how much the chances of a move's player are lower after it."""
        side = self.game.side(move.player)
        before, after = self.known.get(move.number - 1), self.known.get(move.number)
        return before.chances[side] - after.chances[side] if before and after else 0.0

    def fraction(self) -> float:
        """Return how much of the work is done, by simulations."""
        plies = len(self.moves) + 1
        cost = {
            stage: stage_simulations(self.game, stage) * (1 if stage == COARSE else 2.5)
            for stage in (COARSE, FULL, DEEP)
        }
        done = [self._stage(ply) for ply in range(plies)]
        full = min(done) >= FULL
        suspects = len(self._suspects()) if full else min(MAX_VERIFIED, plies / 4)
        total = plies * (cost[COARSE] + cost[FULL]) + suspects * cost[DEEP]
        return sum(cost[stage] for most in done for stage in cost if stage <= most) / total

    def review(self) -> Review:
        """Return the review of the evaluations so far."""
        graded = tuple(self._graded())
        plies = range(len(self.moves) + 1)
        proofs = self._proofs()
        wrong = sorted(
            (move for move in graded if move.grade in WRONG), key=lambda move: -move.loss
        )
        complete = not self.pending()[1]
        return Review(
            chances=tuple(self._chances(ply, proofs[ply]) for ply in plies),
            proven=tuple(self._winner(ply, proofs[ply]) for ply in plies),
            moves=graded,
            accuracy=tuple(self._accuracy(graded, player) for player in range(self._players)),
            mistakes=tuple(sorted(move.number for move in wrong[:MAX_MISTAKES])),
            complete=complete,
            fraction=1.0 if complete else min(0.99, self.fraction()),
        )

    @property
    def _players(self) -> int:
        return len(self.game.players)

    def _proofs(self) -> list[Proof | None]:
        """Return the proven result of each position for its player to move.

        A move to a won position was a win before it; so was the only move to any result.
        """
        plies = len(self.moves) + 1
        proofs: list[Proof | None] = [None] * plies
        for ply in reversed(range(plies)):
            own = self.known.get(ply)
            if own is None:
                continue
            proofs[ply] = own.proof
            if own.proof is None and ply + 1 < plies:
                after = self._after(ply, proofs)
                if after == "win" or own.choices == 1:
                    proofs[ply] = after
        return proofs

    def _after(self, ply: int, proofs: Sequence[Proof | None]) -> Proof | None:
        """Return the proven result after a move, for its player."""
        if ply + 1 not in self.known:
            return None
        owner = self.known[ply + 1].player
        return proof_for(self.game, self.known[ply].player, proofs[ply + 1], owner)

    def _chances(self, ply: int, proof: Proof | None) -> tuple[float, ...] | None:
        own = self.known.get(ply)
        if own is None:
            return None
        winner = self._winner(ply, proof)
        sides = range(len(self.game.teams))
        if winner is None:
            return own.chances
        return tuple(1 / len(sides) if winner < 0 else float(side == winner) for side in sides)

    def _winner(self, ply: int, proof: Proof | None) -> int | None:
        """Return the side that wins by force, -1 for a draw, None if unknown."""
        if proof is None:
            return None
        side = self.game.side(self.known[ply].player)
        if proof == "loss":
            return 1 - side if len(self.game.teams) == 2 else None
        return side if proof == "win" else -1

    def _graded(self) -> list[ReviewedMove]:
        proofs = self._proofs()
        return [self._grade(ply, move, proofs) for ply, move in enumerate(self.moves)]

    def _grade(self, ply: int, move: str, proofs: Sequence[Proof | None]) -> ReviewedMove:
        own = self.known.get(ply)
        if own is None:
            return ReviewedMove(ply + 1, 0, move)
        after = self._after(ply, proofs)
        if own.choices == 1:
            return ReviewedMove(ply + 1, own.player, move, "forced", proof=after)
        if own.played_chance is None or own.best_chance is None:
            return ReviewedMove(ply + 1, own.player, move, proof=after)
        sides = len(self.game.teams)
        played = own.played_chance if after is None else proven_chance(after, sides)
        before = proofs[ply]
        best = own.best_chance if before is None else proven_chance(before, sides)
        loss = max(0.0, best - played)
        if own.best == move or not own.line:
            loss = 0.0
        return ReviewedMove(
            number=ply + 1,
            player=own.player,
            move=move,
            grade=grade_of(loss),
            loss=loss,
            best=own.best if loss else move,
            line=own.line if loss else (),
            proof=after,
            missed=before,
        )

    def judge(self, ply: int, move: str, tried: Evaluation | None = None) -> ReviewedMove | None:
        """Return the grade of any move in a position; None if it has to be evaluated first.

        `tried` is the evaluation of that move. The one played and the best one need none.
        """
        own = self.known[ply]
        played = self._grade(ply, self.moves[ply], self._proofs())
        if move == self.moves[ply]:
            return played
        if move == own.best and own.line:
            return ReviewedMove(ply + 1, own.player, move, "best")
        if tried is None or tried.played_chance is None or own.best_chance is None:
            return None
        best = own.best_chance
        if played.missed is not None:
            best = proven_chance(played.missed, len(self.game.teams))
        loss = max(0.0, best - tried.played_chance)
        return ReviewedMove(ply + 1, own.player, move, grade_of(loss), loss)

    def _accuracy(self, moves: Sequence[ReviewedMove], player: int) -> float | None:
        """Return the mean accuracy of a player's moves that had a choice and something to lose."""
        values = [
            100 * 0.5 ** (move.loss / HALVING_LOSS)
            for move in moves
            if move.player == player
            and move.grade not in (None, "forced")
            and move.missed != "loss"
        ]
        return sum(values) / len(values) if values else None


def grade_of(loss: float) -> Grade:
    """Return the grade of a move that gave away so much of its player's winning chances."""
    return next(grade for grade, threshold in THRESHOLDS.items() if loss >= threshold)


def tasks_of(record: Record, plies: Sequence[int]) -> list[Task]:
    """Return the evaluation tasks for these plies of a record."""
    positions, moves = record.positions, record.moves
    return [Task(ply, positions[ply], moves[ply] if ply < len(moves) else None) for ply in plies]


def review(
    record: Record,
    *,
    threads: int | None = None,
    seed: int = 0,
    progress: Callable[[Review], None] | None = None,
    cancel: Event | None = None,
) -> Review:
    """Review a game: search every position and compare every move with the best one.

    The same seed gives the same review, with any number of threads. `progress` is called with the
    review so far. It ends early when `cancel` is set from any thread.
    """
    check_type("record", record, Record, "Record.parse(text)")
    evaluator = PositionEvaluator(seed=check_seed(seed), threads=check_threads(threads))
    state = Reviewing(record.game, record.moves)
    while not (cancel is not None and cancel.is_set()):
        stage, plies = state.pending()
        if not plies:
            break
        done = evaluator.evaluate(tasks_of(record, plies[:GROUP]), stage, cancel)
        state.known |= {one.ply: one for one in done}
        if progress is not None:
            progress(state.review())
    return state.review()
