"""The pages of puzzles and their HTTP API."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import RedirectResponse, Response
from fastapi.templating import Jinja2Templates

from teahouse.core.catalog import load
from teahouse.search.levels import level_near
from teahouse.server.study.puzzles import (
    AnswerIn,
    HintIn,
    daily,
    find_puzzle,
    list_puzzles,
    puzzle_games,
    require_puzzles,
)
from teahouse.server.tables.registry import Registry
from teahouse.server.web import api
from teahouse.server.web.api import GamePath, RegistryDep, flow_of
from teahouse.server.web.errors import ApiError
from teahouse.server.workers.ipc import position_fields

MAX_NUMBER = 9_999
DAILY_LINK = "/puzzles/{game}/{number}?daily={date}"

router = APIRouter(responses=api.router.responses)
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]


def today() -> date:
    """Return the date of the daily puzzle: that of UTC, the same for everybody."""
    return datetime.now(UTC).date()


def _page(request: Request, name: str, **context: Any) -> Response:
    templates: Jinja2Templates = request.app.state.templates
    return templates.TemplateResponse(request, name, {"current": "puzzles", **context})


@router.get("/puzzles", include_in_schema=False)
async def overview(request: Request, registry: RegistryDep) -> Response:
    """Show the daily puzzle and the games that have puzzles."""
    names = await asyncio.to_thread(puzzle_games)
    listed = []
    for name in names:
        found = list_puzzles(name)
        picture = await registry.jobs.thumbnail(name)
        listed.append({**found, "count": len(found["puzzles"]), "svg": picture})
    shown = daily(today())
    if shown is not None:
        shown = {**shown, **await _daily_board(registry, shown)}
        shown["link"] = DAILY_LINK.format(**shown)
    return _page(request, "puzzles.html", games=listed, daily=shown)


async def _daily_board(registry: Registry, shown: dict[str, Any]) -> dict[str, Any]:
    found = find_puzzle(shown["game"], shown["number"])
    position = found.position
    svg = await registry.jobs.small_board("daily", position_fields(position))
    return {
        "svg": svg,
        "task": found.task,
        "rating": found.rating,
        "difficulty": level_near(position.game, found.rating),
    }


@router.get("/puzzles/daily", include_in_schema=False)
async def daily_page() -> Response:
    """Redirect to the puzzle of the day."""
    await asyncio.to_thread(puzzle_games)
    shown = daily(today())
    if shown is None:
        raise ApiError("not_found", "There are no puzzles.")
    return RedirectResponse(DAILY_LINK.format(**shown), 307)


@router.get("/puzzles/{name}", include_in_schema=False)
async def next_puzzle_page(request: Request, name: GamePath) -> Response:
    """Show the puzzle of a game that fits the player best, chosen on the page."""
    await asyncio.to_thread(puzzle_games)
    require_puzzles(name)
    return _page(request, "puzzle.html", game=load(name), number=None, task="")


@router.get("/puzzles/{name}/{number}", include_in_schema=False)
async def puzzle_page(request: Request, name: GamePath, number: Number) -> Response:
    """Show a puzzle."""
    await asyncio.to_thread(puzzle_games)
    found = find_puzzle(name, number)
    return _page(request, "puzzle.html", game=load(name), number=number, task=found.task)


@router.get("/api/puzzles")
async def puzzle_overview() -> dict[str, Any]:
    """Return the games that have puzzles, and the puzzle of the day."""
    names = await asyncio.to_thread(puzzle_games)
    return {"games": names, "daily": daily(today())}


@router.get("/api/puzzles/{name}")
async def puzzle_list(name: GamePath) -> dict[str, Any]:
    """Return the numbers, ratings and themes of a game's puzzles."""
    await asyncio.to_thread(puzzle_games)
    return list_puzzles(name)


@router.get("/api/puzzles/{name}/{number}")
async def puzzle(
    request: Request, registry: RegistryDep, name: GamePath, number: Number
) -> Response:
    """Return a puzzle with its board, without the solution."""
    return await _job(request, registry, "puzzle", game=name, number=number)


@router.post("/api/puzzles/{name}/{number}")
async def puzzle_answer(
    request: Request, registry: RegistryDep, name: GamePath, number: Number, body: AnswerIn
) -> Response:
    """Return whether the last of the player's moves is right, and the boards after it."""
    return await _job(
        request, registry, "puzzle_answer", game=name, number=number, moves=body.moves
    )


@router.post("/api/puzzles/{name}/{number}/hint")
async def puzzle_hint(
    request: Request, registry: RegistryDep, name: GamePath, number: Number, body: HintIn
) -> Response:
    """Return where the right move begins."""
    return await _job(request, registry, "puzzle_hint", game=name, number=number, moves=body.moves)


@router.get("/api/puzzles/{name}/{number}/solution")
async def puzzle_solution(
    request: Request, registry: RegistryDep, name: GamePath, number: Number
) -> Response:
    """Return the solution of a puzzle in words."""
    return await _job(request, registry, "puzzle_solution", game=name, number=number)


async def _job(request: Request, registry: Registry, job: str, **fields: Any) -> Response:
    found = await registry.jobs.puzzle(job, flow_of(request).address, **fields)
    return Response(found, media_type="application/json")
