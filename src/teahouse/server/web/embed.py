"""A read-only board of a table or a record, for frames of other sites."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from fastapi.templating import Jinja2Templates

from teahouse.server.tables.socket import check_table_id
from teahouse.server.web import api
from teahouse.server.web.api import PlyPath, RegistryDep, TableId, flow_of
from teahouse.server.web.errors import ApiError
from teahouse.server.web.sharing import DAY, player_names
from teahouse.session.result import result_text

Theme = Literal["auto", "light", "dark"]

router = APIRouter(responses=api.router.responses)


@router.get("/embed/{embedded_id}", include_in_schema=False)
async def embed(
    request: Request, registry: RegistryDep, embedded_id: str, theme: Theme = "auto"
) -> HTMLResponse:
    """Show the board of a record, or of a table as it is played."""
    check_table_id(embedded_id, "game")
    text = await registry.store.record(embedded_id)
    if text is None:
        board = await _table(registry, embedded_id)
    else:
        board = await _record(request, registry, embedded_id, text)
    templates: Jinja2Templates = request.app.state.templates
    return templates.TemplateResponse(request, "embed.html", {**board, "theme": theme})


async def _record(
    request: Request, registry: RegistryDep, record_id: str, text: str
) -> dict[str, Any]:
    page = await registry.jobs.record_page(record_id, text, flow_of(request).address)
    return {
        "kind": "records",
        "id": record_id,
        "title": page["title"],
        "names": [page["names"].get(player) or player for player in page["players"]],
        "snapshot": page["snapshot"],
        "result": page["snapshot"]["result_text"],
    }


async def _table(registry: RegistryDep, table_id: str) -> dict[str, Any]:
    try:
        room = await registry.readable_room(table_id)
    except ApiError as error:
        if error.code == "not_found":
            raise ApiError("not_found", "There is no such game.") from None
        raise
    body = await room.page_body()
    return {
        "kind": "tables",
        "id": table_id,
        "title": room.session.game.title,
        "names": player_names(room.session),
        "snapshot": body["snapshot"],
        "result": result_text(room.session),
    }


@router.get("/api/records/{record_id}/plies/{ply}")
async def record_ply(
    request: Request, record_id: TableId, ply: PlyPath, registry: RegistryDep
) -> Response:
    """Return the snapshot of a record at a ply."""
    text = await registry.store.record(record_id)
    if text is None:
        raise ApiError("not_found", "There is no such record.")
    body = await registry.jobs.record_ply(text, ply, flow_of(request).address)
    headers = {"Cache-Control": f"public, max-age={DAY}"}
    return Response(body, media_type="application/json", headers=headers)
