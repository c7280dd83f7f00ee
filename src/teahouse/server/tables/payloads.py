"""JSON bodies of a table, as objects. Every client gets the same; nothing in them is secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from teahouse.search.levels import level_text
from teahouse.server.accounts.names import DELETED_NAME
from teahouse.server.ratings.seats import SeatRatings
from teahouse.session import events as ev
from teahouse.session.consent import awaiting, awaiting_seats, startable_in
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.forfeits import has_left
from teahouse.session.result import reason_text, result_text
from teahouse.session.start import awaited_seats, start_deadline
from teahouse.session.state import GameSession, Seat


@dataclass(frozen=True)
class BotStatus:
    """Why bots are not at their best."""

    preparing: int | None
    """The percentage of their kernels that is compiled."""
    waiting: bool
    """Whether they wait for other tables that have only bots."""


def account(seat: Seat) -> dict[str, Any] | None:
    """Return the account that plays a seat, as everybody may see it; a deleted one is none."""
    if seat.account is None or seat.kind == "bot" or seat.name == DELETED_NAME:
        return None
    kind = "bot" if seat.program else "person"
    return {"id": seat.account, "name": seat.name, "kind": kind}


def state(
    session: GameSession,
    online: Sequence[bool],
    now: Timestamp,
    bots: BotStatus | None,
    ratings: SeatRatings,
) -> dict[str, Any]:
    """Return all that changes during a game, except moves, chat and the position."""
    seats = [
        {
            "kind": seat.kind,
            "name": seat.name,
            "level": seat.level,
            "label": seat.level and level_text(seat.level, session.game),
            "left": has_left(session, number),
            "joined": seat.joined,
            "online": connected,
            "account": account(seat),
            "rating": ratings[number],
            "vacation_until": session.clock.paused_until(number, now),
        }
        for number, (seat, connected) in enumerate(zip(session.seats, online, strict=True))
    ]
    offers = [
        {
            "offer": kind,
            "seat": offer.seat,
            "ply": offer.ply,
            "agreed": sorted(offer.agreed),
            "awaiting": sorted(awaiting(session, offer)),
            "startable_in_ms": _milliseconds(startable_in(session, offer, now)),
        }
        for kind, offer in session.offers.items()
    ]
    over = session.over
    return {
        "seats": seats,
        "ply": session.ply,
        "player": session.player,
        "over": over,
        "result": session.result,
        "result_text": result_text(session) if over else None,
        "result_reason": reason_text(session) if over else None,
        "winners": session.winners,
        "reason": session.ended.reason if session.ended else None,
        "offers": offers,
        "help_allowed": session.help_allowed,
        "bot_thinking": session.bot_to_move,
        "bot_status": bots,
        "pace": session.pace if session.bots_only else None,
        "rematch": session.rematch,
        "clock": session.clock.reading(now),
        "start": _start(session, now),
    }


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(1000 * seconds)


def _start(session: GameSession, now: Timestamp) -> dict[str, Any] | None:
    """Return whom the start of the game waits for, and how long."""
    seconds = start_deadline(session, now)
    if seconds is None:
        return None
    return {"awaiting": awaited_seats(session), "remaining_ms": round(1000 * seconds)}


def table(
    table_id: str,
    session: GameSession,
    online: Sequence[bool],
    now: Timestamp,
    bots: BotStatus | None,
    ratings: SeatRatings,
) -> dict[str, Any]:
    """Return the complete public state of a table, except the snapshot."""
    game = session.game
    return {
        "seq": session.seq,
        "table": {
            "id": table_id,
            "game": game.name,
            "title": game.title,
            "options": game.options,
            "seed": session.created.seed,
            "start": session.created.start,
            "players": game.players,
            "teams": game.teams,
            "created": session.created_at,
            "time_control": session.created.time_control,
            "listed": session.created.listed,
            "rated": session.created.rated,
            "tournament": session.created.tournament,
        },
        "state": state(session, online, now, bots, ratings),
        "moves": session.moves,
        "chat": list(session.chat),
        "earlier_chat": session.chat_count > len(session.chat),
    }


def event(session: GameSession, logged: LoggedEvent) -> dict[str, Any]:
    """Return an event; the session must have applied it."""
    head = {"seq": logged.seq, "time": logged.time.wall}
    if isinstance(logged.event, ev.Created):
        return {**head, "type": logged.event.type}
    names = logged.event.__dataclass_fields__
    body = head | {name: getattr(logged.event, name) for name in names}  # no deep copy
    if isinstance(logged.event, ev.Moved):
        # A move that was taken back is no longer in the history.
        played = session.moves[logged.event.ply : logged.event.ply + 1]
        current = bool(played) and played[0].move == logged.event.move
        body["description"] = played[0].description if current else logged.event.move
    return body


def update(
    session: GameSession,
    events: Sequence[dict[str, Any]],
    online: Sequence[bool],
    now: Timestamp,
    bots: BotStatus | None,
    ratings: SeatRatings,
) -> dict[str, Any]:
    """Return the message about events."""
    body = {"type": "update", "seq": session.seq, "events": events}
    return {**body, "state": state(session, online, now, bots, ratings)}


def summary(session: GameSession) -> dict[str, Any]:
    """Return what is stored of a table for lists of games."""
    player, over = session.player, session.over
    return {
        "game": session.game.name,
        "title": session.game.title,
        "players": session.game.players,
        "names": [level_text(seat.level) if seat.level else seat.name for seat in session.seats],
        "ply": session.ply,
        "player": player,
        "over": over,
        "result": session.result,
        "result_reason": reason_text(session) if over else None,
        "reason": session.ended.reason if session.ended else None,
        "rematch": session.rematch,
        "time_control": session.created.time_control.kind,
        "deadline": session.clock.deadline,
        "help_allowed": session.help_allowed,
        "awaiting": awaiting_seats(session),
        "accounts": [seat.account for seat in session.seats],
        "local": [number for number, seat in enumerate(session.seats) if seat.kind == "local"],
        "rated": session.created.rated,
        "tournament": session.created.tournament,
        "bots": [number for number, seat in enumerate(session.seats) if seat.kind == "bot"],
    }
