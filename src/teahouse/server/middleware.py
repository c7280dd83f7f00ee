"""What every request must pass, and what every answer carries."""

from __future__ import annotations

import time
from collections import OrderedDict
from ipaddress import ip_address
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from teahouse.server.errors import Refused
from teahouse.server.settings import Settings

SECURITY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; media-src 'self' data:; manifest-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), browsing-topics=()",
}


class Bucket:
    """How much somebody may do: so much a second in the long run, a burst at once."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._left = burst
        self._at = time.monotonic()

    def take(self, cost: float = 1.0) -> bool:
        """Whether there is enough left; then it is taken."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < cost:
            return False
        self._left -= cost
        return True


class Buckets:
    """A bucket for every address, the least recent of too many forgotten."""

    def __init__(self, rate: float, burst: float, most: int = 10_000) -> None:
        self._rate, self._burst, self._most = rate, burst, most
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, who: str, cost: float = 1.0) -> None:
        """Refused if this address has had its share."""
        bucket = self._buckets.pop(who, None) or Bucket(self._rate, self._burst)
        self._buckets[who] = bucket
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        if not bucket.take(cost):
            raise Refused("fast", "too many requests from your address; slow down")


class Safety:
    """Checks the host (against DNS rebinding) and the origin, bounds bodies, adds headers."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._hosts = {"localhost", *settings.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refused is not None:
                await send({"type": "websocket.close", "code": 4403, "reason": refused.why})
                return
            await self._app(scope, receive, send)
            return
        answer = _with_headers(send, scope)
        if refused is not None:
            response = JSONResponse(refused.body, refused.status)
            await response(scope, receive, answer)
            return
        try:
            await self._app(scope, _bounded(receive, self._settings.max_body), answer)
        except Refused as late:
            await JSONResponse(late.body, late.status)(scope, receive, answer)

    def _refusal(self, scope: Scope, headers: Headers) -> Refused | None:
        host = headers.get("host", "")
        if not self._known(host):
            why = "the house is not known under this name (teahouse serve --name NAME)"
            return Refused("foreign", why, sorted(self._hosts))
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")
        if changes and origin is not None and origin.split("://")[-1] != host:
            return Refused("foreign", "only the house's own pages may do this")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._settings.max_body:
            return Refused("large", f"a request has at most {self._settings.max_body} bytes")
        return None

    def _known(self, host: str) -> bool:
        """Whether this is a name of the house; an address in digits cannot be rebound."""
        name = host if host.endswith("]") else host.rsplit(":", 1)[0]
        try:
            ip_address(name.strip("[]"))
        except ValueError:
            return "*" in self._hosts or name.lower() in self._hosts
        return True


def _bounded(receive: Receive, most: int) -> Receive:
    got = 0

    async def bounded() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > most:
            raise Refused("large", f"a request has at most {most} bytes")
        return message

    return bounded


def _with_headers(send: Send, scope: Scope) -> Send:
    async def answer(message: Any) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY.items():
                headers.setdefault(name, value)
            if scope["path"].startswith("/api/"):
                headers.setdefault("Cache-Control", "no-store")
            else:  # kept, but asked about: pages and their modules change together
                headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return answer
