"""The account pages. They are static; scripts fill them in."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from teahouse.server.web.pages import constant_page

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/account")
async def profile(request: Request) -> Response:
    """Show the account, with the export and the deletion of its data."""
    return await constant_page(request, "account_profile.html")


@router.get("/account/security")
async def security(request: Request) -> Response:
    """Show the credentials and sessions of the account."""
    return await constant_page(request, "account_security.html")


@router.get("/sign-in")
async def sign_in(request: Request) -> Response:
    """Show the form to sign in."""
    return await constant_page(request, "sign_in.html")


@router.get("/sign-up")
async def sign_up(request: Request) -> Response:
    """Show the form to create an account."""
    return await constant_page(request, "sign_up.html")


@router.get("/sign-in/recovery")
async def recovery(request: Request) -> Response:
    """Show the form to sign in with a recovery code."""
    return await constant_page(request, "recovery.html")
