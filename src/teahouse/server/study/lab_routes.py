"""The page of a report that `teahouse report` has stored; the server plays no games for it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from functools import cache
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from fastapi.templating import Jinja2Templates

from teahouse.core.catalog import games, load_untrusted
from teahouse.core.errors import OptionError
from teahouse.core.game import Game
from teahouse.core.options import option_texts
from teahouse.lab.assets import asset
from teahouse.lab.stored import StoredReport, find_report, other_reports, report_command
from teahouse.server.web.api import RegistryDep, flow_of
from teahouse.server.web.errors import ApiError
from teahouse.server.web.static_files import StaticFile

MAX_OPTIONS = 20
MAX_PAGES = 20
"""Pages that are kept in memory."""

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@cache
def _asset(name: str, media_type: str) -> StaticFile:
    return StaticFile.create(asset(name).encode(), media_type)


@router.get("/lab.css")
async def lab_css(request: Request) -> Response:
    """Return the stylesheet of reports."""
    return _asset("report.css", "text/css").response(request.headers)


@router.get("/lab.js")
async def lab_js(request: Request) -> Response:
    """Return the script that replays games of reports."""
    return _asset("replay.js", "text/javascript").response(request.headers)


@router.get("/lab/{name}")
async def lab(request: Request, name: str, registry: RegistryDep) -> Response:
    """Show the stored report of a game; the query has its options."""
    if name not in games():
        raise ApiError("not_found", f"Unknown game; games: {', '.join(games())}.")
    game, stored, others = await asyncio.to_thread(_find, name, dict(request.query_params))
    pages: OrderedDict[tuple[Any, ...], StaticFile] = request.app.state.lab_pages
    key = (str(request.base_url), game, stored, others)
    page = pages.pop(key, None)
    if page is None:
        html = ""
        if stored is not None:
            address = flow_of(request).address
            html = await registry.jobs.lab_report(name, option_texts(game.options), address)
        page = await asyncio.to_thread(_render, request, game, html, others)
    pages[key] = page
    if len(pages) > MAX_PAGES:
        pages.popitem(last=False)
    return page.response(request.headers)


def _find(
    name: str, options: dict[str, str]
) -> tuple[Game, StoredReport | None, tuple[StoredReport, ...]]:
    """Return the game with these options, its report, and reports of it with other options."""
    try:
        if len(options) > MAX_OPTIONS:
            raise OptionError(f"At most {MAX_OPTIONS} options are allowed.")
        game = load_untrusted(name, options)
    except OptionError as error:
        raise ApiError("invalid", str(error)) from None
    return game, find_report(game), other_reports(game)


def _render(
    request: Request, game: Game, html: str, others: tuple[StoredReport, ...]
) -> StaticFile:
    templates: Jinja2Templates = request.app.state.templates
    context = {"game": game, "html": html, "others": others, "command": report_command(game)}
    page = templates.TemplateResponse(request, "lab.html", context)
    return StaticFile.create(bytes(page.body), "text/html")
