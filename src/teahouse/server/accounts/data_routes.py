"""The HTTP API of an account's data: export and deletion."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from teahouse.server.accounts import sessions
from teahouse.server.accounts.confirmation import confirmations_of
from teahouse.server.accounts.deletion import AccountDeletion
from teahouse.server.accounts.export import export_zip
from teahouse.server.accounts.identity import CurrentSession, SignedIn
from teahouse.server.web import api
from teahouse.server.web.api import RegistryDep
from teahouse.server.web.errors import ApiError

router = APIRouter(prefix="/api/account", responses=api.router.responses)
_ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}
}


@router.get("/export", response_class=StreamingResponse, responses=_ZIP)
async def export(account: SignedIn, registry: RegistryDep) -> Response:
    """Return all data of the account as a ZIP file."""
    headers = {
        "Content-Disposition": 'attachment; filename="teahouse-data.zip"',
        "Content-Encoding": "identity",  # it is compressed already
    }
    return StreamingResponse(
        export_zip(registry, account), media_type="application/zip", headers=headers
    )


@router.post("/delete")
async def delete(request: Request, account: SignedIn, session: CurrentSession) -> Response:
    """Delete the account; this always has to be confirmed, however recent the sign-in."""
    if session.id not in confirmations_of(request):
        raise ApiError("confirmation_required", "Please confirm that it is you.")
    deletion: AccountDeletion = request.app.state.account_deletion
    await deletion.delete(account)
    response = JSONResponse({"deleted": True})
    sessions.clear_cookie(request, response)
    return response
