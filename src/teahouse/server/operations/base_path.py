"""A base path: a proxy may serve the server under a path of a host, such as /tea.

Inside, all paths begin at the root of the server. Requests lose the base path on their way in,
unless the proxy has removed it already; links in templates and redirects get it on their way out.
Scripts have `site-path.js` for that.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

from jinja2 import Environment
from jinja2.ext import Extension
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from teahouse.core.errors import OptionError

_BASE_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_LINK = re.compile(r'(?<=[ "])(href|src|action)="/(?!/)')


def normalize(path: str) -> str:
    """Return a base path without a slash at its end; raise `OptionError` if it is none."""
    base = path.rstrip("/")
    if not _BASE_PATH.fullmatch(base):
        raise OptionError(
            f"Invalid base path {path!r}; it begins with / and has letters, digits, . _ ~ and -."
        )
    return base


class SiteLinks(Extension):
    """Adds the base path to the links of templates that begin with a slash."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        environment.globals.setdefault("base", "")

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the source of a template with the base path in front of links."""
        return _LINK.sub(r'\1="{{ base }}/', source)


class BasePathMiddleware:
    """Removes the base path from requests, and adds it to redirects."""

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._base = base_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._base or scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        scope["path"] = self._inner(scope["path"])
        scope["raw_path"] = scope["path"].encode()
        host = Headers(scope=scope).get("host", "")

        async def respond(message: Message) -> None:
            if message["type"] == "http.response.start" and 300 <= message["status"] < 400:
                headers = MutableHeaders(scope=message)
                if location := headers.get("location"):
                    headers["location"] = self._outer(location, host)
            await send(message)

        await self._app(scope, receive, respond)

    def _inner(self, path: str) -> str:
        """Return a path without the base path, if it has it."""
        if path == self._base:
            return "/"
        return path.removeprefix(self._base) if path.startswith(f"{self._base}/") else path

    def _outer(self, location: str, host: str) -> str:
        """Return where a redirect leads, with the base path if it stays on this server."""
        parts = urlsplit(location)
        if parts.netloc not in ("", host) or not parts.path.startswith("/"):
            return location
        return urlunsplit(parts._replace(path=self._base + parts.path))
