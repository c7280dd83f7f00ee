"""Solving: how a position ends if all play their best, with a proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from time import perf_counter

from teahouse.core.errors import OptionError, quoted
from teahouse.core.position import Position
from teahouse.search.proof.dfpn_search import DRAW, DfpnSearch, Goal
from teahouse.search.proof.strategy import Forced, play, strategy
from teahouse.search.result import Proof

ROUND_SECONDS = 0.02  # between two looks at the clock and at `cancel`
DEPTH = 1000  # decisions ahead, unless told
MAX_DEPTH = 10_000
MAX_MEMORY = 1 << 16
MAX_LINE = 300


@dataclass(frozen=True)
class Effort:
    """How much was done so far."""

    claim: str
    """What is being worked out."""
    positions: int
    seconds: float


@dataclass(frozen=True)
class Solution:
    """What is proven about a position."""

    position: Position
    value: Proof | None
    """How the game ends for the player who decides; None if that is not known.

    With three sides or more it is a win if that player's side can force one against all others, and
    a loss if another side can.
    """
    claims: tuple[Goal, ...]
    """All that was proven, the strongest first."""
    line: tuple[str, ...]
    """Moves that keep the value, where there is one to follow; not always the shortest way."""
    complete: bool
    """Whether all was worked out that can be; else time, positions or depth ran out."""
    positions: int
    seconds: float
    _provers: dict[Goal, DfpnSearch] = field(repr=False, compare=False, default_factory=dict)

    def describe(self) -> list[str]:
        """What is proven, in words."""
        return [claim.describe(self.position.game) for claim in self.claims]

    def proofs(self, progress: Callable[[int], None] | None = None) -> list[Forced]:
        """For every claim a whole strategy: a move for each position that can come up."""
        return [
            strategy(self._provers[claim], claim, self.position, progress) for claim in self.claims
        ]


def solve(
    position: Position,
    *,
    seconds: float | None = None,
    positions: int | None = None,
    memory: int = 256,
    depth: int = DEPTH,
    progress: Callable[[Effort], None] | None = None,
    cancel: Event | None = None,
) -> Solution:
    """Work out how a position ends, until it is known or one of the limits is reached.

    It looks at so many positions at most, in so many megabytes, and so many decisions ahead.
    """
    for name, value, most in (
        ("positions", positions, 1 << 60),
        ("memory", memory, MAX_MEMORY),
        ("depth", depth, MAX_DEPTH),
    ):
        if value is not None and not (type(value) is int and 1 <= value <= most):
            raise OptionError(f"{name} is a whole number from 1 to {most}, not {quoted(value)}")
    if seconds is not None and not seconds > 0:
        raise OptionError(f"seconds is a number above 0, not {quoted(seconds)}")
    if position.over:
        raise ValueError("the game is over: there is nothing to solve")
    return _Solver(position, seconds, positions, memory, depth, progress, cancel).run()


class _Solver:
    def __init__(
        self,
        position: Position,
        seconds: float | None,
        positions: int | None,
        memory: int,
        depth: int,
        progress: Callable[[Effort], None] | None,
        cancel: Event | None,
    ) -> None:
        self._position = position
        self._seconds = seconds
        self._most = positions
        self._depth = depth
        self._progress = progress
        self._cancel = cancel
        # With two sides both may have to be asked for a win and for a draw; a proof needs both.
        self._bytes = (memory << 20) // 2
        self._looked_at = 0
        self._cut_short = False
        self._provers: dict[Goal, DfpnSearch] = {}
        self._claims: list[Goal] = []
        self._started = perf_counter()

    def run(self) -> Solution:
        game = self._position.game
        own = next(s for s, team in enumerate(game.teams) if self._position.player in team)
        value = self._two_sides(own) if len(game.teams) == 2 else self._more_sides(own)
        return Solution(
            self._position,
            value,
            tuple(self._claims),
            tuple(self._line()) if value else (),
            not self._cut_short,
            self._looked_at,
            perf_counter() - self._started,
            self._provers,
        )

    def _two_sides(self, own: int) -> Proof | None:
        """Win, draw or loss."""
        win = Goal.win(own)
        holds = self._settle(win)
        if holds:
            return "win"
        if holds is False and not self._provers[win.negation(self._position.game)].draw_seen:
            # No draw was met on the way, so what keeps this side from winning beats it.
            denial = win.negation(self._position.game)
            loss = Goal(denial.attackers, denial.attackers)
            self._provers[loss] = self._provers[denial]
            self._claims[-1] = loss
            return "loss"
        draw = Goal(win.attackers, win.outcomes | {DRAW})
        drawn = self._settle(draw)
        if drawn is False:
            self._claims = self._claims[-1:]
            return "loss"
        return "draw" if drawn and holds is False else None

    def _more_sides(self, own: int) -> Proof | None:
        """Whether any side can force a win against all others."""
        sides = range(len(self._position.game.teams))
        for side in sorted(sides, key=lambda side: side != own):
            if self._settle(Goal.win(side)):
                self._claims = self._claims[-1:]
                return "win" if side == own else "loss"
        return None

    def _settle(self, claim: Goal) -> bool | None:
        """Whether a claim holds, if that can be found out; what is proven joins the claims."""
        game = self._position.game
        denial = claim.negation(game)
        prover, settled = self._work(claim)
        if settled and prover.probe(self._position.state):
            self._note(claim, prover)
            return True
        if settled and not prover.depth_limited:
            self._note(denial, prover)
            return False
        if settled:  # too far to be refuted like this: try to prove the denial
            prover, settled = self._work(denial)
            if settled and prover.probe(self._position.state):
                self._note(denial, prover)
                return False
        self._cut_short = True
        return None

    def _note(self, claim: Goal, prover: DfpnSearch) -> None:
        self._provers[claim] = prover
        self._claims.append(claim)

    def _work(self, claim: Goal) -> tuple[DfpnSearch, bool]:
        """Work on a claim until it is settled or a limit is reached."""
        prover = DfpnSearch(self._position, claim, self._bytes, self._depth)
        text = claim.describe(self._position.game)
        before = self._looked_at
        share = 100
        prover.run(0)  # has it compiled, so that time counts from after that
        if before == 0:
            self._started = perf_counter()
        while True:
            if self._most is not None:
                share = min(share, self._most - self._looked_at)
            began = perf_counter()
            if share <= 0 or (self._cancel is not None and self._cancel.is_set()):
                return prover, False
            settled = prover.run(share)
            self._looked_at = before + prover.nodes
            now = perf_counter()
            if self._progress is not None:
                self._progress(Effort(text, self._looked_at, now - self._started))
            if settled:
                return prover, True
            left = ROUND_SECONDS
            if self._seconds is not None:
                left = min(left, self._started + self._seconds - now)
                if left <= 0:
                    return prover, False
            share = max(1, min(4 * share, int(share * left / max(now - began, 1e-6))))

    def _line(self) -> list[str]:
        """Moves of the strategies against each other, as far as they go."""
        provers = [(claim, self._provers[claim]) for claim in self._claims]
        line: list[str] = []
        position = self._position
        while provers and not position.over and len(line) < MAX_LINE:
            move = play(provers, position)
            line.append(move)
            position = position.play(move)
        return line
