"""The lobby of several processes: what each of them tells the others, and reads of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from teahouse.server.lobby.challenges import TAKEN, ChallengeBook
from teahouse.server.lobby.mailbox import Mailbox
from teahouse.server.lobby.models import Challenge, Visitor, account_key
from teahouse.server.lobby.shared_challenges import SharedChallenges
from teahouse.server.lobby.shared_counts import Present, SharedCounts
from teahouse.server.storage.notifications import pack, unpack

if TYPE_CHECKING:
    from teahouse.server.lobby.lobby import Lobby

RECONNECT = "lobby-reconnect"


class SharedLobby:
    """Connects the lobby of this process with those of the others."""

    def __init__(self, lobby: Lobby, book: ChallengeBook) -> None:
        self._lobby = lobby
        self._store = store = lobby.registry.store
        self.challenges = SharedChallenges(store, book, lobby.members, lobby.relations, self)
        self.mailbox = Mailbox(store, lobby.members, self._delivered)
        self.counts = SharedCounts(store, self._present)

    async def start(self) -> None:
        """Read what is open, and follow the other processes."""
        await self.challenges.read()
        self.challenges.start()
        self.mailbox.start()
        self.counts.start()
        self._store.notifications.subscribe(RECONNECT, self._reconnect)

    async def close(self) -> None:
        """Stop following."""
        for part in (self.challenges, self.mailbox, self.counts):
            await part.close()

    def _present(self) -> Present:
        players, games = self._lobby.live.counts
        return Present(round(players, 2), round(games, 2), self._lobby.bots_here)

    def _delivered(self, visitor: str, _: dict[str, Any]) -> None:
        self._lobby.pairing.forget(visitor)

    def reconnect(self, account_id: str, reason: str) -> None:
        """Let other processes close the connections of an account."""
        self._store.tell(RECONNECT, [pack([account_id, reason])])

    def _reconnect(self, text: str) -> None:
        for word in text.split(" "):
            account_id, reason = unpack(word)
            self._lobby.members.reconnect(account_key(account_id), reason)

    # Called by the shared challenges.

    def opened_elsewhere(self, challenge: Challenge) -> None:
        """Tell those concerned of a challenge that another process has opened."""
        self._lobby.opened(challenge)

    def gone_elsewhere(self, challenge: Challenge, reason: str) -> None:
        """Tell those concerned that a challenge is gone."""
        self._lobby.publish_gone(challenge, None if reason == TAKEN else reason)

    async def cancel(self, challenge_id: str, visitor: Visitor) -> None:
        """Withdraw a challenge, or give up a place."""
        await self._lobby.cancel(challenge_id, visitor)

    def changed(self) -> None:
        """Publish soon what has changed."""
        self._lobby.changed()
