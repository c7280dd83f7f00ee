"""The end of a game in words: the result with its reason."""

from __future__ import annotations

from teahouse.core.result import UNFINISHED, reason_sentence, result_sentence
from teahouse.session.events import Ended, Replaced
from teahouse.session.state import GameSession

NO_RESULT = {"aborted": "was aborted", "absent": "has no winner"}


def result_text(session: GameSession) -> str | None:
    """Return the result and its reason as sentences, or None during the game.

    "White wins: Black has no token left.", "Red resigned. Blue wins.", "Draw agreed.",
    "Black's time ran out. White wins.", "Black did not join in time. The game was aborted."
    """
    if not session.over:
        return None
    ended = session.ended
    if ended is None:
        return result_sentence(session.game, session.winners, session.position.scene.reason)
    if ended.reason == "agreed":
        return "Draw agreed."
    if ended.reason == "closed":
        return _closed_text(ended)
    if ended.reason in ("aborted", "absent") and ended.result == UNFINISHED:
        return f"{_not_started(session, ended)} The game {NO_RESULT[ended.reason]}."
    sentence = result_sentence(session.game, session.winners)
    if ended.seat is None:
        return sentence
    return f"{_forfeit_text(session, ended.seat, ended.reason)} {sentence}"


def reason_text(session: GameSession) -> str | None:
    """Return why the game ended, without the result; None if unknown or during the game."""
    ended = session.ended
    if not session.over:
        return None
    if ended is None:
        return reason_sentence(session.position.scene.reason)
    if ended.reason == "agreed":
        return "The players agreed."
    if ended.reason == "closed":
        return _closed_text(ended)
    if ended.reason in ("aborted", "absent") and ended.result == UNFINISHED:
        return _not_started(session, ended)
    return None if ended.seat is None else _forfeit_text(session, ended.seat, ended.reason)


def replacement_text(session: GameSession, event: Replaced) -> str:
    """Return a sentence for a seat that was handed over to a bot."""
    forfeit = _forfeit_text(session, event.seat, event.reason)
    return f"{forfeit} A level {event.level} bot takes over."


def _forfeit_text(session: GameSession, seat: int, reason: str | None) -> str:
    name = session.game.players[seat]
    if reason in ("aborted", "absent"):
        joined = session.seats[seat].joined and session.seats[seat].kind != "bot"
        return f"{name} {'made no first move' if joined else 'did not join'} in time."
    if reason == "failed":
        return f"The engine of {name} failed."
    return f"{name}'s time ran out." if reason == "timeout" else f"{name} resigned."


def _closed_text(ended: Ended) -> str:
    """Return a sentence for a game that an operator ended without a result."""
    return f"An operator closed this game: {ended.note}" if ended.note else "An operator closed it."


def _not_started(session: GameSession, ended: Ended) -> str:
    """Return a sentence for a game that ended without a result before it had started."""
    if ended.seat is None:
        return "Nobody joined in time."
    return _forfeit_text(session, ended.seat, ended.reason)
