"""Games that wait for a visitor: those of an account, and a guest's by their secrets."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import Field

from teahouse.server.accounts import rows
from teahouse.server.accounts.identity import AccountDep
from teahouse.server.accounts.seats import table_status
from teahouse.server.correspondence.services import Correspondence
from teahouse.server.tables.registry import Registry
from teahouse.server.web import api
from teahouse.server.web import messages as ms
from teahouse.server.web.api import RegistryDep
from teahouse.server.web.errors import ApiError
from teahouse.server.web.pages import constant_page
from teahouse.server.workers.ipc import position_fields

router = APIRouter(prefix="/api", responses=api.router.responses)
pages = APIRouter(include_in_schema=False)

MAX_GAMES = 200
MAX_BOARDS = 24
CACHED_BOARDS = 500


class WaitingIn(ms.StrictModel):
    """Tables to check besides those of the account, with the client's secrets."""

    tables: Annotated[list[ms.TableStatusIn], Field(max_length=MAX_GAMES)] = Field(
        default_factory=list
    )
    boards: bool = False
    """Whether pictures of the first boards are wanted."""
    visible: bool = True
    """Whether the page is visible: then no e-mail is needed."""


@pages.get("/waiting")
async def waiting_page(request: Request) -> Response:
    """Show the games that wait for the visitor."""
    return await constant_page(request, "waiting.html")


@router.post("/waiting")
async def waiting_games(
    body: WaitingIn, request: Request, registry: RegistryDep, account: AccountDep
) -> dict[str, Any]:
    """Return the games that wait for a move or a response, those with the least time first."""
    services: Correspondence = request.app.state.correspondence
    if account is not None and body.visible:
        services.presence.touch(account.id, registry.store.now().wall)
    asked = {table.id: table.secrets for table in body.tables}
    if account is not None:
        unfinished = partial(rows.tables_of, account_id=account.id, limit=MAX_GAMES, over=False)
        for table_id in await registry.store.read(unfinished):
            asked.setdefault(table_id, [])
    stored = await registry.store.stored_tables(list(asked))
    found = (
        {"id": table_id, "found": True, **table_status(table, asked[table_id], account)}
        for table_id, table in stored.items()
    )
    waiting = [game for game in found if game["your_turn"] and not game["over"]]
    waiting.sort(key=lambda game: (game.get("deadline") or math.inf, game["updated"]))
    if body.boards:
        boards: WaitingBoards = request.app.state.waiting_boards
        await boards.add(registry, waiting[:MAX_BOARDS])
    return {"games": waiting}


class WaitingBoards:
    """Pictures of boards, drawn once for each position."""

    def __init__(self) -> None:
        self._drawn: OrderedDict[tuple[str, int], str] = OrderedDict()

    async def add(self, registry: Registry, games: Sequence[dict[str, Any]]) -> None:
        """Put the board of each game into it."""
        drawn = await asyncio.gather(*(self._board(registry, game["id"]) for game in games))
        for game, svg in zip(games, drawn, strict=True):
            game["svg"] = svg

    async def _board(self, registry: Registry, table_id: str) -> str:
        try:
            room = await registry.room(table_id)
        except ApiError:
            return ""
        session = room.session
        key = (table_id, session.revision)
        svg = self._drawn.pop(key, None)
        if svg is None:
            svg = await registry.jobs.small_board(table_id, position_fields(session.position))
        self._drawn[key] = svg
        if len(self._drawn) > CACHED_BOARDS:
            self._drawn.popitem(last=False)
        return svg
