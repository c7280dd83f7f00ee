"""The HTML pages."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from fastapi.templating import Jinja2Templates

from teahouse.core.catalog import games, load
from teahouse.core.game import game_info
from teahouse.core.lesson import lesson_minutes
from teahouse.draw import themes
from teahouse.server.lobby.models import option_words
from teahouse.server.study.puzzles import puzzle_games
from teahouse.server.tables.socket import check_table_id
from teahouse.server.web.api import flow_of, get_registry
from teahouse.server.web.errors import ApiError
from teahouse.server.web.listing import list_games
from teahouse.server.web.static_files import StaticFile

STARTED = secrets.token_hex(4)
"""Part of the ETags of cached pages: a restart may bring another version."""

MAX_CONSTANT_PAGES = 50

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


def _page(request: Request, name: str, **context: Any) -> HTMLResponse:
    templates: Jinja2Templates = request.app.state.templates
    status = context.get("status", 200)
    return templates.TemplateResponse(request, name, context, status_code=status)


async def constant_page(request: Request, name: str, *, thumbnails: bool = False) -> Response:
    """Return a page about the games, which is the same for everybody; render it once."""
    pages: OrderedDict[tuple[str, str], StaticFile] = request.app.state.constant_pages
    key = (str(request.base_url), name)  # the description of a page has its whole address
    page = pages.pop(key, None)
    if page is None:
        listed = await _games_with_thumbnails(request) if thumbnails else list_games()
        page = await asyncio.to_thread(_render_constant, request, name, listed)
    pages[key] = page
    if len(pages) > MAX_CONSTANT_PAGES:
        pages.popitem(last=False)
    return page.response(request.headers)


def _render_constant(request: Request, name: str, listed: list[dict[str, Any]]) -> StaticFile:
    return StaticFile.create(bytes(_page(request, name, games=listed).body), "text/html")


async def _games_with_thumbnails(request: Request) -> list[dict[str, Any]]:
    jobs, listed = get_registry(request).jobs, list_games()
    drawn = await asyncio.gather(*(jobs.thumbnail(game["name"]) for game in listed))
    with_puzzles = await asyncio.to_thread(puzzle_games)
    return [
        {
            **game,
            "svg": svg,
            "minutes": lesson_minutes(game["name"]),
            "puzzles": game["name"] in with_puzzles,
        }
        for game, svg in zip(listed, drawn, strict=True)
    ]


@cache
def _board_css() -> StaticFile:
    return StaticFile.create(themes.stylesheet().encode(), "text/css")


@cache
def _favicon(folder: Path) -> StaticFile:
    return StaticFile.read(folder / "favicon.ico")


@router.get("/board.css")
async def board_css(request: Request) -> Response:
    """Return the stylesheet of boards."""
    return _board_css().response(request.headers)


@router.get("/favicon.ico")
async def favicon(request: Request) -> Response:
    """Return the icon at its traditional path."""
    return _favicon(request.app.state.settings.static).response(request.headers)


@router.get("/robots.txt")
async def robots() -> Response:
    """Return robots.txt; tables are kept out of indexes by a meta tag of their page."""
    return PlainTextResponse("User-agent: *\nDisallow: /api/\n")


@router.get("/")
async def home(request: Request) -> Response:
    """Show the games."""
    return await constant_page(request, "home.html", thumbnails=True)


@router.get("/new")
async def new_game(request: Request) -> Response:
    """Show the form for a new game."""
    return await constant_page(request, "new_game.html")


@router.get("/learn")
async def lessons(request: Request) -> Response:
    """Show the lessons."""
    return await constant_page(request, "learn.html", thumbnails=True)


@router.get("/mine")
async def my_games(request: Request) -> Response:
    """Show the games played on this device."""
    return await constant_page(request, "my_games.html", thumbnails=True)


@router.get("/explore")
async def explorer(request: Request) -> Response:
    """Show variations and uploaded records."""
    return await constant_page(request, "explore.html", thumbnails=True)


@router.get("/tables/{table_id}")
async def table(request: Request, table_id: str) -> HTMLResponse:
    """Show a table."""
    room = await get_registry(request).readable_room(check_table_id(table_id))
    game = room.session.game
    return _page(
        request,
        "table.html",
        table=await room.page_body(),
        options=", ".join(option_words(game)),
        loser_seat=game_info(game.name).loser_seat,
    )


@router.get("/rules/{name}")
async def rules(request: Request, name: str) -> HTMLResponse:
    """Show the rules of a game."""
    if name not in games():
        raise ApiError("not_found", f"Unknown game; games: {', '.join(games())}.")
    html = await get_registry(request).jobs.rules(name)
    minutes = lesson_minutes(name)
    return _page(request, "rules.html", game=load(name), html=html, minutes=minutes)


@router.get("/records/{record_id}")
async def record(request: Request, record_id: str) -> Response:
    """Show a stored record; it never changes, so a cached page gets a 304."""
    tag = {"ETag": f'"{STARTED}-{record_id}"'}
    if request.headers.get("If-None-Match") == tag["ETag"]:
        return Response(status_code=304, headers=tag)
    registry = get_registry(request)
    text = await registry.store.record(check_table_id(record_id, "record"))
    if text is None:
        raise ApiError("not_found", "There is no such record.")
    explored = await registry.jobs.record_page(record_id, text, flow_of(request).address)
    page = _page(request, "record.html", id=record_id, record=text, explored=explored)
    page.headers.update(tag)
    return page


def error_page(request: Request, error: ApiError) -> HTMLResponse:
    """Return the page for an error."""
    return _page(request, "error.html", status=error.status, message=error.message)
