"""A client of Teahouse servers for programs: `Client`, and `AsyncClient` for asyncio."""

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
from teahouse.client.models import (
    Account,
    Correspondence,
    HouseBot,
    Offer,
    Person,
    Realtime,
    Seat,
    TableEvent,
    Untimed,
)
from teahouse.client.table import Table

__all__ = [
    "Account",
    "AsyncClient",
    "AuthenticationError",
    "ClientError",
    "ConnectionLostError",
    "Correspondence",
    "HouseBot",
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
    "Untimed",
]
