"""The pages people see, from the templates in `pages/`."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from fastapi.templating import Jinja2Templates

from teahouse.core.catalog import games, load
from teahouse.draw import themes
from teahouse.server.api import listed, the_house, whole
from teahouse.server.errors import Refused
from teahouse.server.explore import explored, parsed
from teahouse.server.registry import House
from teahouse.server.rules_page import rules_html
from teahouse.server.sockets import checked_id
from teahouse.server.thumbnails import picture

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


def _page(request: Request, name: str, **context: Any) -> HTMLResponse:
    templates: Jinja2Templates = request.app.state.templates
    status = context.get("status", 200)
    return templates.TemplateResponse(request, name, context, status_code=status)


@router.get("/board.css")
async def board_css() -> Response:
    """How boards look."""
    return Response(themes.stylesheet(), media_type="text/css")


def _pictured() -> list[dict[str, Any]]:
    return [{**game, "svg": picture(game["name"])} for game in listed()]


@router.get("/")
async def home(request: Request) -> HTMLResponse:
    """The games of the house."""
    return _page(request, "home.html", games=_pictured())


@router.get("/new")
async def new(request: Request) -> HTMLResponse:
    """A new table."""
    return _page(request, "new_game.html", games=listed())


@router.get("/mine")
async def mine(request: Request) -> HTMLResponse:
    """Games played on this device."""
    return _page(request, "my_games.html", games=listed())


@router.get("/explore")
async def explore(request: Request) -> HTMLResponse:
    """Variations and uploaded records."""
    return _page(request, "explore.html", games=_pictured())


@router.get("/tables/{table_id}")
async def table(request: Request, table_id: str) -> HTMLResponse:
    """A table."""
    found = json.loads(await whole(the_house(request), checked_id(table_id)))
    return _page(request, "table.html", table=found)


@router.get("/rules/{name}")
async def rules(request: Request, name: str) -> HTMLResponse:
    """A game's rules."""
    if name not in games():
        raise Refused(
            "missing", f"there is no game of this name; the games are {', '.join(games())}"
        )
    return _page(request, "rules.html", game=load(name), html=rules_html(name))


@router.get("/records/{record_id}")
async def record(request: Request, record_id: str) -> HTMLResponse:
    """A shared record."""
    house: House = the_house(request)
    text = await house.store.record(checked_id(record_id))
    if text is None:
        raise Refused("missing", "there is no such record")
    shown = json.loads(explored(parsed(text), None))
    return _page(request, "record.html", id=record_id, record=text, explored=shown)


def error_page(request: Request, refused: Refused) -> HTMLResponse:
    """What went wrong, for people."""
    return _page(request, "error.html", status=refused.status, why=refused.why)
