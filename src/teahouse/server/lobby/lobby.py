"""The lobby of a server: brings together those who want to play."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

from teahouse.core.game import Game
from teahouse.server.accounts.anonymous import Departure
from teahouse.server.errors import ApiError
from teahouse.server.lobby import rows, seating
from teahouse.server.lobby.challenges import CANCELLED, DECLINED, ChallengeBook, may_see
from teahouse.server.lobby.feed import Counts, LobbyFeed
from teahouse.server.lobby.live_games import LiveGames
from teahouse.server.lobby.members import Member, Members
from teahouse.server.lobby.messages import ChallengeIn
from teahouse.server.lobby.models import Challenge, Visitor, account_key
from teahouse.server.lobby.personal import PersonalNews
from teahouse.server.lobby.quick_pairing import QuickPairing
from teahouse.server.lobby.relations import Relations
from teahouse.server.lobby.seating import SeatAt
from teahouse.server.registry import Registry, new_id
from teahouse.server.setup import load_setup
from teahouse.server.table_quota import TableQuota
from teahouse.server.tasks import BackgroundTasks

log = logging.getLogger("teahouse.server.lobby")

GRACE_SECONDS = 15.0
"""How long the challenges of a visitor without a connection stay open: a page is being reloaded."""
PUBLISH_SECONDS = 0.25
"""The shortest time between two messages to everybody."""
MEMBERS_PER_SECOND = 1_000
"""With more members than a quarter of that, there are fewer messages to everybody."""


class Lobby:
    """Challenges, quick pairing, and everybody who is connected.

    Whatever decides who plays whom happens at once, without an `await` in between.
    """

    def __init__(self, registry: Registry, quota: TableQuota, relations: Relations) -> None:
        self.registry = registry
        self.relations = relations
        self.members = Members()
        self._quota = quota
        self._book = ChallengeBook()
        self._feed = LobbyFeed(self.members)
        self.live = LiveGames(registry, self.members)
        self._changed = asyncio.Event()
        self._tasks = BackgroundTasks()
        self._personal = PersonalNews(registry, self.members)
        self.pairing = QuickPairing(self)
        self.on_direct_challenge: Callable[[Challenge], None] = lambda challenge: None
        """Called with every new challenge to an account."""

    async def start(self) -> None:
        """Load the stored challenges, and publish whatever changes."""
        for challenge in await rows.load(self.registry.store):
            self._book.add(challenge)
        self.registry.add_listener(self._personal.table_changed)
        self._tasks.start(self._publish())
        self._tasks.start(self.live.run(self._changed.set))
        self._tasks.start(self.pairing.run())

    async def close(self) -> None:
        """Stop, and disconnect everybody."""
        self.members.disconnect_all("The server is shutting down.")
        await self._tasks.cancel()

    def now(self) -> float:
        """Return the server's uptime."""
        return self.registry.store.now().uptime

    # Members.

    async def enter(self, member: Member) -> None:
        """Add a connection; send it who it is, what concerns it, and then the whole lobby."""
        self.members.add(member, self.now())  # first: from now on nothing is missed
        news = await self._personal.welcome(member.visitor)
        account = member.visitor.account
        incoming = self._book.to(account.id) if account else []
        member.send(
            {
                "type": "welcome",
                "you": member.visitor.body,
                "own_challenges": [one.body for one in self._book.by(member.visitor.key)],
                "incoming": [
                    one.body for one in incoming if one.challenger.key not in member.hidden
                ],
                "games": news,
            }
        )
        self._feed.welcome(member)
        self._changed.set()

    def show_boards(self, member: Member, on: bool) -> None:
        """Send a member pictures of the games being played, or none."""
        if member.boards != on:
            member.boards = on
            self._feed.welcome(member)

    def leave(self, member: Member) -> None:
        """Remove a connection; the challenges of its visitor stay open for a moment."""
        self.pairing.stop(member)
        if self.members.remove(member):
            self._close_later(member.visitor)
        self._changed.set()

    def _close_later(self, visitor: Visitor) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(GRACE_SECONDS, self._close_if_away, visitor)

    def _close_if_away(self, visitor: Visitor) -> None:
        """Withdraw what a visitor who has not come back has proposed, and give up their places."""
        if self.members.of(visitor.key):
            return
        for challenge in self._book:
            part = any(player.key == visitor.key for player in challenge.players)
            if part and not challenge.stored:
                self._left(*self._book.leave(challenge.id, visitor), visitor)

    # Challenges.

    async def challenge(self, visitor: Visitor, request: ChallengeIn, address: str) -> Challenge:
        """Open a challenge; raise `ApiError` if it is not possible."""
        game, _ = load_setup(request.game, request.options, None)
        _check_seats(request, game)
        self._book.check_room(visitor.key)
        to = await self.relations.challenged(visitor, request)
        self.relations.check_rated(request, game, visitor)
        challenge = Challenge(
            id=new_id(),
            request=request,
            game=game,
            players=(visitor,),
            rating=await self.relations.rating(visitor, game),
            to=to,
            created=self.registry.store.now().wall,
        )
        if challenge.stored:
            await rows.save(self.registry.store, challenge)
        self._book.check_room(visitor.key)
        self._book.add(challenge)
        if not challenge.stored and not self.members.of(visitor.key):
            self._close_later(visitor)  # unless they connect in time
        if to is not None:
            self._tell_challenged(challenge)
        self.members.tell(visitor.key, {"type": "own_challenge", "challenge": challenge.body})
        self._changed.set()
        return challenge

    def _tell_challenged(self, challenge: Challenge) -> None:
        assert challenge.to is not None
        self.on_direct_challenge(challenge)
        for member in self.members.of(account_key(challenge.to.id)):
            if challenge.challenger.key not in member.hidden:
                member.send({"type": "challenge", "challenge": challenge.body})

    def get(self, challenge_id: str, visitor: Visitor | None) -> Challenge:
        """Return an open challenge that a visitor may see."""
        challenge = self._book.get(challenge_id)
        if challenge.to is not None and (visitor is None or not may_see(challenge, visitor)):
            raise ApiError("not_found", "There is no such challenge.")
        return challenge

    async def accept(self, challenge_id: str, visitor: Visitor, address: str) -> SeatAt | None:
        """Take a place; return the seat if the game begins, None if it waits for others.

        Of two who want the last place one gets it; raise `ApiError` for the other.
        """
        challenge = self._book.get(challenge_id)
        await self.relations.check_not_blocked(visitor, challenge.players)
        rating = await self.relations.rating(visitor, challenge.game)
        joined = self._book.join(challenge_id, visitor, rating)
        if not joined.complete:
            self._changed.set()
            await self._save(joined)
            return None
        self._publish_gone(joined)
        try:
            await self._save(joined, remove=True)
            seats = await self.begin(joined.request, joined.game, joined.players, address)
        except BaseException:
            await self._reopen(challenge)
            raise
        for player in joined.players:
            if player.key != visitor.key:
                self.tell_paired(player, seats[player.key], joined.id)
        return seats[visitor.key]

    async def _reopen(self, challenge: Challenge) -> None:
        """Put a challenge back whose game could not be created."""
        self._book.add(challenge)
        if not self.members.of(challenge.challenger.key):
            self._close_later(challenge.challenger)
        self._changed.set()
        await self._save(challenge)

    async def begin(
        self, request: ChallengeIn, game: Game, players: Sequence[Visitor], address: str
    ) -> dict[str, SeatAt]:
        """Create the table of those who were brought together."""
        return await seating.create_table(
            self.registry, self._quota, request, game, players, address
        )

    def tell_paired(self, player: Visitor, seat: SeatAt, challenge: str | None) -> None:
        """Tell a player, and nobody else, their seat."""
        body = {"type": "paired", "challenge": challenge, **seat.body}
        self.members.tell_or_keep(player.key, body, self.now())

    async def cancel(self, challenge_id: str, visitor: Visitor) -> None:
        """Withdraw one's challenge, decline one, or give up one's place."""
        challenge, still_open = self._book.leave(challenge_id, visitor)
        self._left(challenge, still_open, visitor)
        await self._save(challenge, remove=not still_open)

    def _left(self, challenge: Challenge, still_open: bool, visitor: Visitor) -> None:
        if not still_open:
            declined = visitor.key != challenge.challenger.key
            reason = DECLINED if declined else CANCELLED
            self._publish_gone(challenge, reason, but=visitor)
        self._changed.set()

    def _publish_gone(
        self, challenge: Challenge, reason: str | None = None, but: Visitor | None = None
    ) -> None:
        """Tell those concerned that a challenge is no longer open."""
        body = {"type": "challenge_gone", "id": challenge.id, "reason": reason}
        told = {player.key for player in challenge.players}
        if challenge.to is not None:
            told.add(account_key(challenge.to.id))
        for key in told - ({but.key} if but else set()):
            self.members.tell(key, body)
        self._changed.set()

    async def _save(self, challenge: Challenge, *, remove: bool = False) -> None:
        """Store who takes part, or that a challenge is gone."""
        if challenge.stored:
            if remove:
                await rows.remove(self.registry.store, challenge.id)
            else:
                await rows.save(self.registry.store, challenge)

    async def farewell(self, departure: Departure) -> None:
        """Withdraw the challenges of an account that is being deleted."""
        await self.forget_account(departure.account_id)

    async def forget_account(self, account_id: str) -> None:
        """Withdraw the challenges of an account that is deleted or suspended, and those to it."""
        key = account_key(account_id)
        for challenge in self._book:
            visitor = next((one for one in challenge.players if one.key == key), None)
            if visitor is None and challenge.to is not None and challenge.to.id == account_id:
                visitor = Visitor.of(challenge.to)
            if visitor is not None:
                await self.cancel(challenge.id, visitor)

    # Publishing.

    async def _publish(self) -> None:
        """Send everybody what has changed, a few times a second at most."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                games = [one.message for one in self.live.games]
                self._feed.publish(self._book, games, self.counts)
            except Exception:
                log.exception("The lobby cannot be published.")
            await asyncio.sleep(max(PUBLISH_SECONDS, len(self.members) / MEMBERS_PER_SECOND))

    def changed(self) -> None:
        """Publish soon what has changed."""
        self._changed.set()

    @property
    def counts(self) -> Counts:
        """How many are connected, play, and look for opponents."""
        return {**self.live.counts, "seeking": self.pairing.seeking}

    @property
    def body(self) -> dict[str, Any]:
        """What everybody sees, for clients without a socket."""
        return {
            "challenges": [one.body for one in self._book if one.to is None],
            "games": [one.fields for one in self.live.games],
            "counts": self.counts,
        }


def _check_seats(request: ChallengeIn, game: Game) -> None:
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
