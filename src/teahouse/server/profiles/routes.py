"""The API and the page of profiles."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from teahouse.core.catalog import games as game_names
from teahouse.core.catalog import load
from teahouse.search.levels import LEVEL_NAMES
from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.identity import AccountDep
from teahouse.server.accounts.models import Account
from teahouse.server.profiles import rows
from teahouse.server.profiles.graph import MAX_POINTS, History, rating_graph
from teahouse.server.profiles.profile import Profile, games_body, read_profile
from teahouse.server.profiles.rows import GameFilter
from teahouse.server.ratings import rows as rating_rows
from teahouse.server.ratings.pools import pools
from teahouse.server.ratings.scale import number_text
from teahouse.server.tables.registry import Registry
from teahouse.server.web import api
from teahouse.server.web.api import RegistryDep
from teahouse.server.web.errors import ApiError

router = APIRouter(prefix="/api/players", responses=api.router.responses)
pages = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

Name = Annotated[str, Path(max_length=40)]
NAME_QUERY = Query(max_length=40)
RECENT_CHANGES = 30
"""Rows of the table beside a graph."""
_KEY = re.compile(r"(\d{1,12}(?:\.\d{1,9})?),([a-z0-9]{10})", re.ASCII)


class UnknownPlayerError(ApiError):
    """There is no account of a name."""

    def __init__(self) -> None:
        super().__init__("not_found", "There is no player with this name.")


async def _profile(registry: Registry, name: str) -> Profile:
    now = registry.store.now().wall
    found = await registry.store.read(partial(read_profile, name=name, now=now))
    if found is None:
        raise UnknownPlayerError
    return found


@router.get("/{name}")
async def profile(name: Name, registry: RegistryDep) -> dict[str, Any]:
    """Return what everybody may see of an account."""
    return (await _profile(registry, name)).body


@router.get("/{name}/history")
async def history(
    name: Name, pool: Annotated[str, Query(max_length=100)], registry: RegistryDep
) -> dict[str, Any]:
    """Return the ratings of an account in a pool after its games, at most 300."""
    known = pools().get(pool)
    if known is None:
        raise ApiError("not_found", "There is no such pool of ratings.", list(pools()))

    def read(connection: sa.Connection) -> History:
        return rating_rows.history(connection, _find(connection, name).id, known, MAX_POINTS)

    return {"pool": pool, "history": await registry.store.read(read)}


@router.get("/{name}/games")
async def played_games(
    name: Name,
    viewer: AccountDep,
    registry: RegistryDep,
    game: Annotated[str | None, Query(max_length=40)] = None,
    result: Literal["won", "lost", "drawn"] | None = None,
    against: Literal["people", "computer"] | None = None,
    opponent: Annotated[str | None, NAME_QUERY] = None,
    rated: bool | None = None,
    running: bool | None = None,
    before: Annotated[str | None, Query(max_length=40)] = None,
) -> dict[str, Any]:
    """Return 50 games of an account, the latest first; one's own with the private ones."""
    key = _KEY.fullmatch(before or "")
    if before is not None and key is None:
        raise ApiError("invalid", "`before` must be the `next` of another page.")

    def read(connection: sa.Connection) -> dict[str, Any]:
        account = _find(connection, name)
        other = None if opponent is None else _find(connection, opponent).id
        found = rows.games(
            connection,
            account.id,
            GameFilter(game, result, against, other, rated, running),
            private=viewer is not None and viewer.id == account.id,
            before=(float(key[1]), key[2]) if key else None,
        )
        return games_body(connection, found)

    return await registry.store.read(read)


def _find(connection: sa.Connection, name: str) -> Account:
    found = account_rows.by_name(connection, name)
    if found is None:
        raise UnknownPlayerError
    return found


@pages.get("/players/{name}")
async def player_page(request: Request, name: Name, registry: RegistryDep) -> HTMLResponse:
    """Show a profile."""
    found = await _profile(registry, name)

    def read(connection: sa.Connection) -> list[History]:
        return [
            rating_rows.history(connection, found.account.id, one.pool, MAX_POINTS)
            for one in found.ratings
        ]

    histories = await registry.store.read(read)
    return await asyncio.to_thread(_render, request, found, histories)


def _render(request: Request, found: Profile, histories: list[History]) -> HTMLResponse:
    ratings = [
        {
            "id": one.pool.id,
            "title": one.pool.title,
            "text": one.rating.text,
            "deviation": round(one.rating.deviation),
            "level": one.pool.level_text(one.rating.value),
            "games": one.games,
            "graph": rating_graph(one.pool, history, one.games),
            "changes": _changes(history),
        }
        for one, history in zip(found.ratings, histories, strict=True)
    ]
    context = {
        "profile": found,
        "since": _date(found.account.created),
        "ratings": ratings,
        "levels": _levels(found),
        "titles": {name: load(name).title for name in game_names()},
    }
    templates: Jinja2Templates = request.app.state.templates
    return templates.TemplateResponse(request, "player.html", context)


def _date(time: float) -> str:
    date = datetime.fromtimestamp(time, UTC)
    return f"{date.day} {date:%B %Y}"


def _changes(history: History) -> list[tuple[str, str]]:
    """Return the last ratings with their dates, the latest first."""
    latest = list(history)[-RECENT_CHANGES:]
    return [(_date(time), number_text(rating)) for time, rating in reversed(latest)]


def _levels(found: Profile) -> list[dict[str, Any]]:
    """Return the results against each level, by pool."""
    shown: dict[str, dict[str, Any]] = {}
    for (pool, level), tally in found.levels.items():
        entry = shown.setdefault(pool, {"title": pools()[pool].title, "rows": []})
        entry["rows"].append({"level": f"Level {level} · {LEVEL_NAMES[level - 1]}", "tally": tally})
    return list(shown.values())
