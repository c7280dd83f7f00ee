"""Security middleware: checks host and origin, limits body sizes, adds headers, answers HEAD."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from teahouse.server.settings import ServerSettings
from teahouse.server.web.errors import CLOSE_CODE, ApiError
from teahouse.server.web.messages import PROTOCOL

SECURITY_HEADERS = {
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
EMBED_PATH = "/embed/"
"""Pages that other sites may show in a frame; they read, and hold no secret."""
EMBED_HEADERS = {
    **SECURITY_HEADERS,
    "Content-Security-Policy": SECURITY_HEADERS["Content-Security-Policy"].replace(
        "frame-ancestors 'none'", "frame-ancestors *"
    ),
    "Cross-Origin-Resource-Policy": "cross-origin",
}
del EMBED_HEADERS["X-Frame-Options"]
STATIC_PATH = "/static/"
STATIC_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""For subresources: the page's headers apply, and a page loads fifty of them."""
SESSION_COOKIE = "teahouse_session"
"""Of a signed-in browser; over https with the prefix `__Host-`."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
HEALTH_PATHS = ("/healthz", "/readyz")
"""For load balancers, which use whatever name they have; nothing there is secret."""


class SecurityMiddleware:
    """Rejects foreign hosts (DNS rebinding), foreign origins (CSRF) and large bodies."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._max_body = settings.max_body
        self._hosts = {"localhost", *settings.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        error = self._check(scope, Headers(scope=scope))
        if scope["type"] == "websocket":
            if error is not None:
                code = CLOSE_CODE["invalid_secret"]
                await send({"type": "websocket.close", "code": code, "reason": error.message})
                return
            await self._app(scope, receive, send)
            return
        respond, given = _with_headers(send, scope), scope
        if scope["method"] == "HEAD":  # answered as GET without the body
            scope, respond = {**scope, "method": "GET"}, _without_body(respond)
        if error is not None:
            await JSONResponse(error.body, error.status)(scope, receive, respond)
            return
        try:
            await self._app(scope, _limited(receive, self._max_body), respond)
        except ApiError as late:
            await JSONResponse(late.body, late.status)(scope, receive, respond)
        finally:
            if "route" in scope:  # for the metrics
                given["route"] = scope["route"]

    def _check(self, scope: Scope, headers: Headers) -> ApiError | None:
        host = headers.get("host", "")
        if scope["path"] in HEALTH_PATHS:
            return None
        if not self._is_own_host(host):
            message = "Unknown host name; allow it with: teahouse serve --name NAME"
            return ApiError("forbidden_origin", message, sorted(self._hosts))
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and origin is not None and origin.split("://")[-1] != host:
            return ApiError("forbidden_origin", "Requests from other sites are not allowed.")
        if changes and origin is None and SESSION_COOKIE in headers.get("cookie", ""):
            # Browsers send Origin with every unsafe request: without it the cookie is stolen,
            # or the client is a program, which should use a token.
            return ApiError("forbidden_origin", "Requests with a session need an Origin header.")
        if not is_length(headers.get("content-length", "0"), self._max_body):
            return _too_large(self._max_body)
        return None

    def _is_own_host(self, host: str) -> bool:
        """Return whether this is a name of the server; DNS rebinding cannot use an IP address."""
        name = host if host.endswith("]") else host.rsplit(":", 1)[0]
        try:
            ip_address(name.strip("[]"))
        except ValueError:
            return "*" in self._hosts or name.lower() in self._hosts
        return True


def is_length(text: str, limit: int) -> bool:
    """Return whether a text is a number up to a limit; `int` refuses thousands of digits."""
    digits = text.lstrip("0") or text[:1]
    return digits.isascii() and digits.isdecimal() and len(digits) <= 18 and int(digits) <= limit


def _too_large(limit: int) -> ApiError:
    return ApiError("too_large", f"The request is too large (limit {limit:,} bytes).")


def _limited(receive: Receive, limit: int) -> Receive:
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise _too_large(limit)
        return message

    return limited


def _without_body(send: Send) -> Send:
    async def respond(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return respond


def _security_headers(path: str) -> dict[str, str]:
    if path.startswith(STATIC_PATH):
        return STATIC_HEADERS
    return EMBED_HEADERS if path.startswith(EMBED_PATH) else SECURITY_HEADERS


def _with_headers(send: Send, scope: Scope) -> Send:
    security = _security_headers(scope["path"])
    is_api = scope["path"] == "/api" or scope["path"].startswith("/api/")

    async def respond(message: Any) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in security.items():
                headers.setdefault(name, value)
            if is_api:
                headers.setdefault("Teahouse-Protocol", str(PROTOCOL))
                headers.setdefault("Cache-Control", "no-store")
            else:  # revalidate: pages and their modules change together
                headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return respond
