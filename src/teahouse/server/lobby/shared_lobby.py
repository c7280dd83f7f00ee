"""The lobby across processes: what each publishes to the others, and reads from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from teahouse.server.lobby.challenges import TAKEN, ChallengeBook
from teahouse.server.lobby.mailbox import Mailbox
from teahouse.server.lobby.models import Challenge, Visitor, account_key
from teahouse.server.lobby.shared_challenges import SharedChallenges
from teahouse.server.lobby.shared_counts import LobbyPresence, SharedCounts
from teahouse.server.storage.notifications import pack, unpack

if TYPE_CHECKING:
    from teahouse.server.lobby.lobby import Lobby

RECONNECT = "lobby-reconnect"


class SharedLobby:
    """Connects the lobby of this process to those of the others."""

    def __init__(self, lobby: Lobby, book: ChallengeBook) -> None:
        self._lobby = lobby
        self._store = store = lobby.registry.store
        self.challenges = SharedChallenges(store, book, lobby.members, lobby.relations, self)
        self.mailbox = Mailbox(store, lobby.members, self._delivered)
        self.counts = SharedCounts(store, self._presence)

    async def start(self) -> None:
        """Read the open challenges, and subscribe to the other processes."""
        await self.challenges.read()
        self.challenges.start()
        self.mailbox.start()
        self.counts.start()
        self._store.notifications.subscribe(RECONNECT, self._reconnect)

    async def close(self) -> None:
        """Stop polling."""
        for part in (self.challenges, self.mailbox, self.counts):
            await part.close()

    def _presence(self) -> LobbyPresence:
        players, games = self._lobby.live.counts
        return LobbyPresence(round(players, 2), round(games, 2), self._lobby.bots_here)

    def _delivered(self, visitor: str, _: dict[str, Any]) -> None:
        self._lobby.pairing.forget(visitor)

    def reconnect(self, account_id: str, reason: str) -> None:
        """Ask the other processes to close the connections of an account."""
        self._store.publish(RECONNECT, [pack([account_id, reason])])

    def _reconnect(self, text: str) -> None:
        for item in text.split(" "):
            account_id, reason = unpack(item)
            self._lobby.members.reconnect(account_key(account_id), reason)

    # Called by the shared challenges.

    def opened_remotely(self, challenge: Challenge) -> None:
        """Notify the visitors concerned of a challenge that another process has opened."""
        self._lobby.opened(challenge)

    def gone_remotely(self, challenge: Challenge, reason: str) -> None:
        """Notify the visitors concerned that a challenge is no longer open."""
        self._lobby.publish_gone(challenge, None if reason == TAKEN else reason)

    async def cancel(self, challenge_id: str, visitor: Visitor) -> None:
        """Withdraw a challenge, or give up a place."""
        await self._lobby.cancel(challenge_id, visitor)

    def changed(self) -> None:
        """Schedule a broadcast of the lobby."""
        self._lobby.changed()
