"""HTTP requests with a token: errors as exceptions, waits where the server asks for it."""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Any

import httpx2

from teahouse.client.errors import ClientError, ConnectionLostError, RateLimitError, request_error

log = logging.getLogger("teahouse.client")

PROTOCOL = 2
TIMEOUT = 30.0
MAX_WAIT = 120.0
"""Seconds that one request may wait for limits in all."""
FIRST_DELAY = 0.25
MAX_DELAY = 10.0


class HttpApi:
    """The HTTP API of a server."""

    def __init__(
        self,
        url: str,
        token: str | None,
        patience: float,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            message = f"The address of a server begins with http:// or https://, got {url!r}."
            raise ClientError(message)
        self.url = url.rstrip("/")
        self.headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.guest = {} if token is not None else {"key": secrets.token_urlsafe(16)}
        """How the lobby recognises a client without an account."""
        self._patience = patience
        self._http = httpx2.AsyncClient(
            base_url=self.url,
            headers=self.headers,
            timeout=TIMEOUT,
            follow_redirects=False,
            transport=transport,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def get(self, path: str) -> Any:
        """Return the body of a resource."""
        return await self._request("GET", path, None)

    async def post(self, path: str, body: Any = None) -> Any:
        """Send a body and return that of the response."""
        return await self._request("POST", path, {} if body is None else body)

    async def _request(self, method: str, path: str, body: Any) -> Any:
        """Carry out a request; repeat it while the server is busy or cannot be reached.

        A change that may have been carried out is never sent twice.
        """
        waited, unreachable, delay = 0.0, 0.0, FIRST_DELAY
        while True:
            try:
                response = await self._http.request(method, path, json=body)
            except httpx2.TransportError as error:
                safe = method == "GET" or isinstance(error, httpx2.ConnectError)
                if not safe or unreachable >= self._patience:
                    reason = str(error) or type(error).__name__
                    message = f"{method} {self.url}{path} failed: {reason}."
                    raise ConnectionLostError(message) from error
                log.info("%s cannot be reached: %s", self.url, error)
                await asyncio.sleep(delay)
                unreachable, delay = unreachable + delay, min(2 * delay, MAX_DELAY)
                continue
            if response.is_success:
                return _body(response)
            failure = request_error(_body(response), response.status_code)
            # 503 is answered before anything has changed; so is a limit.
            retry = isinstance(failure, RateLimitError) or response.status_code == 503
            wait = _retry_after(response)
            if not retry or waited + wait > MAX_WAIT:
                raise failure
            await asyncio.sleep(wait)
            waited += wait


def _body(response: httpx2.Response) -> Any:
    if "json" in response.headers.get("content-type", ""):
        return response.json()
    return response.text


def _retry_after(response: httpx2.Response) -> float:
    """Return the seconds that the server asks to wait; a date counts as a second."""
    text = response.headers.get("retry-after", "1")
    return float(text) if text.isascii() and text.isdigit() else 1.0
