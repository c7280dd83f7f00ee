"""Pages of moderation: the rules of conduct, blocked players, and the operators' page."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from teahouse.server.web.pages import constant_page

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/conduct")
async def conduct(request: Request) -> Response:
    """Show the rules of conduct."""
    return await constant_page(request, "conduct.html")


@router.get("/account/blocked")
async def blocked(request: Request) -> Response:
    """Show the blocked and muted players of the account."""
    return await constant_page(request, "account_blocked.html")


@router.get("/operator")
async def operator(request: Request) -> Response:
    """Show the operators' page; a script fills it in for operators."""
    return await constant_page(request, "operator.html")
