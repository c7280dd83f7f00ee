"""The lobby of a server: challenges, quick pairing and live games."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

from teahouse.core.game import Game
from teahouse.server.accounts.anonymous import DeletedAccount
from teahouse.server.lobby import rows, seating
from teahouse.server.lobby.challenges import (
    CANCELLED,
    DECLINED,
    TAKEN,
    ChallengeBook,
    check_seats,
    may_see,
)
from teahouse.server.lobby.feed import Counts, LobbyFeed
from teahouse.server.lobby.live_games import LiveGames
from teahouse.server.lobby.local_challenges import LocalChallenges
from teahouse.server.lobby.members import Member, Members
from teahouse.server.lobby.messages import ChallengeIn
from teahouse.server.lobby.models import Challenge, Visitor, account_key
from teahouse.server.lobby.personal import PersonalNews
from teahouse.server.lobby.quick_pairing import QuickPairing
from teahouse.server.lobby.relations import Relations
from teahouse.server.lobby.seating import SeatAt
from teahouse.server.lobby.shared_counts import BotsOnline
from teahouse.server.lobby.shared_lobby import SharedLobby
from teahouse.server.lobby.shared_pairing import SharedPairing
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.quota import TableQuota
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.setup import load_setup
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError

log = logging.getLogger("teahouse.server.lobby")

GRACE_SECONDS = 15.0
"""How long a disconnected visitor's challenges stay open: they may be reloading the page."""
PUBLISH_SECONDS = 0.25
"""The shortest time between two messages to everybody."""
MEMBERS_PER_SECOND = 1_000
"""With more members than a quarter of that, there are fewer messages to everybody."""


class Lobby:
    """Challenges, quick pairing, and everybody who is connected.

    Whatever decides who plays whom runs without an `await`, so it is atomic.
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
        self._shared = SharedLobby(self, self._book) if registry.store.multi_process else None
        self._stored = self._shared.challenges if self._shared else LocalChallenges(registry.store)
        self.pairing = SharedPairing(self) if self._shared else QuickPairing(self)
        self.on_direct_challenge: Callable[[Challenge], None] = lambda challenge: None
        """Called with every new challenge to an account."""

    async def start(self) -> None:
        """Load the stored challenges, and start broadcasting changes."""
        if self._shared is None:
            for challenge in await rows.load(self.registry.store):
                self._book.add(challenge)
        else:
            await self._shared.start()
        self._personal.start()
        self._tasks.start(self._publish())
        self._tasks.start(self.live.run(self._changed.set))
        self._tasks.start(self.pairing.run())

    async def close(self) -> None:
        """Stop, and disconnect everybody."""
        self.members.disconnect_all("The server is shutting down.")
        if self._shared is not None:
            await self._shared.close()
        await self._personal.close()
        await self._tasks.cancel()

    def now(self) -> float:
        """Return the server's uptime."""
        return self.registry.store.now().uptime

    # Members.

    async def enter(self, member: Member) -> None:
        """Add a connection; send it who it is, what concerns it, and then the whole lobby."""
        self.members.add(member, self.now())  # first, so that no change is missed
        news = await self._personal.welcome(member.visitor)
        account = member.visitor.account
        incoming = self._book.to(account.id) if account else []
        member.send(
            {
                "type": "welcome",
                "you": member.visitor.body,
                "own_challenges": [one.body for one in self._book.by(member.visitor.key)],
                "joined": self._book.joined_by(member.visitor.key),
                "incoming": [
                    one.body for one in incoming if one.challenger.key not in member.hidden
                ],
                "games": news,
            }
        )
        self._feed.welcome(member)
        self._changed.set()
        if self._shared is not None:
            await self._shared.mailbox.deliver([member.visitor.key])

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
        if self._shared is None:  # else the shared lobby detects who has left all processes
            loop = asyncio.get_running_loop()
            loop.call_later(GRACE_SECONDS, self._close_if_away, visitor)

    def _close_if_away(self, visitor: Visitor) -> None:
        """Withdraw the challenges of a visitor who has not reconnected, and free their places."""
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
        check_seats(request, game)
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
        await self._stored.open(challenge)
        try:
            self._book.check_room(visitor.key)  # others may have been opened meanwhile
        except ApiError:
            await self._stored.replace(challenge, None, CANCELLED)
            raise
        self._book.add(challenge)
        if not challenge.stored and not self.members.of(visitor.key):
            self._close_later(visitor)  # unless they connect in time
        if to is not None:
            self.on_direct_challenge(challenge)
        self.opened(challenge)
        return challenge

    def opened(self, challenge: Challenge) -> None:
        """Notify the visitors concerned of a new challenge."""
        own = {"type": "own_challenge", "challenge": challenge.body}
        self.members.send(challenge.challenger.key, own)
        if challenge.to is not None:
            for member in self.members.of(account_key(challenge.to.id)):
                if challenge.challenger.key not in member.hidden:
                    member.send({"type": "challenge", "challenge": challenge.body})
        self._changed.set()

    async def _find(self, challenge_id: str) -> Challenge:
        """Return an open challenge, of whichever process."""
        await self._stored.find(challenge_id)
        return self._book.get(challenge_id)

    async def get(self, challenge_id: str, visitor: Visitor | None) -> Challenge:
        """Return an open challenge that a visitor may see."""
        challenge = await self._find(challenge_id)
        if challenge.to is not None and (visitor is None or not may_see(challenge, visitor)):
            raise ApiError("not_found", "There is no such challenge.")
        return challenge

    async def accept(self, challenge_id: str, visitor: Visitor, address: str) -> SeatAt | None:
        """Take a place; return the seat if the game begins, None if it waits for others.

        Of two who want the last place one gets it; raise `ApiError` for the other.
        """
        while True:
            challenge = await self._find(challenge_id)
            await self.relations.check_not_blocked(visitor, challenge.players)
            rating = await self.relations.rating(visitor, challenge.game)
            challenge = self._book.get(challenge_id)
            joined = self._book.join(challenge_id, visitor, rating)
            self._changed.set()
            if await self._stored.replace(challenge, None if joined.complete else joined, TAKEN):
                break
        if not joined.complete:
            return None
        self.publish_gone(joined)
        try:
            seats = await self.begin(joined.request, joined.game, joined.players, address)
        except BaseException:
            await self._reopen(challenge)
            raise
        for player in joined.players:
            if player.key != visitor.key:
                self.notify_paired(player, seats[player.key], joined.id)
        return seats[visitor.key]

    async def _reopen(self, challenge: Challenge) -> None:
        """Put a challenge back whose game could not be created."""
        self._book.add(challenge)
        if not self.members.of(challenge.challenger.key):
            self._close_later(challenge.challenger)
        self._changed.set()
        await self._stored.open(challenge)

    async def begin(
        self, request: ChallengeIn, game: Game, players: Sequence[Visitor], address: str
    ) -> dict[str, SeatAt]:
        """Create the table of players who were paired."""
        return await seating.create_table(
            self.registry, self._quota, request, game, players, address
        )

    def notify_paired(self, player: Visitor, seat: SeatAt, challenge: str | None) -> None:
        """Send a player, and nobody else, their seat."""
        body = {"type": "paired", "challenge": challenge, **seat.body}
        if self._shared is None:
            self.members.send_or_keep(player.key, body, self.now())
        else:
            self._shared.mailbox.post(player.key, body)

    def notify_seek_ended(self, player: Visitor, member: Member | None, reason: str) -> None:
        """Notify a player that their seek ended without a game; `member` is its connection."""
        body = {"type": "seek_ended", "reason": reason}
        if member is not None:
            member.send(body)
        elif self._shared is not None:
            self._shared.mailbox.post(player.key, body)

    async def cancel(self, challenge_id: str, visitor: Visitor) -> None:
        """Withdraw one's challenge, decline one, or give up one's place."""
        while True:
            before = await self._find(challenge_id)
            after, still_open = self._book.leave(challenge_id, visitor)
            reason = DECLINED if visitor.key != before.challenger.key else CANCELLED
            if self._shared is None:
                self._left(after, still_open, visitor)
            if await self._stored.replace(before, after if still_open else None, reason):
                break
        if self._shared is not None:
            self._left(after, still_open, visitor)

    def _left(self, challenge: Challenge, still_open: bool, visitor: Visitor) -> None:
        if not still_open:
            declined = visitor.key != challenge.challenger.key
            reason = DECLINED if declined else CANCELLED
            self.publish_gone(challenge, reason, but=visitor)
        self._changed.set()

    def publish_gone(
        self, challenge: Challenge, reason: str | None = None, but: Visitor | None = None
    ) -> None:
        """Notify the visitors concerned that a challenge is no longer open."""
        body = {"type": "challenge_gone", "id": challenge.id, "reason": reason}
        recipients = {player.key for player in challenge.players}
        if challenge.to is not None:
            recipients.add(account_key(challenge.to.id))
        for key in recipients - ({but.key} if but else set()):
            self.members.send(key, body)
        self._changed.set()

    async def on_account_deleted(self, deleted: DeletedAccount) -> None:
        """Withdraw the challenges of an account that is being deleted."""
        await self.forget_account(deleted.account_id)

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
        """Broadcast changes, a few times a second at most."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                games = [one.message for one in self.live.games]
                self._feed.publish(self._book, games, self.counts)
            except Exception:
                log.exception("Broadcasting the lobby failed.")
            await asyncio.sleep(max(PUBLISH_SECONDS, len(self.members) / MEMBERS_PER_SECOND))

    def changed(self) -> None:
        """Schedule a broadcast."""
        self._changed.set()

    @property
    def counts(self) -> Counts:
        """How many are connected, play, and look for opponents."""
        players, games = self.live.counts
        if self._shared is not None:
            elsewhere = self._shared.counts.elsewhere
            players, games = players + elsewhere.players, games + elsewhere.games
        return {
            "players": round(players),
            "games": round(games),
            "seeking": self.pairing.seeking,
        }

    @property
    def bots_here(self) -> BotsOnline:
        """The bot accounts that are connected to this process and can be challenged."""
        return {
            account.id: {**account.body, "games": member.accepts}
            for member in self.members
            if member.accepts and (account := member.visitor.account) and account.kind == "bot"
        }

    @property
    def bots_online(self) -> list[dict[str, Any]]:
        """The bot accounts that can be challenged now, and to which games."""
        found = self.bots_here
        if self._shared is not None:
            found = {**self._shared.counts.elsewhere.bots, **found}
        return sorted(found.values(), key=lambda bot: str(bot["name"]))

    def reconnect(self, account_id: str, reason: str) -> None:
        """Close the connections of an account, in all processes; clients open them again."""
        self.members.reconnect(account_key(account_id), reason)
        if self._shared is not None:
            self._shared.reconnect(account_id, reason)

    @property
    def body(self) -> dict[str, Any]:
        """What everybody sees, for clients without a socket."""
        return {
            "challenges": [one.body for one in self._book if one.to is None],
            "games": [one.fields for one in self.live.games],
            "counts": self.counts,
        }
