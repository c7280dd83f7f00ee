"""Prove which moves of a position keep a goal; puzzles are those with exactly one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from teahouse.core.position import Position
from teahouse.search.proof.dfpn_search import Goal
from teahouse.search.proof.strategy import principal_move
from teahouse.search.suite import NO_LOSS, WIN, MoveClassifier, goals

MEMORY = 64 << 20  # bytes of the transposition table of each goal
DEPTH = 150
MAX_SEARCH_MOVES = 250_000  # generated to prove one move of a position
MAX_LEGAL_MOVES = 90
MAX_ANSWERS = 5  # right moves of a solution
MAX_CONTINUATION = 8  # plies shown after the solution
NO_REPLY = "-"


@dataclass(frozen=True)
class PuzzleSolution:
    """The only right move of a position, and the continuation."""

    goal: str
    """`win`, or `no loss` where no move wins."""
    line: tuple[str, ...]
    """Right moves, each the only one, with the replies in between."""
    continuation: tuple[str, ...]
    """Best play after the line."""
    replies: tuple[str, ...]
    """What refutes each legal move, in their order; `NO_REPLY` for the right one and for those
    after which no other side is to move."""


class UnprovenError(Exception):
    """A search reached its limit."""


class Prover:
    """Proves positions of one game; keeps its proofs from one position to the next."""

    def __init__(self, position: Position, max_moves: int = MAX_SEARCH_MOVES) -> None:
        self._classifier = MoveClassifier(position, MEMORY, DEPTH, max_moves)

    def solve(self, position: Position) -> PuzzleSolution | None:
        """Return the solution if exactly one move is right; raise `UnprovenError` at the limit."""
        found = self.only_move(position)
        if found is None:
            return None
        goal, move = found
        line = self._line(position, goal, move)
        last = position
        for text in line:
            last = last.play(text)
        return PuzzleSolution(
            goal,
            tuple(line),
            tuple(self._continuation(last, position.game.side(position.player), goal)),
            tuple(self._refute(position, text, goal, move) for text in position.legal),
        )

    def only_move(self, position: Position) -> tuple[str, str] | None:
        """Return goal and move if exactly one move wins, or none wins and one does not lose."""
        if not 2 <= len(position.legal) <= MAX_LEGAL_MOVES:
            return None
        for goal in (WIN, NO_LOSS) if len(position.game.teams) == 2 else (WIN,):
            right = self.right_moves(position, goal)
            if right:
                return (goal, right[0]) if len(right) == 1 else None
        return None

    def right_moves(self, position: Position, goal: str, max_count: int = 2) -> list[str]:
        """Return up to `max_count` moves that keep a goal; raise `UnprovenError` at the limit."""
        found: list[str] = []
        for move in position.legal:
            right = self.is_right(position, move, goal)
            if right is None:
                raise UnprovenError
            if right:
                found.append(move)
                if len(found) == max_count:
                    break
        return found

    def is_right(self, position: Position, move: str, goal: str) -> bool | None:
        """Return whether a move keeps the goal of the player to move; None at the limit."""
        child = position.play(move)
        wrong = [
            self._classifier.holds(child, refuting)
            for refuting in goals(position, goal, correct=False)
        ]
        if True in wrong:
            return False
        return None if None in wrong else True

    def _line(self, start: Position, goal: str, move: str) -> list[str]:
        """Return the only moves of a side with the replies that leave it only one again.

        The line ends before a board appears again.
        """
        game, side = start.game, start.game.side(start.player)
        line, answers, end = [move], 1, 1
        seen = {_board(start)}
        position = start.play(move)
        while not position.over and answers < MAX_ANSWERS and _board(position) not in seen:
            seen.add(_board(position))
            own = game.side(position.player) == side
            text = self._only(position, goal) if own else self._toughest_reply(position, side, goal)
            if text is None:
                break
            line.append(text)
            if own and len(position.legal) > 1:
                answers += 1
                end = len(line)
            position = position.play(text)
        return line[:end]

    def _only(self, position: Position, goal: str) -> str | None:
        """Return the only right move, or None if there are several or it is not proven."""
        if len(position.legal) == 1:
            return position.legal[0]
        if len(position.legal) > MAX_LEGAL_MOVES:
            return None
        try:
            right = self.right_moves(position, goal)
        except UnprovenError:
            return None
        return right[0] if len(right) == 1 else None

    def _toughest_reply(self, position: Position, side: int, goal: str) -> str | None:
        """Return the reply that leaves one right move among the most legal ones, if any."""
        if len(position.legal) == 1:
            return position.legal[0]
        best, most = None, 1
        for reply in position.legal:
            child = position.play(reply)
            if child.over or child.game.side(child.player) != side:
                continue
            if len(child.legal) > most and self._only(child, goal) is not None:
                best, most = reply, len(child.legal)
        return best

    def _continuation(self, position: Position, side: int, goal: str) -> Iterator[str]:
        """Yield best play: right moves that are proven with the least work, stubborn replies."""
        game = position.game
        for _ in range(MAX_CONTINUATION):
            if position.over:
                return
            own = game.side(position.player) == side
            move = _winning_move(position) if own else None
            if move is None:
                refuting = _refuting_goal(position, side, goal)
                search = self._classifier.search(refuting)
                if search.probe(position.state) is None:
                    return
                move = principal_move([(refuting.negation(game), search)], position)
            yield move
            position = position.play(move)

    def _refute(self, position: Position, move: str, goal: str, answer: str) -> str:
        """Return the reply to a wrong move that is proven to refute it."""
        child = position.play(move)
        side = position.game.side(position.player)
        if move == answer or child.over or child.game.side(child.player) == side:
            return NO_REPLY
        for refuting in goals(position, goal, correct=False):
            if self._classifier.holds(child, refuting):
                if winning := _winning_move(child):
                    return winning
                for reply in child.legal:
                    if self._classifier.holds(child.play(reply), refuting):
                        return reply
        return NO_REPLY


def _board(position: Position) -> tuple[object, ...]:
    """Return the player to move and the pieces on the board, without counters."""
    return (position.player, *((spot.name, spot.pieces) for spot in position.scene.spots))


def _winning_move(position: Position) -> str | None:
    """Return a move that wins at once, if there is one."""
    for move in position.legal:
        child = position.play(move)
        if child.over and position.player in child.winners:
            return move
    return None


def _refuting_goal(position: Position, side: int, goal: str) -> Goal:
    """Return the goal of the others that a side's own goal excludes."""
    own = Goal.win(side)
    if goal == WIN:
        return own.negation(position.game)
    return Goal.win(1 - side)
