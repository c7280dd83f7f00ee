"""The open challenges: who proposes what, and who has accepted. No I/O.

Every method is atomic on the event loop, so only one of two visitors gets the last place.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import replace

from teahouse.core.game import Game
from teahouse.server.lobby.messages import ChallengeIn
from teahouse.server.lobby.models import Challenge, Visitor
from teahouse.server.ratings.scale import Rating
from teahouse.server.web.errors import ApiError

MAX_CHALLENGES = 1_000
MAX_OWN = 10
"""Open challenges of one visitor."""
MAX_REMEMBERED = 2_000
"""Closed challenges whose reason is remembered."""

TAKEN = "Somebody else accepted this challenge first."
CANCELLED = "This challenge was withdrawn."
DECLINED = "This challenge was declined."
GONE = "This challenge is not open any more."


class ChallengeBook:
    """All open challenges by id, oldest first."""

    def __init__(self) -> None:
        self._open: dict[str, Challenge] = {}
        self._own: Counter[str] = Counter()
        self._gone: OrderedDict[str, str] = OrderedDict()
        """The reasons of the latest closed challenges."""

    def __iter__(self) -> Iterator[Challenge]:
        return iter(list(self._open.values()))

    def get(self, challenge_id: str) -> Challenge:
        """Return an open challenge; raise `ApiError` with the reason why it is gone."""
        found = self._open.get(challenge_id)
        if found is None:
            reason = self._gone.get(challenge_id)
            if reason is None:
                raise ApiError("not_found", "There is no such challenge.")
            raise ApiError("challenge_gone", reason)
        return found

    def by(self, visitor: str) -> list[Challenge]:
        """Return the challenges of a visitor."""
        return [one for one in self._open.values() if one.challenger.key == visitor]

    def joined_by(self, visitor: str) -> list[str]:
        """Return the ids of the challenges in which a visitor has a place beside the challenger."""
        return [
            one.id
            for one in self._open.values()
            if any(player.key == visitor for player in one.players[1:])
        ]

    def to(self, account: str) -> list[Challenge]:
        """Return the challenges to an account."""
        return [one for one in self._open.values() if one.to is not None and one.to.id == account]

    def check_room(self, visitor: str) -> None:
        """Raise `ApiError` if there is no room for another challenge of a visitor."""
        if self._own[visitor] >= MAX_OWN:
            message = f"You have {MAX_OWN} open challenges. Please withdraw one of them first."
            raise ApiError("at_capacity", message)
        if len(self._open) >= MAX_CHALLENGES:
            raise ApiError("at_capacity", "The lobby is full. Please join a challenge instead.")

    def add(self, challenge: Challenge) -> None:
        """Add a challenge, or put one back whose game could not be created."""
        self._gone.pop(challenge.id, None)
        self._own[challenge.challenger.key] += 1
        self._open[challenge.id] = challenge

    def put(self, challenge: Challenge) -> bool:
        """Add or replace a challenge of another process; return whether it is new."""
        if challenge.id in self._open:
            self._open[challenge.id] = challenge
            return False
        self.add(challenge)
        return True

    def drop(self, challenge_id: str, reason: str) -> Challenge | None:
        """Remove a challenge that is gone in another process; return it if it was here."""
        challenge = self._open.get(challenge_id)
        if challenge is not None:
            self._remove(challenge, reason)
        elif challenge_id not in self._gone:  # for visitors who follow a link to it
            self._remember(challenge_id, reason)
        return challenge

    def join(self, challenge_id: str, visitor: Visitor, rating: Rating | None) -> Challenge:
        """Give a visitor a place; a challenge that is complete is not open any more.

        Raise `ApiError` if there is no place, or if it is not for this visitor.
        """
        challenge = self.get(challenge_id)
        _check_joining(challenge, visitor, rating)
        joined = replace(challenge, players=(*challenge.players, visitor))
        if joined.complete:
            self._remove(challenge, TAKEN)
        else:
            self._open[challenge_id] = joined
        return joined

    def leave(self, challenge_id: str, visitor: Visitor) -> tuple[Challenge, bool]:
        """Give up a place, withdraw one's own challenge, or decline one.

        Return the challenge, and whether it is still open.
        """
        challenge = self.get(challenge_id)
        keys = [player.key for player in challenge.players]
        if visitor.key == keys[0]:
            self._remove(challenge, CANCELLED)
            return challenge, False
        if visitor.key in keys:
            players = tuple(one for one in challenge.players if one.key != visitor.key)
            self._open[challenge_id] = changed = replace(challenge, players=players)
            return changed, True
        if challenge.to is not None and is_account(visitor, challenge.to.id):
            self._remove(challenge, DECLINED)
            return challenge, False
        raise ApiError("not_your_challenge", "This challenge is somebody else's.")

    def _remove(self, challenge: Challenge, reason: str) -> None:
        del self._open[challenge.id]
        key = challenge.challenger.key
        self._own[key] -= 1
        if not self._own[key]:
            del self._own[key]
        self._remember(challenge.id, reason)

    def _remember(self, challenge_id: str, reason: str) -> None:
        self._gone[challenge_id] = reason
        if len(self._gone) > MAX_REMEMBERED:
            self._gone.popitem(last=False)


def check_seats(request: ChallengeIn, game: Game) -> None:
    """Raise `ApiError` unless the seats exist, and somebody else can play."""
    count = len(game.players)
    seats = [bot.seat for bot in request.bots] + ([] if request.seat is None else [request.seat])
    if any(seat >= count for seat in seats):
        sides = list(game.players)
        raise ApiError("invalid", f"{game.title} has {count} seats: {', '.join(sides)}.", sides)
    places = count - len(request.bots)
    if places < 2:
        raise ApiError("invalid", "A challenge needs a seat for somebody else.")
    if request.to is not None and places > 2:
        raise ApiError("invalid", "A challenge to one player has seats for two; add bots.")


def is_account(visitor: Visitor, account: str) -> bool:
    """Return whether a visitor is signed in as an account."""
    return visitor.account is not None and visitor.account.id == account


def may_see(challenge: Challenge, visitor: Visitor) -> bool:
    """Return whether a challenge is for a visitor: open to everybody, theirs, or to them."""
    return (
        challenge.to is None
        or is_account(visitor, challenge.to.id)
        or visitor.key == challenge.challenger.key
    )


def _check_joining(challenge: Challenge, visitor: Visitor, rating: Rating | None) -> None:
    request = challenge.request
    if any(player.key == visitor.key for player in challenge.players):
        raise ApiError("own_challenge", "You take part in this challenge already.")
    if not may_see(challenge, visitor):
        raise ApiError("not_found", "There is no such challenge.")
    if request.rated and visitor.account is None:
        raise ApiError("sign_in_required", "Sign in to play rated games.")
    if request.rating_range is not None:
        low, high = request.rating_range
        if rating is None:
            message = f"This challenge is for players rated {low} to {high}. Please sign in."
            raise ApiError("sign_in_required", message)
        if not low <= round(rating.value) <= high:
            message = (
                f"This challenge is for players rated {low} to {high};"
                f" your rating is {round(rating.value)}."
            )
            raise ApiError("rating_out_of_range", message)
