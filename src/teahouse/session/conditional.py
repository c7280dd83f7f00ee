"""Conditional moves: replies that are played if the opponents play as expected.

A plan is a tree of moves, given as its lines. Its progress is a function of the plan and the
session, so nothing has to be stored when a move is played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from teahouse.core.errors import IllegalMove
from teahouse.core.position import Position
from teahouse.session import commands
from teahouse.session.errors import CommandError
from teahouse.session.events import Moved, Realtime
from teahouse.session.state import GameSession

Line = tuple[str, ...]
"""Moves of all players in turn."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The conditional moves of a seat."""

    seat: int
    ply: int
    """The ply of the position in which the lines begin."""
    revision: int
    """The session's revision in that position."""
    lines: tuple[Line, ...]
    players: tuple[tuple[int, ...], ...]
    """Who plays each move of each line."""


def check_allowed(session: GameSession, seat: int) -> None:
    """Raise `CommandError` if a seat cannot have conditional moves now."""
    if session.over:
        raise CommandError("game_over", "The game is over.")
    if session.is_bot(seat):
        raise CommandError("not_your_seat", f"Seat {seat} is played by a bot.")
    if isinstance(session.created.time_control, Realtime):
        message = "Conditional moves need an untimed or a correspondence game."
        raise CommandError("invalid", message)


def normalized_lines(
    position: Position, seat: int, lines: Sequence[Sequence[str]]
) -> list[tuple[Line, tuple[int, ...]]]:
    """Return lines from a position in exact notation, none of them a part of another.

    Each comes with the players of its moves.

    Moves of others after the last answer are left out. Raise `CommandError` if a move is illegal,
    if an answer is missing or incomplete, or if one position has two answers.
    """
    if position.player == seat and not position.over:
        message = "It is your turn: play your move first, then plan your answers."
        raise CommandError("invalid", message)
    positions: dict[Line, Position] = {(): position}
    answers: dict[Line, str] = {}
    found: set[Line] = set()
    for given in lines:
        line = _walk(positions, given)
        own = [ply for ply in range(len(line)) if positions[line[:ply]].player == seat]
        if not own:
            raise CommandError("invalid", f"{_text(line)} has no move of yours to play.")
        line = line[: own[-1] + 1]
        end = positions[line]
        if not end.over and end.player == seat:
            raise CommandError("invalid", f"After {_text(line)} your turn is not complete.")
        for ply in own:
            answer = answers.setdefault(line[:ply], line[ply])
            if answer != line[ply]:
                message = f"After {_text(line[:ply])} you have two answers: {answer}, {line[ply]}."
                raise CommandError("invalid", message)
        found.add(line)
    parts = {line[:ply] for line in found for ply in range(len(line))}
    return [
        (line, tuple(positions[line[:ply]].player for ply in range(len(line))))
        for line in sorted(found - parts)
    ]


def _walk(positions: dict[Line, Position], moves: Sequence[str]) -> Line:
    """Return moves in exact notation, and add the positions they lead through."""
    line: Line = ()
    for text in moves:
        before = positions[line]
        try:
            line = (*line, before.exact(text))
        except IllegalMove as error:
            where = f"After {_text(line)}: " if line else ""
            raise CommandError("illegal_move", f"{where}{error}", before.legal) from None
        if line not in positions:
            positions[line] = before.play(line[-1])
    return line


def _text(line: Line) -> str:
    return " ".join(line)


def _open_lines(session: GameSession, plan: Plan) -> tuple[int, list[int]]:
    """Return how many moves of a plan were played, and which of its lines continue."""
    count = session.ply - plan.ply
    if plan.revision - plan.ply != session.revision - session.ply:
        return count, []  # moves were taken back
    played = tuple(one.move for one in session.moves[plan.ply :])
    fits = (line[:count] == played and len(line) > count for line in plan.lines)
    return count, [number for number, fit in enumerate(fits) if fit]


def expected_lines(session: GameSession, plan: Plan) -> list[Line]:
    """Return the rest of a plan's lines from the current position; none once it was left."""
    count, numbers = _open_lines(session, plan)
    return [plan.lines[number][count:] for number in numbers]


def expected_players(session: GameSession, plan: Plan) -> list[tuple[int, ...]]:
    """Return who plays the moves of the expected lines."""
    count, numbers = _open_lines(session, plan)
    return [plan.players[number][count:] for number in numbers]


def reply(session: GameSession, plan: Plan) -> Moved | None:
    """Return the move that a plan plays now, if any; none once a bot has taken over."""
    if session.over or session.player != plan.seat or session.is_bot(plan.seat):
        return None
    lines = expected_lines(session, plan)
    return commands.play(session, plan.seat, session.ply, lines[0][0]) if lines else None


def moves_played(session: GameSession, plan: Plan) -> list[int]:
    """Return the plies of the seat's moves that were played by a plan."""
    if plan.revision - plan.ply != session.revision - session.ply:
        return []
    moves = session.moves[plan.ply :]
    played = tuple(one.move for one in moves)
    return [
        plan.ply + number
        for number, one in enumerate(moves)
        if one.player == plan.seat
        and any(line[: number + 1] == played[: number + 1] for line in plan.lines)
    ]
