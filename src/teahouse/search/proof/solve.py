"""Solve positions: the value under perfect play, with winning strategies as proofs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from time import perf_counter

from teahouse.core.position import Position, check_position
from teahouse.core.validate import check_int, check_positive
from teahouse.search.proof.dfpn_search import DRAW, DfpnSearch, Goal
from teahouse.search.proof.strategy import Strategy, extract_strategy, principal_move
from teahouse.search.result import Proof
from teahouse.search.tablebase import Tablebase, find_tablebase

SLICE_SECONDS = 0.02  # seconds between checks of the clock and of `cancel`
FIRST_SLICE = 100  # nodes
DEFAULT_DEPTH = 1000
MAX_DEPTH = 10_000
MAX_MEMORY = 1 << 16
MAX_LINE = 300


@dataclass(frozen=True)
class SolveProgress:
    """The work done so far."""

    goal: str
    """The goal being searched, in words."""
    nodes: int
    seconds: float


@dataclass(frozen=True)
class Solution:
    """What is proven about a position."""

    position: Position
    """The position that was solved."""
    value: Proof | None
    """The result under perfect play for the player to move; None if it is unknown.

    With three sides or more it is a win if that player's side can force one against all others, and
    a loss if another side can.
    """
    proven: tuple[Goal, ...]
    """The goals that were proven, the strongest first."""
    line: tuple[str, ...]
    """Moves that keep the value, from a winning strategy; not always the shortest win."""
    complete: bool
    """Whether the search ended by itself, not by a limit on time, nodes or depth."""
    nodes: int
    """Positions that the search visited."""
    seconds: float
    """The time that it took."""
    _searches: dict[Goal, DfpnSearch] = field(repr=False, compare=False, default_factory=dict)

    @property
    def best(self) -> str | None:
        """A move that keeps the value; None if it is unknown."""
        return self.line[0] if self.line else None

    def describe(self) -> list[str]:
        """Return the proven goals in words."""
        return [goal.describe(self.position.game) for goal in self.proven]

    def strategies(self, progress: Callable[[int], None] | None = None) -> list[Strategy]:
        """Return a winning strategy for each proven goal.

        Raise `ValueError` if the value was read from a tablebase.
        """
        if self.proven and not self._searches:
            raise ValueError("A tablebase has no strategies; solve with tablebase=False.")
        return [
            extract_strategy(self._searches[goal], goal, self.position, progress)
            for goal in self.proven
        ]


def solve(
    position: Position,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    memory: int = 256,
    depth: int = DEFAULT_DEPTH,
    progress: Callable[[SolveProgress], None] | None = None,
    cancel: Event | None = None,
    tablebase: bool = True,
) -> Solution:
    """Solve a position, or search it until a limit is reached.

    With `tablebase`, read the value from the game's tablebase if there is one on this machine; such
    a solution has no strategies.
    `nodes` limits the nodes expanded, `memory` the megabytes of the transposition tables, and
    `depth` the plies ahead.
    """
    check_position(position)
    for name, value, limit in (
        ("nodes", nodes, 1 << 60),
        ("memory", memory, MAX_MEMORY),
        ("depth", depth, MAX_DEPTH),
    ):
        if value is not None:
            check_int(name, value, 1, limit)
    if seconds is not None:
        check_positive("seconds", seconds)
    if position.over:
        raise ValueError("Cannot solve this position: the game is over.")
    table = find_tablebase(position.game) if tablebase else None
    if table is not None:
        return _look_up(table, position)
    return _Solver(position, seconds, nodes, memory, depth, progress, cancel).run()


def _look_up(table: Tablebase, position: Position) -> Solution:
    """Return the solution that a tablebase has."""
    start = perf_counter()
    side = position.game.side
    winner = side(table.winner(position))
    return Solution(
        position,
        "win" if winner == side(position.player) else "loss",
        (Goal.win(winner),),
        tuple(table.line(position)),
        complete=True,
        nodes=1,
        seconds=perf_counter() - start,
    )


class _Solver:
    def __init__(
        self,
        position: Position,
        seconds: float | None,
        max_nodes: int | None,
        memory: int,
        depth: int,
        progress: Callable[[SolveProgress], None] | None,
        cancel: Event | None,
    ) -> None:
        self._position = position
        self._seconds = seconds
        self._max_nodes = max_nodes
        self._depth = depth
        self._progress = progress
        self._cancel = cancel
        # With two sides, the strategies of a draw need the tables of two searches.
        self._bytes = (memory << 20) // 2
        self._nodes = 0
        self._complete = True
        self._searches: dict[Goal, DfpnSearch] = {}
        self._proven: list[Goal] = []
        self._start = perf_counter()

    def run(self) -> Solution:
        game = self._position.game
        own = game.side(self._position.player)
        value = self._two_sides(own) if len(game.teams) == 2 else self._more_sides(own)
        return Solution(
            self._position,
            value,
            tuple(self._proven),
            tuple(self._line()) if value else (),
            self._complete,
            self._nodes,
            perf_counter() - self._start,
            self._searches,
        )

    def _two_sides(self, own: int) -> Proof | None:
        """Return the value of a game between two sides."""
        win = Goal.win(own)
        won = self._settle(win)
        if won:
            return "win"
        no_win = win.negation(self._position.game)
        if won is False and not self._searches[no_win].draw_seen:
            # No leaf was a draw, so the strategy that prevents the win is a win itself.
            loss = Goal(no_win.attackers, no_win.attackers)
            self._searches[loss] = self._searches[no_win]
            self._proven[-1] = loss
            return "loss"
        drawn = self._settle(Goal(win.attackers, win.outcomes | {DRAW}))
        if drawn is False:
            self._proven = self._proven[-1:]
            return "loss"
        return "draw" if drawn and won is False else None

    def _more_sides(self, own: int) -> Proof | None:
        """Return the value if one side can force a win against all others."""
        sides = range(len(self._position.game.teams))
        for side in sorted(sides, key=lambda side: side != own):
            if self._settle(Goal.win(side)):
                self._proven = self._proven[-1:]
                return "win" if side == own else "loss"
        return None

    def _settle(self, goal: Goal) -> bool | None:
        """Return whether the goal holds, None if unknown; record the goal or its negation."""
        negation = goal.negation(self._position.game)
        search, settled = self._search(goal)
        if settled and search.probe(self._position.state):
            self._record(goal, search)
            return True
        if settled and not search.depth_limited:
            self._record(negation, search)
            return False
        if settled:  # the depth limit makes the disproof invalid: prove the negation instead
            search, settled = self._search(negation)
            if settled and search.probe(self._position.state):
                self._record(negation, search)
                return False
        self._complete = False
        return None

    def _record(self, goal: Goal, search: DfpnSearch) -> None:
        self._searches[goal] = search
        self._proven.append(goal)

    def _search(self, goal: Goal) -> tuple[DfpnSearch, bool]:
        """Search until the goal is settled or a limit is reached; return whether it is settled."""
        search = DfpnSearch(self._position, goal, self._bytes, self._depth)
        text = goal.describe(self._position.game)
        nodes_before = self._nodes
        share = FIRST_SLICE
        search.run(0)  # compile outside the time limit
        if nodes_before == 0:
            self._start = perf_counter()
        while True:
            if self._max_nodes is not None:
                share = min(share, self._max_nodes - self._nodes)
            slice_start = perf_counter()
            if share <= 0 or (self._cancel is not None and self._cancel.is_set()):
                return search, False
            settled = search.run(share)
            self._nodes = nodes_before + search.nodes
            now = perf_counter()
            if self._progress is not None:
                self._progress(SolveProgress(text, self._nodes, now - self._start))
            if settled:
                return search, True
            left = SLICE_SECONDS
            if self._seconds is not None:
                left = min(left, self._start + self._seconds - now)
                if left <= 0:
                    return search, False
            share = max(1, min(4 * share, int(share * left / max(now - slice_start, 1e-6))))

    def _line(self) -> list[str]:
        """Return the moves of the strategies against each other."""
        searches = [(goal, self._searches[goal]) for goal in self._proven]
        line: list[str] = []
        position = self._position
        while searches and not position.over and len(line) < MAX_LINE:
            move = principal_move(searches, position)
            line.append(move)
            position = position.play(move)
        return line
