"""The lobby: open challenges, and what concerns the client's own account, as a stream of events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from types import MappingProxyType

from teahouse.client.channel import Channel, Message
from teahouse.client.http import PROTOCOL, HttpApi
from teahouse.client.models import Account, Challenge


@dataclass(frozen=True, slots=True)
class ChallengeReceived:
    """Somebody challenges this account."""

    challenge: Challenge
    """The proposed game."""


@dataclass(frozen=True, slots=True)
class ChallengeGone:
    """A challenge of this account, or to it, is no longer open."""

    id: str
    """The id of the challenge."""
    reason: str | None
    """Why, in words; None if the game begins."""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game begins: a challenge was accepted, or a tournament paired this account.

    The unfinished games of the account come first, whenever the client connects.
    """

    table: str
    """The table's id: `client.join` opens it."""
    secrets: tuple[str, ...] = ()
    """Of a guest's seats; an account needs none."""


@dataclass(frozen=True, slots=True)
class YourTurn:
    """A move or a response is due at a table of this account."""

    table: str
    """The table's id."""


@dataclass(frozen=True, slots=True)
class GameOver:
    """A game of this account has ended."""

    table: str
    """The table's id."""
    result_text: str
    """The result and its reason in words."""


LobbyEvent = ChallengeReceived | ChallengeGone | GameStarted | YourTurn | GameOver


class Lobby:
    """The connection to the lobby; real-time challenges stay open as long as it is."""

    def __init__(self, api: HttpApi, patience: float, accepts: Iterable[str]) -> None:
        self.account: Account | None = None
        """Who the client is; None for a guest."""
        self._guest = api.guest
        self._accepts = sorted(accepts)
        self._open: dict[str, Challenge] = {}
        self._queue: asyncio.Queue[LobbyEvent | None] = asyncio.Queue()
        self._entered = asyncio.Event()
        url = f"{api.url}/api/lobby/socket"
        self._channel = Channel(url, api.headers, self._hello, self._receive, patience)

    @property
    def challenges(self) -> MappingProxyType[str, Challenge]:
        """The challenges that are open to everybody, by id."""
        return MappingProxyType(self._open)

    async def open(self) -> None:
        """Enter; raise `ClientError` if that is not possible."""
        self._channel.start(self._ended)
        await self._entered.wait()
        if self._channel.error is not None:
            raise self._channel.error

    async def close(self) -> None:
        """Leave the lobby."""
        await self._channel.close()

    async def events(self) -> AsyncIterator[LobbyEvent]:
        """Yield what happens, beginning with the challenges and games that wait already.

        After a lost connection those come again, so that nothing is missed. Raise `ClientError`
        once the connection is closed permanently.
        """
        while (event := await self._queue.get()) is not None:
            yield event
        assert self._channel.error is not None
        raise self._channel.error

    def _ended(self) -> None:
        self._entered.set()
        self._queue.put_nowait(None)

    def _hello(self) -> Message:
        return {
            "type": "enter",
            "protocol": PROTOCOL,
            "boards": False,
            "accepts": self._accepts,
            **self._guest,
        }

    def _receive(self, message: Message) -> None:
        match message["type"]:
            case "welcome":
                self.account = Account.parse(message["you"]["account"])
                for game in message["games"]:
                    self._put(GameStarted(game["table"]))
                    if game["your_turn"]:
                        self._put(YourTurn(game["table"]))
                for body in message["incoming"]:
                    self._put(ChallengeReceived(Challenge.parse(body)))
            case "lobby":
                self._open = _by_id(message["challenges"])
                self._entered.set()
            case "changes":
                changed = message.get("challenges", {"changed": [], "removed": []})
                self._open.update(_by_id(changed["changed"]))
                for gone in changed["removed"]:
                    self._open.pop(gone, None)
            case "challenge":
                self._put(ChallengeReceived(Challenge.parse(message["challenge"])))
            case "challenge_gone":
                self._put(ChallengeGone(message["id"], message["reason"]))
            case "paired":
                if message["secret"] is not None:  # accounts get `game_begins` instead
                    self._put(GameStarted(message["table"], (message["secret"],)))
            case "game_begins":
                self._put(GameStarted(message["table"]))
            case "your_turn":
                self._put(YourTurn(message["table"]))
            case "game_over":
                self._put(GameOver(message["table"], message["result_text"]))

    def _put(self, event: LobbyEvent) -> None:
        self._queue.put_nowait(event)


def _by_id(bodies: list[Message]) -> dict[str, Challenge]:
    return {body["id"]: Challenge.parse(body) for body in bodies}
