"""Offers: takeback, draw, resigning with a partner, rematch; who agrees, and what follows.

Pure functions: each returns events or raises `CommandError`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from teahouse.core.result import DRAW
from teahouse.session import events as ev
from teahouse.session.consent import (
    PendingOffer,
    accepted,
    asked,
    awaiting,
    consenting_with,
    declined,
    startable_in,
)
from teahouse.session.errors import CommandError
from teahouse.session.events import Event, OfferKind, Timestamp
from teahouse.session.forfeits import forfeit
from teahouse.session.state import GameSession

NO_TAKEBACK = "Moves of rated games and of tournament games cannot be undone."
_OFFER_NAMES: dict[OfferKind, str] = {
    "takeback": "request to undo",
    "draw": "draw offer",
    "resign": "request to resign",
    "rematch": "rematch offer",
}

NewId = Callable[[], str]
"""Returns a new table id, for a rematch."""


def offer_takeback(session: GameSession, seat: int, ply: int | None, new_id: NewId) -> list[Event]:
    """Offer to undo all moves from `ply`, one of the seat's own, on; by default its last one."""
    if session.created.counts:
        raise CommandError("invalid_offer", NO_TAKEBACK)
    own = [number for number, played in enumerate(session.moves) if played.player == seat]
    if not own:
        raise CommandError("invalid_offer", "You have not played a move yet.")
    ply = own[-1] if ply is None else ply
    if ply not in own:
        plies = [str(one) for one in own]
        raise CommandError("invalid_offer", f"The move at ply {ply} was not yours.", plies)
    return propose(session, PendingOffer("takeback", seat, ply), new_id)


def offer_rematch(session: GameSession, seat: int, now: Timestamp, new_id: NewId) -> list[Event]:
    """Offer a rematch; raise `CommandError` if there is one, and while people play.

    Who has agreed and offers it again starts it without those who have not answered in time.
    """
    if not session.over and not session.bots_only:
        raise CommandError("invalid_offer", "A rematch is possible once the game is over.")
    if session.rematch is not None:
        message = f"The rematch is played at table {session.rematch}."
        raise CommandError("invalid_offer", message, [session.rematch])
    pending = session.offers.get("rematch")
    if pending is not None and _can_start(session, pending, seat, now):
        return [_carry_out(session, pending, new_id)]
    return propose(session, PendingOffer("rematch", seat, session.ply), new_id)


def _can_start(session: GameSession, offer: PendingOffer, seat: int, now: Timestamp) -> bool:
    """Return whether a seat that has agreed to a rematch need not wait for the others any more."""
    return seat in offer.agreed and startable_in(session, offer, now) == 0.0


def propose(session: GameSession, offer: PendingOffer, new_id: NewId) -> list[Event]:
    """Make an offer; carry it out at once where nobody else has to agree."""
    kind, agreed = offer.offer, consenting_with(session, offer.seat, offer.offer)
    name = _OFFER_NAMES[kind]
    pending = session.offers.get(kind)
    if pending is not None:
        if agreed <= pending.agreed:
            raise CommandError("invalid_offer", f"You have already made a {name}.")
        same = kind == "rematch" or pending.ply == offer.ply
        if same and offer.seat in awaiting(session, pending) | pending.declined:
            return respond(session, offer.seat, kind, True, new_id)
        raise CommandError("invalid_offer", f"Another {name} is pending; respond to it first.")
    if session.declined.get(kind) == session.revision:
        message = f"The {name} was declined; repeat it after the next move."
        raise CommandError("invalid_offer", message)
    offer = replace(offer, agreed=agreed)
    if not awaiting(session, offer):
        return [_carry_out(session, offer, new_id)]
    return [ev.Offered(seat=offer.seat, offer=kind, ply=offer.ply)]


def respond(
    session: GameSession, seat: int, kind: OfferKind, accept: bool, new_id: NewId
) -> list[Event]:
    """Accept or decline a pending offer; carry it out once everybody has agreed."""
    offer, name = session.offers.get(kind), _OFFER_NAMES[kind]
    if offer is None:
        raise CommandError("invalid_offer", f"No {name} is pending.", sorted(session.offers))
    due = awaiting(session, offer)
    responded = ev.Responded(seat=seat, offer=kind, accept=accept)
    if not accept and seat in due | offer.agreed:
        left = declined(session, offer, seat)
    elif accept and seat in due | offer.declined:
        left = accepted(session, offer, seat)
    else:
        raise CommandError("invalid_offer", f"The {name} does not need your response.")
    if left is None or awaiting(session, left):
        return [responded]
    return [responded, _carry_out(session, left, new_id)]


def _carry_out(session: GameSession, offer: PendingOffer, new_id: NewId) -> Event:
    match offer.offer:
        case "takeback":
            return ev.TookBack(ply=offer.ply)
        case "draw":
            return ev.Ended(result=DRAW, reason="agreed", seat=None)
        case "resign":
            return forfeit(session, offer.seat, "resigned")
        case "rematch":
            without = asked(session, offer) - offer.agreed
            return ev.Rematched(table=new_id(), without=tuple(sorted(without)))


def respond_as_bot(session: GameSession, seat: int, accept: bool) -> list[Event]:
    """Return a bot's response to a draw offer, if that is still pending."""
    offer = session.offers.get("draw")
    if offer is None or seat not in awaiting(session, offer):
        return []
    return respond(session, seat, "draw", accept, str)


def check_takeback_clock(session: GameSession, ply: int, now: Timestamp) -> None:
    """Raise `CommandError` if somebody would have no time left after a takeback."""
    if not session.clock.can_undo_turns(session.turns_since(ply), now):
        raise CommandError(
            "invalid_offer",
            "These moves cannot be undone: without their increments a player would have no time"
            " left.",
        )
