"""Test positions with proven best moves: `suite.txt` in a game's folder.

A line is `options ; position ; kind ; objective ; moves`, and the moves are all correct ones:

win this turn   after these the same player can still win before anybody else moves; no other move
                is known to keep a win
avoid the loss  after all others another side can force a win; after these none can
the only move   exactly one move keeps the value of the position

The objective is a `win` that the side can force against all others, or `no loss`. `no loss in 8`
means that after the correct moves no other side can force a win within 8 plies; what follows is
unknown. The wrong moves lose in any case.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from teahouse.core.catalog import load
from teahouse.core.game import Game, non_default_options
from teahouse.core.options import format_options, parse_options
from teahouse.core.packages import game_text
from teahouse.core.position import Position
from teahouse.search.proof.dfpn_search import DfpnSearch, Goal
from teahouse.search.proof.strategy import outcome

WIN_THIS_TURN = "win this turn"
AVOID_THE_LOSS = "avoid the loss"
THE_ONLY_MOVE = "the only move"
KINDS = (WIN_THIS_TURN, AVOID_THE_LOSS, THE_ONLY_MOVE)
WIN, NO_LOSS = "win", "no loss"
FILE = "suite.txt"
SLICE = 20  # nodes between checks of the limit on moves


@dataclass(frozen=True)
class Problem:
    """A test position and its correct moves."""

    position: Position
    kind: str
    objective: str
    moves: tuple[str, ...]

    def line(self) -> str:
        """Return the problem as a line of `suite.txt`."""
        options = changed_options(self.position.game)
        return " ; ".join(
            (options, str(self.position), self.kind, self.objective, " ".join(self.moves))
        )


def changed_options(game: Game) -> str:
    """Return the options that differ from their defaults as `name=value`, or `-`."""
    return format_options(non_default_options(game), " ") or "-"


def problems(name: str) -> list[Problem]:
    """Return all problems of a game; none if it has no `suite.txt`."""
    text = game_text(name, FILE) or ""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return [parse_problem(name, line) for line in lines]


def parse_problem(name: str, line: str) -> Problem:
    """Parse a line of a game's `suite.txt`."""
    options, position, kind, objective, moves = line.split(" ; ")
    values = parse_options(text for text in options.split() if text != "-")
    return Problem(load(name, **values).position(position), kind, objective, tuple(moves.split()))


def ply_limit(objective: str) -> int:
    """Return the number of plies that an objective covers; 0 for the rest of the game."""
    _, _, number = objective.partition(" in ")
    return int(number or 0)


def wins_this_turn(position: Position, max_moves: int) -> list[str] | None:
    """Return the moves that win at once or start a win before anybody else moves.

    Return None if more than `max_moves` moves would have to be tried.
    """
    player = position.player
    left = max_moves
    cache: dict[bytes, bool] = {}

    def wins(child: Position) -> bool:
        nonlocal left
        if child.over:
            return player in child.winners
        if child.player != player:
            return False
        if child.state not in cache:
            left -= len(child.legal)
            if left < 0:
                raise OverflowError
            cache[child.state] = any(wins(child.play(move)) for move in child.legal)
        return cache[child.state]

    left -= len(position.legal)
    if left <= 0:
        return None
    try:
        return [move for move in position.legal if wins(position.play(move))]
    except OverflowError:
        return None


def goals(position: Position, objective: str, correct: bool) -> Iterator[Goal]:
    """Yield what must be proven after a move of the player to move here.

    After a correct move all of these hold, after a wrong one at least one.
    """
    game = position.game
    own = game.side(position.player)
    if objective == WIN:
        win = Goal.win(own)
        yield win if correct else win.negation(game)
        return
    for side in range(len(game.teams)):
        if side != own:
            loss = Goal.win(side)
            yield loss.negation(game) if correct else loss


class MoveClassifier:
    """Prove moves correct or wrong; the searches share their tables between moves.

    Each search generates at most `max_moves` moves.
    """

    def __init__(self, position: Position, memory: int, depth: int, max_moves: int) -> None:
        self.position = position
        self._memory = memory
        self._depth = depth
        self._max_moves = max_moves
        self._searches: dict[Goal, DfpnSearch] = {}

    def is_correct(self, move: str, objective: str) -> bool | None:
        """Return whether a move keeps the objective; None if the limit was reached."""
        child = self.position.play(move)
        wrong = [
            self.holds(child, goal, ply_limit(objective))
            for goal in goals(self.position, objective, correct=False)
        ]
        if True in wrong:
            return False
        return None if None in wrong else True

    def holds(self, position: Position, goal: Goal, max_plies: int = 0) -> bool | None:
        """Return whether a goal holds; None if the limit was reached."""
        if position.over:
            return outcome(position) in goal.outcomes
        negation = goal.negation(self.position.game)
        for searched in (goal,) if max_plies else (goal, negation):
            search = self.search(searched)
            search.set_root(position.state, max_plies)
            stop = search.generated + self._max_moves
            settled = False
            while not settled and search.generated < stop:
                settled = search.run(SLICE)
            proven = search.probe(position.state, max_plies) if settled else None
            if proven or (proven is False and (max_plies or not search.depth_limited)):
                return proven is (searched == goal)
            if proven is None:
                return None
        return None

    def search(self, goal: Goal) -> DfpnSearch:
        """Return the search for a goal."""
        if goal not in self._searches:
            self._searches[goal] = DfpnSearch(self.position, goal, self._memory, self._depth)
        return self._searches[goal]
