"""The HTTP API of explanations and previews."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from teahouse.server.study.explanations import ExplainIn, PreviewIn
from teahouse.server.web import api
from teahouse.server.web.api import RegistryDep, flow_of

router = APIRouter(prefix="/api", responses=api.router.responses)


@router.post("/explain")
async def explain(body: ExplainIn, request: Request, registry: RegistryDep) -> Response:
    """Return what a spot, hand or choice is, and why it cannot be clicked now."""
    found = await registry.jobs.explain(body, flow_of(request).address)
    return Response(found, media_type="application/json")


@router.post("/preview")
async def preview(body: PreviewIn, request: Request, registry: RegistryDep) -> Response:
    """Return an overlay for the board that shows what a move would do."""
    found = await registry.jobs.preview(body, flow_of(request).address)
    return Response(found, media_type="application/json")
