"""Limits of what an address and a table may use, and the middleware that charges requests."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from teahouse.server.settings import ServerSettings
from teahouse.server.web import prices
from teahouse.server.web.client_address import scope_client
from teahouse.server.web.errors import ApiError
from teahouse.server.web.middleware import SAFE_METHODS
from teahouse.server.web.rate_limit import RateLimiter

BURST_SECONDS = 30
"""Seconds' worth of requests that an address may send at once: a class of 30 starts together."""
TABLE_BURST_SECONDS = 10
MAX_WAIT = 1.0
"""The longest wait in seconds of a request over the rate; beyond that it fails."""


class RateLimitError(ApiError):
    """A request or message over the rate."""

    def __init__(self, what: str, wait: float) -> None:
        super().__init__("rate_limited", f"Too many {what}. Please slow down.")
        self.retry_after = max(1, math.ceil(wait))


class Limits:
    """The rates of all addresses and tables, and what each address has in progress."""

    def __init__(self, settings: ServerSettings) -> None:
        self._addresses = RateLimiter(settings.request_rate, BURST_SECONDS * settings.request_rate)
        self._tables = RateLimiter(settings.table_rate, TABLE_BURST_SECONDS * settings.table_rate)
        self._tokens = RateLimiter(settings.token_rate, BURST_SECONDS * settings.token_rate)
        self._max_running = settings.max_requests_per_address
        self._running: dict[str, asyncio.Semaphore] = {}
        self._pending: Counter[str] = Counter()
        """Requests of each address that run or wait."""
        self._max_sockets = settings.max_sockets_per_address
        self._sockets: Counter[str] = Counter()

    async def charge(self, address: str, units: float) -> None:
        """Charge an address; wait up to `MAX_WAIT` if it is over its rate, else raise an error."""
        await _wait_for(self._addresses, address, units, "requests from your address")

    async def charge_table(self, key: str, units: float) -> None:
        """Charge a table, or a seat of one, in the same way."""
        await _wait_for(self._tables, key, units, "requests for this table")

    async def charge_token(self, token_id: str, units: float) -> None:
        """Charge an API token in the same way, from whatever address it is used."""
        await _wait_for(self._tokens, token_id, units, "requests with this token")

    @asynccontextmanager
    async def running(self, address: str) -> AsyncIterator[None]:
        """Limit the concurrent requests of an address: wait for a slot."""
        semaphore = self._running.setdefault(address, asyncio.Semaphore(self._max_running))
        self._pending[address] += 1
        try:
            async with semaphore:
                yield
        finally:
            self._pending[address] -= 1
            if not self._pending[address]:
                del self._running[address], self._pending[address]

    def open_socket(self, address: str) -> None:
        """Count a new socket of an address; raise `ApiError` if it has too many."""
        if self._sockets[address] >= self._max_sockets:
            message = f"Your address has too many open sockets (limit {self._max_sockets})."
            raise ApiError("at_capacity", message)
        self._sockets[address] += 1

    def close_socket(self, address: str) -> None:
        """Count a closed socket."""
        self._sockets[address] -= 1
        if not self._sockets[address]:
            del self._sockets[address]


async def _wait_for(limiter: RateLimiter, key: str, units: float, what: str) -> None:
    wait = limiter.reserve(key, units, MAX_WAIT)
    # Rejected requests wait too, so that clients do not retry in a tight loop.
    if wait > 0.0:
        await asyncio.sleep(min(wait, MAX_WAIT))
    if wait > MAX_WAIT:
        raise RateLimitError(what, wait)


class LimitsMiddleware:
    """Charges every request to its address, and those that read a table to the table."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        address = scope_client(scope)
        price = prices.price_of(scope["method"], scope["path"])
        table = prices.table_of(scope["path"])
        limits = self._limits
        if not price.units:
            await self._app(scope, receive, send)
            return
        try:
            await limits.charge(address, price.units)
            if table is not None:
                await limits.charge_table(table, price.units)
            if scope["method"] not in SAFE_METHODS:
                body = await _read_body(receive)
                if body is None:
                    return
                await limits.charge(address, price.per_kilobyte * len(body) / 1_000)
                receive = _replay(body, receive)
        except RateLimitError as error:
            await _refusal(scope["path"], error)(scope, receive, send)
            return
        if price.waits:
            await self._app(scope, receive, send)
            return
        async with limits.running(address):
            await self._app(scope, receive, send)


def _refusal(path: str, error: RateLimitError) -> Response:
    """Return JSON under /api and a text elsewhere."""
    headers = {"Retry-After": str(error.retry_after)}
    if path.startswith("/api"):
        return JSONResponse(error.body, error.status, headers)
    return PlainTextResponse(error.message, error.status, headers)


async def _read_body(receive: Receive) -> bytes | None:
    """Return a request's body, or None if the client has disconnected."""
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that begins with a body that has been read."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
