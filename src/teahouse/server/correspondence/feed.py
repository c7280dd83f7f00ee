"""The Atom feed of an account, at a secret address."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Annotated, Any
from uuid import UUID, uuid5

import sqlalchemy as sa
from fastapi import APIRouter, Path, Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates

from teahouse.server.accounts.rows import accounts
from teahouse.server.correspondence.notices import StoredNotice, latest
from teahouse.server.correspondence.rows import notification_settings
from teahouse.server.tables.seat_keys import hash_secret
from teahouse.server.web.api import RegistryDep
from teahouse.server.web.errors import ApiError
from teahouse.server.web.sharing import page_context

router = APIRouter(include_in_schema=False)

NAMESPACE = UUID("3f1f5f0a-6d0c-5b7e-9d53-0d1a4c6c7e21")
ENTRIES = 50
NOTICES = 500
"""Notices among which the entries are found."""
MEDIA_TYPE = "application/atom+xml; charset=utf-8"
FeedKey = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22,64}$")]


@router.get("/feed/{key}.atom")
async def feed(key: FeedKey, request: Request, registry: RegistryDep) -> Response:
    """Return the feed of the account with this key."""
    found = await registry.store.read(partial(_find, key_hash=hash_secret(key)))
    if found is None:
        raise ApiError("not_found", "There is no such feed. Its address may have been revoked.")
    account_id, name, created, entries = found
    origin = page_context(request)["origin"]
    tag = f'"{sha256(repr((origin, name, entries)).encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "X-Robots-Tag": "noindex"}
    if request.headers.get("If-None-Match") == tag:
        return Response(status_code=304, headers=headers)
    templates: Jinja2Templates = request.app.state.templates
    updated = max([created, *(entry.created for entry in entries)])
    text = templates.get_template("feed.xml").render(
        origin=origin,
        address=f"{origin}/feed/{key}.atom",
        name=name,
        id=f"urn:uuid:{uuid5(NAMESPACE, account_id)}",
        updated=_timestamp(updated),
        entries=_entries(entries),
    )
    return Response(text, media_type=MEDIA_TYPE, headers=headers)


def _entries(found: Sequence[StoredNotice]) -> list[dict[str, Any]]:
    """Return the entries, the latest first; of the turns in a game only the last one."""
    turns = {notice.path: notice.id for notice in reversed(found) if notice.kind == "turn"}
    return [
        {
            "id": f"urn:uuid:{uuid5(NAMESPACE, f'{notice.account_id}/{notice.key}')}",
            "title": _printable(notice.title),
            "text": _printable(notice.text),
            "path": notice.path,
            "updated": _timestamp(notice.created),
            "kind": notice.kind,
        }
        for notice in found
        if notice.kind != "turn" or turns[notice.path] == notice.id
    ][:ENTRIES]


def _timestamp(time: float) -> str:
    """Return a time as RFC 3339 has it."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _printable(text: str) -> str:
    """Return a text without what XML cannot hold."""
    return "".join(one for one in text if one.isprintable() or one == "\n")


def _find(
    connection: sa.Connection, key_hash: str
) -> tuple[str, str, float, list[StoredNotice]] | None:
    joined = notification_settings.join(
        accounts, accounts.c.id == notification_settings.c.account_id
    )
    wanted = (
        sa.select(accounts.c.id, accounts.c.name, accounts.c.created)
        .select_from(joined)
        .where(notification_settings.c.feed_hash == key_hash, accounts.c.deleted.is_(False))
    )
    row = connection.execute(wanted).one_or_none()
    return row and (row.id, row.name, row.created, latest(connection, row.id, NOTICES))
