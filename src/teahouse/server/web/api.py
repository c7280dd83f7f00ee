"""The HTTP API."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel

import teahouse
from teahouse.server.accounts.identity import AccountDep, Challenger
from teahouse.server.accounts.seats import own_tables, seat_people, table_status
from teahouse.server.operations.watchdog import Watchdog
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.quota import TableQuota
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.setup import adjusted_options, drawings, fitting_choices, load_setup
from teahouse.server.web import messages as ms
from teahouse.server.web.client_address import scope_client
from teahouse.server.web.errors import ApiError
from teahouse.server.web.listing import list_games, list_levels
from teahouse.server.web.wire import to_json
from teahouse.server.workers.hints import hint
from teahouse.server.workers.pool import Flow
from teahouse.session.state import CHAT_WINDOW


class ErrorBody(BaseModel):
    """The body of an error response."""

    code: str
    message: str
    allowed: list[str] | None = None


ERROR_SCHEMA = "ErrorBody"
# By name: of a model FastAPI would build a validator for each status of each route at the start.
_ERROR_CONTENT = {"application/json": {"schema": {"$ref": f"#/components/schemas/{ERROR_SCHEMA}"}}}
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"content": _ERROR_CONTENT, "description": description}
    for status, description in (
        (400, "invalid request"),
        (401, "sign-in or token required"),
        (403, "forbidden host, origin, secret or scope"),
        (404, "not found"),
        (409, "not possible now"),
        (413, "too large"),
        (422, "invalid request"),
        (429, "rate limit or capacity exceeded"),
        (503, "busy"),
    )
}
_TEXT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/plain": {"schema": {"type": "string"}}}}
}
router = APIRouter(prefix="/api", responses=_ERRORS)
TableId = Annotated[str, Path(pattern=r"^[a-z0-9]{10}$")]
GamePath = Annotated[str, Path(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Before = Annotated[int, Query(ge=1, le=1 << 40)]
PlyPath = Annotated[int, Path(ge=0, le=1_000_000)]


def get_registry(request: Request) -> Registry:
    """Return the registry of the application."""
    registry: Registry = request.app.state.registry
    return registry


def flow_of(request: Request) -> Flow:
    """Return the flow of the fair queue that a request belongs to."""
    return Flow(scope_client(request.scope))


RegistryDep = Annotated[Registry, Depends(get_registry)]


def _json(body: Any) -> Response:
    return Response(to_json(body), media_type="application/json")


@router.get("")
async def versions() -> dict[str, Any]:
    """Return the protocol version and the package version."""
    return {"protocol": ms.PROTOCOL, "version": teahouse.__version__}


@router.get("/health")
async def health(request: Request, registry: RegistryDep) -> Response:
    """Return the load of the server and the stalls of its event loop."""
    watchdog: Watchdog = request.app.state.watchdog
    return _json({"status": "ok", **registry.load, "event_loop": watchdog.counts})


@router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> Response:
    """Return the OpenAPI description; it takes long to build, so that is done once, in a thread."""
    app = request.app
    if app.state.openapi is None:
        app.state.openapi = await asyncio.to_thread(lambda: to_json(app.openapi()))
    return Response(app.state.openapi, media_type="application/json")


@router.get("/games")
async def all_games() -> list[dict[str, Any]]:
    """List the games with their options and bot levels."""
    return list_games()


@router.post("/setup")
async def setup(body: ms.SetupIn, request: Request, registry: RegistryDep) -> Response:
    """Check a choice of options and return the seats that go with it."""
    given = adjusted_options(body.game, body.options) if body.adjust else body.options
    game, _ = load_setup(body.game, given, None)
    start = game.start(body.seed or 0)
    return _json(
        {
            "game": game.name,
            "title": game.title,
            "options": game.all_options,
            "choices": fitting_choices(game.name, game.all_options),
            "drawings": drawings(game),
            "players": game.players,
            "teams": game.teams,
            "levels": list_levels(game),
            "snapshot": await registry.renderer.snapshot(start, 0, None, flow_of(request)),
        }
    )


@router.post("/tables", status_code=201)
async def create_table(
    body: ms.NewTableIn, request: Request, registry: RegistryDep, account: Challenger
) -> dict[str, Any]:
    """Create a table; the first seat on this device is that of the account that asks."""
    quota: TableQuota = request.app.state.table_quota
    bots_only = all(seat.kind == "bot" for seat in body.seats)
    address = scope_client(request.scope)
    if body.rated and body.seed is not None:  # a seed that is known repeats a bot's moves
        raise ApiError("not_rateable", "Rated games begin with a random seed.")
    body, accounts = await seat_people(registry.store, body, account)
    async with quota.creating(address, registry.store, bots_only=bots_only) as created:
        table_id, keys = await registry.create(body, address, accounts, rated=body.rated)
        created.table = table_id
    return {
        "id": table_id,
        "seats": [{"seat": seat, "secret": secret} for seat, secret in keys.items()],
    }


@router.get("/tables/{table_id}")
async def table(table_id: TableId, request: Request, registry: RegistryDep) -> Response:
    """Return the public state of a table."""
    return _json(await (await registry.readable_room(table_id)).body())


@router.get("/tables/{table_id}/plies/{ply}")
async def table_ply(
    table_id: TableId, ply: PlyPath, request: Request, registry: RegistryDep
) -> Response:
    """Return the snapshot of a table at a ply."""
    room = await registry.readable_room(table_id)
    position, last = await room.position_at(ply)
    return _json(await registry.renderer.snapshot(position, ply, last, flow_of(request)))


@router.get("/tables/{table_id}/record", responses=_TEXT)
async def table_record(table_id: TableId, request: Request, registry: RegistryDep) -> Response:
    """Return a table's record as a download."""
    record = await (await registry.readable_room(table_id)).record()
    name = f"{record.game.name}-{table_id}.txt"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(record.text(), headers=headers)


@router.get("/tables/{table_id}/chat")
async def table_chat(table_id: TableId, before: Before, registry: RegistryDep) -> Response:
    """Return the chat messages of a table before one of them."""
    await registry.readable_room(table_id)
    messages = await registry.store.chat(table_id, before)
    return _json({"chat": messages, "earlier_chat": len(messages) == CHAT_WINDOW})


@router.post("/explore")
async def explore_moves(body: ms.ExploreIn, request: Request, registry: RegistryDep) -> Response:
    """Return the position after any moves from any start, without a table."""
    explored = await registry.jobs.explore(body, flow_of(request).address)
    return Response(explored, media_type="application/json")


@router.post("/hint")
async def explore_hint(
    body: ms.ExploreIn, request: Request, registry: RegistryDep
) -> dict[str, Any]:
    """Return a hint for a position, without a table."""
    flow = flow_of(request)
    position, ply = await registry.jobs.position(body, flow.address)
    return {"ply": ply, **await hint(registry.bots, registry.fair_play, position, flow)}


@router.post("/records", status_code=201)
async def create_record(
    body: ms.RecordIn, request: Request, registry: RegistryDep
) -> dict[str, Any]:
    """Store a record, to share it by its link."""
    text = await registry.jobs.record_text(body.text, flow_of(request).address)
    store = registry.store
    if await store.count_records() >= registry.settings.max_records:
        raise ApiError("at_capacity", "The server cannot store more records.")
    return {"id": await store.add_record(new_id(), text, store.now())}


@router.get("/records/{record_id}", responses=_TEXT)
async def stored_record(record_id: TableId, registry: RegistryDep) -> Response:
    """Return a stored record's text."""
    text = await registry.store.record(record_id)
    if text is None:
        raise ApiError("not_found", "There is no such record.")
    return PlainTextResponse(text)


@router.post("/status")
async def status(body: ms.StatusIn, account: AccountDep, registry: RegistryDep) -> dict[str, Any]:
    """Return summaries of many tables, with whether the client is to move."""
    asked = {one.id: one.secrets for one in body.tables}
    if body.mine and account is not None:
        for table_id in await own_tables(registry.store, account.id):
            asked.setdefault(table_id, [])
    stored = await registry.store.stored_tables(list(asked))
    return {
        "tables": [
            {"id": table_id, "found": True, **table_status(stored[table_id], secrets, account)}
            if table_id in stored
            else {"id": table_id, "found": False}
            for table_id, secrets in asked.items()
        ]
    }
