"""Solve a position and the positions after its moves, as the tasks of a job."""

from __future__ import annotations

from dataclasses import dataclass, replace

from teahouse.core.executor import Job
from teahouse.core.position import Position
from teahouse.search.proof.solve import DEFAULT_DEPTH, Solution, solve
from teahouse.search.result import Proof
from teahouse.search.tablebase import build_tablebase, position_count

WORTH_BUILDING = 1_000_000  # positions; smaller games are solved quickly by search


@dataclass(frozen=True)
class MoveSolver(Job[str, Solution]):
    """Solves the position after each move; the task of the position itself is an empty text."""

    position: Position
    seconds: float | None = None
    memory: int = 256
    depth: int = DEFAULT_DEPTH
    tablebase: bool = True
    """Whether to use the game's tablebase; a large one is built first."""

    def prepare(self) -> None:
        """Build the tablebase if there is none."""
        if self.tablebase and position_count(self.position.game) >= WORTH_BUILDING:
            build_tablebase(self.position.game)

    def run(self, move: str) -> Solution:
        """Return the solution after a move, without the tables that its strategies need."""
        self.prepare()
        solution = solve(
            self.position.play(move) if move else self.position,
            seconds=self.seconds,
            memory=self.memory,
            depth=self.depth,
            tablebase=self.tablebase,
        )
        return replace(solution, _searches={})


def unsolved(position: Position) -> Solution:
    """Return an empty solution, for a position that was not searched."""
    return Solution(position, None, (), (), complete=False, nodes=0, seconds=0.0)


def value_of_move(before: Position, after: Position, solution: Solution | None) -> Proof | None:
    """Return a move's value for the player who makes it; `solution` is that of the next position.

    It is None if the move ends the game, or if nothing is known.
    """
    game = before.game
    if after.over:
        if not after.winners:
            return "draw"
        return "win" if before.player in after.winners else "loss"
    if solution is None or solution.value is None:
        return None
    own = game.side(before.player)
    if own == game.side(after.player):
        return solution.value
    if len(game.teams) > 2 and solution.value == "loss":
        return "win" if solution.proven[0].attackers == {own} else "loss"
    swapped: dict[Proof, Proof] = {"win": "loss", "loss": "win", "draw": "draw"}
    return swapped[solution.value]
