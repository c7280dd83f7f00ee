"""The outermost middleware: request ids, metrics and the access log."""

from __future__ import annotations

import logging
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from teahouse.server.operations import logs, metrics
from teahouse.server.web.prices import table_of

HEADER = "X-Request-ID"
UNKNOWN_ROUTE = "unknown"
"""Label of paths without a route, which would be unbounded."""
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))


class RequestMiddleware:
    """Gives every request and socket an id, counts requests and logs them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        request_id = logs.accept_request_id(given)
        logs.request_id.set(request_id)
        logs.table_id.set(table_of(scope["path"]) or "")
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        await self._serve(scope, receive, send, request_id)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, request_id: str) -> None:
        status = 500
        began = time.perf_counter()

        async def respond(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        try:
            await self._app(scope, receive, respond)
        finally:
            _record(scope, status, time.perf_counter() - began)


def route_of(scope: Scope) -> str:
    """Return the template of a request's route, such as /tables/{table_id}."""
    route = scope.get("route")
    path = getattr(route, "path", None)
    if path is None and scope["path"].startswith("/static/"):
        return "/static"
    return path or UNKNOWN_ROUTE


def _record(scope: Scope, status: int, seconds: float) -> None:
    route = route_of(scope) if status != 404 or "route" in scope else UNKNOWN_ROUTE
    method = scope["method"] if scope["method"] in METHODS else "other"
    metrics.REQUESTS.labels(method, route, status).inc()
    metrics.REQUEST_SECONDS.labels(route).observe(seconds)
    if logs.ACCESS.isEnabledFor(logging.INFO):
        # The route, not the path: some paths contain a key.
        values = {"method": method, "route": route, "status": status, "ms": round(1e3 * seconds, 1)}
        logs.ACCESS.info("%s %s %d", method, route, status, extra=values)
