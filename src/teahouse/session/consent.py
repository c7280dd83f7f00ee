"""Consent: the offers that are pending, and who has to agree to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from teahouse.session.clock import DAY
from teahouse.session.events import Correspondence, OfferKind, Timestamp

if TYPE_CHECKING:
    from teahouse.session.state import GameSession

REMATCH_SECONDS = 30.0
"""Seconds after which a rematch can begin without those who have not answered."""


@dataclass(frozen=True, slots=True)
class PendingOffer:
    """An offer, and the seats that have answered it so far."""

    offer: OfferKind
    seat: int
    ply: int
    agreed: frozenset[int] = frozenset()
    declined: frozenset[int] = frozenset()
    """Of a rematch that can begin without them; any other offer ends when it is declined."""
    since: float = 0.0
    """Unix time at which it was made."""


def _kinds(session: GameSession, offer: OfferKind | None) -> list[str]:
    """Return the seats' kinds: for a rematch as they were before bots took over, else now."""
    seats = session.created.seats if offer == "rematch" else session.seats
    return [seat.kind for seat in seats]


def consenting_with(
    session: GameSession, seat: int, offer: OfferKind | None = None
) -> frozenset[int]:
    """Return the seats that respond together: all local ones (one device), or one alone."""
    kinds = _kinds(session, offer)
    if kinds[seat] != "local":
        return frozenset({seat})
    return frozenset(number for number, kind in enumerate(kinds) if kind == "local")


def asked(session: GameSession, offer: PendingOffer) -> frozenset[int]:
    """Return all seats whose consent an offer asks for, whatever they have answered."""
    required = frozenset(range(len(session.seats)))
    if offer.offer == "resign":
        required = frozenset(next(team for team in session.game.teams if offer.seat in team))
    if offer.offer == "draw":
        return required
    kinds = _kinds(session, offer.offer)  # bots agree to everything but draws
    return frozenset(seat for seat in required if kinds[seat] != "bot")


def awaiting(session: GameSession, offer: PendingOffer) -> frozenset[int]:
    """Return the seats that still have to respond to an offer."""
    return asked(session, offer) - offer.agreed - offer.declined


def is_awaiting(session: GameSession, seat: int) -> bool:
    """Return whether a move or a response of a seat is due."""
    return session.player == seat or any(
        seat in awaiting(session, offer) for offer in session.offers.values()
    )


def awaiting_seats(session: GameSession) -> list[int]:
    """Return the seats of which a move or a response is due."""
    if not session.offers:
        return [] if session.player is None else [session.player]
    return [seat for seat in range(len(session.seats)) if is_awaiting(session, seat)]


def accepted(session: GameSession, offer: PendingOffer, seat: int) -> PendingOffer:
    """Return an offer after a seat has agreed, whatever it has answered before."""
    together = consenting_with(session, seat, offer.offer)
    return replace(
        offer, agreed=offer.agreed | together, declined=offer.declined.difference(together)
    )


def declined(session: GameSession, offer: PendingOffer, seat: int) -> PendingOffer | None:
    """Return an offer after a seat has declined or withdrawn it; None if that ends it.

    Who declines a rematch of three or more seats leaves it to the others, if there are any.
    """
    if not _can_leave_out(session, offer) or seat in offer.agreed:
        return None
    together = consenting_with(session, seat, offer.offer)
    left = replace(offer, declined=offer.declined | together)
    others = offer.agreed - consenting_with(session, offer.seat, offer.offer)
    return left if others or awaiting(session, left) else None


def startable_in(session: GameSession, offer: PendingOffer, now: Timestamp) -> float | None:
    """Return the seconds until those who have agreed can go on without the others.

    None if all have to agree.
    """
    if not _can_leave_out(session, offer):
        return None
    control = session.created.time_control
    patience = control.days * DAY if isinstance(control, Correspondence) else REMATCH_SECONDS
    return max(0.0, offer.since + patience - now.wall)


def _can_leave_out(session: GameSession, offer: PendingOffer) -> bool:
    return offer.offer == "rematch" and len(session.seats) > 2
