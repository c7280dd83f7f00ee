"""The API and the page of the best players."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from teahouse.search.levels import LEVEL_NAMES
from teahouse.server.ratings import rows
from teahouse.server.ratings.pools import Pool, pools
from teahouse.server.ratings.scale import number_text
from teahouse.server.tables.registry import Registry
from teahouse.server.web import api
from teahouse.server.web.api import RegistryDep
from teahouse.server.web.errors import ApiError

router = APIRouter(prefix="/api/ratings", responses=api.router.responses)
pages = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

LEADERS = 100
KINDS = ("person", "bot")
PoolId = Annotated[str, Query(max_length=100)]


def _pool(pool_id: str) -> Pool:
    found = pools().get(pool_id)
    if found is None:
        raise ApiError("not_found", "There is no such pool of ratings.", list(pools()))
    return found


@router.get("")
async def all_pools() -> dict[str, Any]:
    """Return the pools in which players are rated, with their levels."""
    return {"pools": [_body(pool) for pool in pools().values()]}


def _body(pool: Pool) -> dict[str, Any]:
    return {
        "pool": pool.id,
        "title": pool.title,
        "game": pool.game.name,
        "options": pool.game.options,
        "start": round(pool.start.value),
        "levels": [
            {"level": level, "value": round(one.value), "deviation": round(one.deviation)}
            for level, one in pool.levels
        ],
    }


@router.get("/leaders")
async def leaders(pool: PoolId, registry: RegistryDep) -> dict[str, Any]:
    """Return the best players and programs of a pool, without provisional ratings."""
    people, programs = await _leaders(registry, _pool(pool))
    return {"pool": pool, "players": people, "programs": programs}


async def _leaders(registry: Registry, pool: Pool) -> list[list[dict[str, Any]]]:
    def read(connection: sa.Connection) -> list[list[dict[str, Any]]]:
        return [
            [
                {
                    "name": name,
                    "value": round(player.rating.value),
                    "deviation": round(player.rating.deviation),
                    "games": player.games,
                }
                for name, player in rows.leaders(connection, pool.id, kind, LEADERS)
            ]
            for kind in KINDS
        ]

    return await registry.store.read(read)


@pages.get("/ratings")
async def ratings_page(
    request: Request, registry: RegistryDep, pool: PoolId | None = None
) -> HTMLResponse:
    """Show the best players of a pool among its levels."""
    chosen = _pool(pool) if pool is not None else next(iter(pools().values()), None)
    if chosen is None:
        raise ApiError("not_found", "No game has ratings here.")
    people, programs = await _leaders(registry, chosen)
    return await asyncio.to_thread(partial(_render, request, chosen, people, programs))


def _render(
    request: Request, pool: Pool, people: list[dict[str, Any]], programs: list[dict[str, Any]]
) -> HTMLResponse:
    levels = [
        {"level": f"Level {level} · {LEVEL_NAMES[level - 1]}", "value": one.value}
        for level, one in pool.levels
    ]
    places = [{"place": place, **one} for place, one in enumerate(people, 1)]
    entries = sorted([*places, *levels], key=lambda one: one["value"], reverse=True)
    context = {
        "pool": pool,
        "pools": pools().values(),
        "entries": entries,
        "programs": programs,
        "number": number_text,
    }
    templates: Jinja2Templates = request.app.state.templates
    return templates.TemplateResponse(request, "ratings.html", context)
