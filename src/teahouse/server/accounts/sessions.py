"""Sign-in sessions: a random token in a cookie, of which the database has only the hash."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any

from fastapi.responses import Response
from starlette.requests import HTTPConnection

from teahouse.server.accounts import rows
from teahouse.server.accounts.models import Account, AccountSession
from teahouse.server.accounts.open_sockets import open_sockets
from teahouse.server.storage.store import Store
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.seat_keys import hash_secret
from teahouse.server.web.middleware import SESSION_COOKIE

IDLE_SECONDS = 30 * 86_400.0
"""Until a session that is not used expires."""
MAX_SECONDS = 365 * 86_400.0
"""Until a session expires however often it is used."""
TOUCH_SECONDS = 3_600.0
MAX_SESSIONS = 50
"""Sessions of an account; a new one replaces the one that was not used for longest."""
DEVICE_COOKIE = "teahouse_device"
"""Kept after signing out: failed attempts elsewhere do not delay a known device."""
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS = (
    ("iPhone|iPad", "iOS"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def is_secure(connection: HTTPConnection) -> bool:
    """Return whether a client is connected by https."""
    return connection.scope.get("scheme") in ("https", "wss")


def cookie_name(connection: HTTPConnection, name: str) -> str:
    """Return the name of a cookie with its prefix: over https no other host can set `__Host-`.

    That prefix requires the path /, so under a base path `__Secure-` is used, which at least
    excludes cookies set over http.
    """
    if not is_secure(connection):
        return name
    return f"__Secure-{name}" if connection.app.state.base_path else f"__Host-{name}"


def _token(connection: HTTPConnection, name: str) -> str | None:
    return connection.cookies.get(cookie_name(connection, name)) or None


def session_token(connection: HTTPConnection) -> str | None:
    """Return the session's token that a client sends, if any."""
    return _token(connection, SESSION_COOKIE)


async def find(store: Store, token: str) -> tuple[AccountSession, Account] | None:
    """Return the session with a token, and its account; None if it has expired."""
    digest, now = hash_secret(token), store.now().wall
    found = await store.read(lambda connection: rows.find_session(connection, digest))
    if found is None or found[0].used < now - IDLE_SECONDS or found[0].created < now - MAX_SECONDS:
        return None
    session = found[0]
    if session.used < now - TOUCH_SECONDS:
        await store.write(lambda connection: rows.touch_session(connection, session.id, now))
    return found


async def start(
    connection: HTTPConnection, response: Response, store: Store, account_id: str
) -> AccountSession:
    """Sign a browser in: set a new token, and delete the session that it had before.

    Call this after every sign-in and change of credentials, against session fixation.
    """
    token, now = secrets.token_urlsafe(32), store.now().wall
    browser = describe_browser(connection.headers.get("user-agent", ""))
    session = AccountSession(new_id(), account_id, now, now, browser)
    before = session_token(connection)
    device = secrets.token_urlsafe(16)

    def job(database: Any) -> list[str]:
        ended = rows.sessions_of(database, account_id)[MAX_SESSIONS - 1 :]
        replaced = before and rows.find_session(database, hash_secret(before))
        if replaced:
            ended.append(replaced[0])
        for one in ended:
            rows.delete_sessions(database, one.account_id, [one.id])
        rows.delete_expired_sessions(database, now - IDLE_SECONDS, now - MAX_SECONDS)
        rows.add_session(database, hash_secret(token), session)
        rows.add_device(
            database, hash_secret(device), account_id, now, before=device_hash(connection)
        )
        return [one.id for one in ended]

    open_sockets(connection).close(await store.write(job))
    _set_cookie(connection, response, SESSION_COOKIE, token)
    _set_cookie(connection, response, DEVICE_COOKIE, device)
    return session


async def end(connection: HTTPConnection, response: Response, store: Store) -> None:
    """Sign a browser out."""
    token = session_token(connection)
    if token is not None:
        found = await store.read(lambda database: rows.find_session(database, hash_secret(token)))
        if found is not None:
            session = found[0]
            await store.write(
                lambda database: rows.delete_sessions(database, session.account_id, [session.id])
            )
            open_sockets(connection).close([session.id])
    clear_cookie(connection, response)


def device_hash(connection: HTTPConnection) -> str:
    """Return the hash of a browser's device token, or an empty text."""
    device = _token(connection, DEVICE_COOKIE)
    return hash_secret(device) if device else ""


async def knows_device(connection: HTTPConnection, store: Store, account_id: str) -> bool:
    """Return whether an account has signed in before in this browser."""
    digest = device_hash(connection)
    return await store.read(lambda database: rows.knows_device(database, digest, account_id))


def cookie_attributes(connection: HTTPConnection) -> Mapping[str, Any]:
    """Return the attributes of a cookie that scripts and other sites do not see."""
    path = connection.app.state.base_path or "/"
    return {"path": path, "httponly": True, "samesite": "lax", "secure": is_secure(connection)}


def _set_cookie(connection: HTTPConnection, response: Response, name: str, token: str) -> None:
    response.set_cookie(
        cookie_name(connection, name),
        token,
        max_age=int(MAX_SECONDS),
        **cookie_attributes(connection),
    )


def clear_cookie(connection: HTTPConnection, response: Response) -> None:
    """Delete the session cookie."""
    name = cookie_name(connection, SESSION_COOKIE)
    response.delete_cookie(name, **cookie_attributes(connection))


def describe_browser(user_agent: str) -> str:
    """Return a browser and its system in words, such as "Firefox on Linux"."""
    browser = next((name for word, name in _BROWSERS if word in user_agent), "Unknown browser")
    system = next((name for words, name in _SYSTEMS if re.search(words, user_agent)), None)
    return f"{browser} on {system}" if system else browser
