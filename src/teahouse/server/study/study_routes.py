"""The page of a study, and the HTTP API of studies and of setting up positions."""

from __future__ import annotations

from hmac import compare_digest
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse, Response
from fastapi.templating import Jinja2Templates

from teahouse.server.storage.database import studies
from teahouse.server.study.position_editor import EditIn
from teahouse.server.study.studies import ChangedStudyIn, StudyIn
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.seat_keys import hash_secret, new_secret
from teahouse.server.tables.socket import check_table_id
from teahouse.server.web import api
from teahouse.server.web.api import RegistryDep, flow_of
from teahouse.server.web.errors import ApiError
from teahouse.server.web.listing import list_games
from teahouse.server.web.wire import from_json

router = APIRouter(responses=api.router.responses)
StudyId = Annotated[str, Path(pattern=r"^[a-z0-9]{10}$")]
NO_STUDY = "There is no such study."


@router.get("/studies/{study_id}", include_in_schema=False)
async def study_page(request: Request, registry: RegistryDep, study_id: str) -> HTMLResponse:
    """Show a study on the analysis board."""
    body = await _stored(registry, check_table_id(study_id, "study"))
    templates: Jinja2Templates = request.app.state.templates
    described = from_json(await registry.jobs.study(body, flow_of(request).address))
    context = {
        "games": list_games(),
        "study": {"id": study_id, **described},
        "current": "explore",
    }
    return templates.TemplateResponse(request, "explore.html", context)


@router.post("/api/studies", status_code=201)
async def create_study(body: StudyIn, request: Request, registry: RegistryDep) -> dict[str, Any]:
    """Store a study; its key is needed to change it later."""
    text = await registry.jobs.study_to_store(body.model_dump_json(), flow_of(request).address)
    counted = sa.select(sa.func.count()).select_from(studies)
    stored = await registry.store.read(lambda connection: connection.execute(counted).scalar_one())
    if stored >= registry.settings.max_studies:
        raise ApiError("at_capacity", "The server cannot store more studies.")
    study, key, now = new_id(), new_secret(), registry.store.now().wall
    values = {
        "id": study,
        "key_hash": hash_secret(key),
        "created": now,
        "updated": now,
        "body": text,
    }
    await registry.store.write(
        lambda connection: connection.execute(studies.insert().values(values))
    )
    return {"id": study, "key": key}


@router.post("/api/studies/{study_id}")
async def change_study(
    study_id: StudyId, body: ChangedStudyIn, request: Request, registry: RegistryDep
) -> dict[str, Any]:
    """Store another version of a study."""
    sent = body.study.model_dump_json()
    text = await registry.jobs.study_to_store(sent, flow_of(request).address)
    wanted = sa.select(studies.c.key_hash).where(studies.c.id == study_id)
    key = await registry.store.read(
        lambda connection: connection.execute(wanted).scalar_one_or_none()
    )
    if key is None:
        raise ApiError("not_found", NO_STUDY)
    if not compare_digest(key, hash_secret(body.key)):
        raise ApiError("invalid_secret", "Only its author can change this study. Save a copy.")
    values = {"updated": registry.store.now().wall, "body": text}
    changed = studies.update().where(studies.c.id == study_id).values(values)
    await registry.store.write(lambda connection: connection.execute(changed))
    return {"id": study_id}


@router.get("/api/studies/{study_id}")
async def stored_study(study_id: StudyId, request: Request, registry: RegistryDep) -> Response:
    """Return a study with its moves in words."""
    body = await _stored(registry, study_id)
    described = await registry.jobs.study(body, flow_of(request).address)
    return Response(described, media_type="application/json")


@router.post("/api/study")
async def described_study(body: StudyIn, request: Request, registry: RegistryDep) -> Response:
    """Return a study that is not stored, with its moves in words."""
    described = await registry.jobs.study(body.model_dump_json(), flow_of(request).address)
    return Response(described, media_type="application/json")


@router.post("/api/edit")
async def edited_position(body: EditIn, request: Request, registry: RegistryDep) -> Response:
    """Return the palette of a position, or the position after a change by one of its tools."""
    edited = await registry.jobs.edit(body, flow_of(request).address)
    return Response(edited, media_type="application/json")


async def _stored(registry: Registry, study_id: str) -> str:
    wanted = sa.select(studies.c.body).where(studies.c.id == study_id)
    body: str | None = await registry.store.read(
        lambda connection: connection.execute(wanted).scalar_one_or_none()
    )
    if body is None:
        raise ApiError("not_found", NO_STUDY)
    return body
