"""Quick pairing as a service: seeks of connected members, and a bot offered to those who wait."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from teahouse.core.catalog import games, load
from teahouse.core.game import Game
from teahouse.server.lobby.members import Member
from teahouse.server.lobby.messages import PACES, ChallengeIn, SeekIn
from teahouse.server.lobby.models import Visitor
from teahouse.server.lobby.pairing import PairingPool, PoolKey, Seek
from teahouse.server.ratings.pools import Pool, pool_of
from teahouse.server.ratings.scale import START_DEVIATION, Rating
from teahouse.server.storage.errors import StoreError
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError

if TYPE_CHECKING:
    from teahouse.server.lobby.lobby import Lobby

log = logging.getLogger("teahouse.server.lobby.quick_pairing")

TICK_SECONDS = 1.0
BOT_SECONDS = 8.0
"""Seconds of waiting after which a bot is offered."""
ELSEWHERE = "Your search continues in another window."
UNRATED = Rating(0.0, START_DEVIATION)
"""Everybody's strength in a game without ratings."""


@dataclass
class Waiting:
    """A member who looks for opponents."""

    member: Member
    key: PoolKey
    seek: Seek
    rating: Rating | None
    offered: bool = False


class QuickPairing:
    """The seeks of all members. A player has at most one, and is in at most one new game."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._pools: dict[PoolKey, PairingPool] = {}
        self._waiting: dict[str, Waiting] = {}
        self.beginning = BackgroundTasks()
        """Tables that are being created."""

    @property
    def seeking(self) -> dict[str, int]:
        """The number of seeks by game."""
        return dict(Counter(waiting.key.game for waiting in self._waiting.values()))

    async def seek(self, member: Member, message: SeekIn) -> None:
        """Add a seek; raise `ApiError` for an unknown game or a bot account."""
        if message.game not in games():
            raise ApiError("invalid", f"Unknown game; games: {', '.join(games())}.", games())
        visitor = member.visitor
        if visitor.account is not None and visitor.account.kind == "bot":
            text = "Quick pairing is for people. Bot accounts play by challenges and tournaments."
            raise ApiError("people_only", text)
        game = default_game(message.game)
        rating = await self._lobby.relations.rating(visitor, game)
        if member not in self._lobby.members.of(visitor.key):
            return  # gone while the rating was read
        self._stop(visitor.key, ELSEWHERE)
        strength = rating or _start(pool_of(game))
        seek = Seek(
            visitor.key, strength.value, strength.deviation, self._lobby.now(), member.hidden
        )
        key = PoolKey(message.game, message.pace)
        self._waiting[visitor.key] = waiting = Waiting(member, key, seek, rating)
        await self._enqueue(waiting)
        self._lobby.changed()

    async def _enqueue(self, waiting: Waiting) -> None:
        """Add a new seek, and pair it if possible."""
        size = len(default_game(waiting.key.game).players)
        self._pools.setdefault(waiting.key, PairingPool(size)).add(waiting.seek)
        self._match(waiting.key)

    def _dequeue(self, waiting: Waiting) -> None:
        """Remove a seek."""
        self._pools[waiting.key].remove(waiting.seek.player)

    def forget(self, player: str) -> None:
        """Drop the seek of a player whom another process has paired."""

    def stop(self, member: Member) -> None:
        """Drop the seek of a connection, if it has one."""
        waiting = self._waiting.get(member.visitor.key)
        if waiting is not None and waiting.member is member:
            self._stop(member.visitor.key, None)

    def _stop(self, player: str, reason: str | None) -> None:
        waiting = self._waiting.pop(player, None)
        if waiting is None:
            return
        self._dequeue(waiting)
        self._lobby.changed()
        if reason is not None:
            waiting.member.send({"type": "seek_ended", "reason": reason})

    async def run(self) -> None:
        """Pair seeks whose rating windows have widened, and offer bots."""
        try:
            while True:
                await asyncio.sleep(TICK_SECONDS)
                for key in [key for key, pool in self._pools.items() if len(pool)]:
                    self._match(key)
                self._offer_bots()
        finally:
            await self.beginning.cancel()

    def _match(self, key: PoolKey) -> None:
        for group in self._pools[key].match(self._lobby.now()):
            found = [self._waiting.pop(seek.player) for seek in group]
            self._lobby.changed()
            visitors = [one.member.visitor for one in found]
            members = {one.member.visitor.key: one.member for one in found}
            self.beginning.start(self._begin(key, visitors, members, found[0].member.address))

    async def _begin(
        self, key: PoolKey, players: list[Visitor], members: dict[str, Member], address: str
    ) -> None:
        """Create the table of a group; if that fails, send the players the reason.

        `members` has the connections of the seeks in this process.
        """
        game = default_game(key.game)
        request = ChallengeIn(
            game=key.game, time_control=PACES[key.pace], rated=_rated(key, game, players)
        )
        try:
            seats = await self._lobby.begin(request, game, players, address)
        except (ApiError, StoreError) as error:
            log.warning("Creating the table of a pairing failed: %s", error)
            reason = error.message if isinstance(error, ApiError) else "Please try again."
            for player in players:
                self._lobby.notify_seek_ended(player, members.get(player.key), reason)
            return
        for player in players:
            body = {"type": "paired", "challenge": None, **seats[player.key].body}
            member = members.get(player.key)
            if member is not None and member in self._lobby.members.of(player.key):
                member.send(body)
            else:  # the page is being reloaded, or connected to another process
                self._lobby.notify_paired(player, seats[player.key], None)

    def _offer_bots(self) -> None:
        now = self._lobby.now()
        for waiting in self._waiting.values():
            if not waiting.offered and now - waiting.seek.since >= BOT_SECONDS:
                waiting.offered = True
                level = _level(pool_of(default_game(waiting.key.game)), waiting.rating)
                offer = {"type": "bot_offer", "game": waiting.key.game, "level": level}
                waiting.member.send(offer)


@cache
def default_game(name: str) -> Game:
    """Return a game with its default options; cached."""
    return load(name)


def _start(pool: Pool | None) -> Rating:
    return UNRATED if pool is None else pool.start


def _rated(key: PoolKey, game: Game, players: list[Visitor]) -> bool:
    """Return whether a game counts: with a clock, between accounts, where there are ratings."""
    timed = PACES[key.pace].kind != "none"
    accounts = all(one.account is not None for one in players)
    return timed and accounts and pool_of(game) is not None


def _level(pool: Pool | None, rating: Rating | None) -> int | None:
    """Return the bot's level that is nearest to a rating; None for those without one."""
    if pool is None or rating is None:
        return None
    return min(pool.levels, key=lambda one: abs(one[1].value - rating.value))[0]
