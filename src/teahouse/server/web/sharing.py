"""Open Graph images for link previews, and the metadata of every page."""

from __future__ import annotations

import base64
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from teahouse.core.catalog import games
from teahouse.search.levels import level_text
from teahouse.server.tables.socket import check_table_id
from teahouse.server.web.api import flow_of, get_registry
from teahouse.server.web.errors import ApiError
from teahouse.server.web.static_files import StaticFile
from teahouse.server.workers.ipc import position_fields
from teahouse.session.result import result_text
from teahouse.session.state import GameSession

CACHED = 100
"""Pictures that are kept in memory, some 200 kB each."""
DAY, MINUTE = 86_400, 60
"""Seconds that browsers and proxies may keep pictures of records and games, and of tables."""

router = APIRouter(prefix="/pictures", include_in_schema=False)


def page_context(request: Request) -> dict[str, Any]:
    """Return what the base template needs: the address of this server for previews of links."""
    base: str = request.app.state.base_path
    return {"origin": f"{str(request.base_url).rstrip('/')}{base}"}


def player_names(session: GameSession) -> list[str]:
    """Return the players of a table by name: a bot by its level, else by their side."""
    return [
        level_text(seat.level) if seat.level else seat.name or side
        for seat, side in zip(session.seats, session.game.players, strict=True)
    ]


class Pictures:
    """Cards that were drawn, the least recently used ones dropped."""

    def __init__(self) -> None:
        self._drawn: OrderedDict[tuple[str, str], tuple[StaticFile, float]] = OrderedDict()
        """The pictures by kind and id, each with when it may be drawn again."""

    async def respond(
        self, request: Request, key: tuple[str, str], seconds: int, card: Mapping[str, Any]
    ) -> Response:
        """Return a card as PNG; it is drawn again after some seconds."""
        now = time.monotonic()
        file, until = self._drawn.pop(key, (None, 0.0))
        if file is None or now >= until:
            jobs = get_registry(request).jobs
            encoded = await jobs.picture(card, flow_of(request).address)
            file, until = StaticFile.create(base64.b64decode(encoded), "image/png"), now + seconds
        self._drawn[key] = file, until
        if len(self._drawn) > CACHED:
            self._drawn.popitem(last=False)
        response = file.response(request.headers)
        response.headers["Cache-Control"] = f"public, max-age={seconds}"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response


def _pictures(request: Request) -> Pictures:
    pictures: Pictures = request.app.state.pictures
    return pictures


@router.get("/teahouse.png")
async def site(request: Request) -> Response:
    """Return the picture of the site: its games."""
    return await _pictures(request).respond(request, ("site", ""), DAY, {"card": "site"})


@router.get("/games/{name}.png")
async def game(request: Request, name: str) -> Response:
    """Return the picture of a game."""
    if name not in games():
        raise ApiError("not_found", f"Unknown game; games: {', '.join(games())}.")
    card = {"card": "game", "game": name}
    return await _pictures(request).respond(request, ("game", name), DAY, card)


@router.get("/records/{record_id}.png")
async def record(request: Request, record_id: str) -> Response:
    """Return the picture of a record: its last position."""
    text = await get_registry(request).store.record(check_table_id(record_id, "record"))
    if text is None:
        raise ApiError("not_found", "There is no such record.")
    card = {"card": "record", "text": text}
    return await _pictures(request).respond(request, ("record", record_id), DAY, card)


@router.get("/tables/{table_id}.png")
async def table(request: Request, table_id: str) -> Response:
    """Return the picture of a table: its current position."""
    session = (await get_registry(request).readable_room(check_table_id(table_id))).session
    outcome = result_text(session) or f"Move {session.ply + 1}"
    card = {
        "card": "position",
        "title": session.game.title,
        "lines": [" – ".join(player_names(session)), outcome],
        **position_fields(session.position),
    }
    return await _pictures(request).respond(request, ("table", table_id), MINUTE, card)
