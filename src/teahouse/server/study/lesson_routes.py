"""The page of a lesson and the HTTP API of lessons and the coach."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates

from teahouse.core.catalog import games, load
from teahouse.core.lesson import lesson_minutes
from teahouse.server.study.lessons import CoachIn
from teahouse.server.web import api
from teahouse.server.web.api import GamePath, RegistryDep, flow_of
from teahouse.server.web.errors import ApiError
from teahouse.server.web.static_files import StaticFile
from teahouse.server.web.wire import from_json

MAX_STEP = 99

router = APIRouter(responses=api.router.responses)
StepNumber = Annotated[int, Path(ge=1, le=MAX_STEP)]


@router.get("/learn/{name}", include_in_schema=False)
async def lesson_page(request: Request, registry: RegistryDep, name: str) -> Response:
    """Show the lesson of a game."""
    _require_lesson(name)
    lesson = from_json(await registry.jobs.lesson(name))
    templates: Jinja2Templates = request.app.state.templates
    context = {"game": load(name), "lesson": lesson, "current": "learn"}
    return templates.TemplateResponse(request, "lesson.html", context)


@router.get("/api/lessons/{name}/{number}")
async def lesson_step(
    request: Request, registry: RegistryDep, name: GamePath, number: StepNumber
) -> Response:
    """Return a step of a lesson: texts, board, and the answer to every legal move."""
    _require_lesson(name)
    steps: dict[tuple[str, int], StaticFile] = request.app.state.lesson_steps
    if (name, number) not in steps:
        body = await registry.jobs.lesson_step(name, number, flow_of(request).address)
        steps[name, number] = StaticFile.create(body, "application/json")
    return steps[name, number].response(request.headers)


def _require_lesson(name: str) -> None:
    """Raise `ApiError` if a game has no lesson."""
    taught = [game for game in games() if lesson_minutes(game) is not None]
    if name not in taught:
        raise ApiError("not_found", f"There is no such lesson; lessons: {', '.join(taught)}.")


@router.post("/api/coach")
async def coach(body: CoachIn, request: Request, registry: RegistryDep) -> Response:
    """Return remarks on the last moves and advice for the player's turn."""
    found = await registry.jobs.coach(body, flow_of(request).address)
    return Response(found, media_type="application/json")
