"""An attempt at a puzzle: check the moves of a player, and reply as the opponent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from teahouse.core.errors import IllegalMove
from teahouse.core.position import Position
from teahouse.core.result import result_sentence
from teahouse.core.scene import lower_first
from teahouse.search.puzzles.puzzle import Puzzle
from teahouse.search.suite import WIN


@dataclass(frozen=True)
class PlayedMove:
    """A move that was played, and the position before it."""

    before: Position
    move: str

    @property
    def after(self) -> Position:
        """The position after the move."""
        return self.before.play(self.move)


@dataclass(frozen=True)
class Verdict:
    """The result of checking a player's move."""

    right: bool
    solved: bool
    say: str
    """The answer in words."""
    steps: tuple[PlayedMove, ...]
    """The player's move, and what was replied to it."""


def judge(puzzle: Puzzle, moves: Sequence[str]) -> Verdict:
    """Check the last of the player's moves; raise `IllegalMove` if one is not legal.

    All but the last must be right; replies are not among them. Moves without a choice are played
    for the player.
    """
    if not moves:
        raise IllegalMove("Give at least one move.")
    position, at = asked_position(puzzle, moves[:-1])
    played = PlayedMove(position, position.exact(moves[-1]))
    if played.move != puzzle.line[at]:
        return _wrong(puzzle, played, at)
    replies = _replies(puzzle, played.after, at + 1)
    return _right(puzzle, (played, *replies), at + 1 + len(replies))


def asked_position(puzzle: Puzzle, moves: Sequence[str]) -> tuple[Position, int]:
    """Return the position after the player's right moves, and its place in the line.

    Raise `IllegalMove` if one of them is not right, or if nothing is asked any more.
    """
    position, at = puzzle.position, 0
    for number, text in enumerate(moves, 1):
        if position.exact(text) != puzzle.line[at]:
            raise IllegalMove(f"Move {number} is wrong; only the last move may be.")
        played = PlayedMove(position, puzzle.line[at])
        replies = _replies(puzzle, played.after, at + 1)
        at += 1 + len(replies)
        position = (replies or [played])[-1].after
        if at == len(puzzle.line):
            raise IllegalMove(f"The puzzle is solved after {number} moves.")
    return position, at


def hint(puzzle: Puzzle, moves: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return the first click of the right move after the player's moves, and a sentence.

    Where that would be the whole answer, there is no click, and the sentence names a wrong move
    too.
    """
    position, at = asked_position(puzzle, moves)
    move, legal = puzzle.line[at], position.legal
    first, *others = position.click_path(move)
    if others:
        labels = {spot.name: spot.label for spot in position.scene.spots}
        labels |= {choice.name: choice.label for choice in position.scene.choices}
        return (first,), f"Begin here: {labels.get(first) or first}."
    number = legal.index(move)
    pair = sorted((number, (number + 1) % len(legal)))
    one, other = (lower_first(position.describe(legal[index], "imperative")) for index in pair)
    return (), f"One of these is right: {one}, or {other}."


def _replies(puzzle: Puzzle, position: Position, at: int) -> list[PlayedMove]:
    """Return the moves of the line until the player has a choice again."""
    game = position.game
    side = game.side(puzzle.position.player)
    steps: list[PlayedMove] = []
    for move in puzzle.line[at:]:
        if game.side(position.player) == side and len(position.legal) > 1:
            break
        steps.append(PlayedMove(position, move))
        position = position.play(move)
    return steps


def _right(puzzle: Puzzle, steps: tuple[PlayedMove, ...], at: int) -> Verdict:
    if at < len(puzzle.line):
        replies = (f"{step.before.describe(step.move)}." for step in steps[1:])
        return Verdict(True, False, " ".join(("Right.", *replies, "Find the next move.")), steps)
    return Verdict(True, True, f"Solved! {outcome_sentence(puzzle, steps[-1].after)}", steps)


def outcome_sentence(puzzle: Puzzle, after: Position) -> str:
    """Return what the right moves have achieved."""
    if after.over:
        return result_sentence(after.game, after.winners, after.scene.reason)
    who = after.game.players[puzzle.position.player]
    if puzzle.goal == WIN:
        return f"{who} wins from here, whatever the reply."
    return f"{who} does not lose from here, whatever the reply."


def _wrong(puzzle: Puzzle, played: PlayedMove, at: int) -> Verdict:
    """Return why a move is wrong, with the reply that refutes it where one is known."""
    after = played.after
    game = after.game
    who = game.players[puzzle.position.player]
    steps = [played]
    reply = puzzle.reply(played.move) if at == 0 else None
    said = ""
    if reply is not None and not after.over:
        said = f" {after.describe(reply)}."
        steps.append(PlayedMove(after, reply))
        after = after.play(reply)
    if after.over:
        why = result_sentence(game, after.winners, after.scene.reason)
    elif puzzle.goal == WIN:
        why = f"{who} can no longer force a win."
    else:
        why = f"{who} can no longer avoid a loss."
    return Verdict(False, False, f"Not this move.{said} {why}", tuple(steps))


def solution(puzzle: Puzzle) -> tuple[PlayedMove, ...]:
    """Return the moves of the solution and best play after it."""
    steps = []
    position = puzzle.position
    for move in (*puzzle.line, *puzzle.then):
        steps.append(PlayedMove(position, move))
        position = position.play(move)
    return tuple(steps)
