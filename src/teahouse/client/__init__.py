"""A client of Teahouse servers for programs: `Client`, and `AsyncClient` for asyncio."""

from teahouse.core.extras import extra

with extra("client", "teahouse.client"):
    import httpx2  # noqa: F401
    import websockets  # noqa: F401

from teahouse.client.blocking import BlockingTable, Client
from teahouse.client.client import AsyncClient
from teahouse.client.errors import (
    AuthenticationError,
    ClientError,
    ConnectionLostError,
    NotFoundError,
    ProtocolError,
    RateLimitError,
    RequestError,
)
from teahouse.client.lobby import (
    ChallengeGone,
    ChallengeReceived,
    GameOver,
    GameStarted,
    Lobby,
    LobbyEvent,
    YourTurn,
)
from teahouse.client.models import (
    Account,
    Challenge,
    Correspondence,
    HouseBot,
    Offer,
    Person,
    Realtime,
    Seat,
    TableEvent,
    Tournament,
    Untimed,
)
from teahouse.client.table import Table

__all__ = [
    "Account",
    "AsyncClient",
    "AuthenticationError",
    "BlockingTable",
    "Challenge",
    "ChallengeGone",
    "ChallengeReceived",
    "Client",
    "ClientError",
    "ConnectionLostError",
    "Correspondence",
    "GameOver",
    "GameStarted",
    "HouseBot",
    "Lobby",
    "LobbyEvent",
    "NotFoundError",
    "Offer",
    "Person",
    "ProtocolError",
    "RateLimitError",
    "Realtime",
    "RequestError",
    "Seat",
    "Table",
    "TableEvent",
    "Tournament",
    "Untimed",
    "YourTurn",
]
