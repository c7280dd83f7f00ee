"""The HTTP API of conditional moves. Only the player of a seat can read or set its own."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from teahouse.server.accounts.identity import account_of, check_active
from teahouse.server.correspondence.services import Correspondence
from teahouse.server.tables.seat_keys import Access, unlocked_seats
from teahouse.server.web import api
from teahouse.server.web import messages as ms
from teahouse.server.web.api import RegistryDep, TableId
from teahouse.server.web.client_address import scope_client
from teahouse.server.web.errors import ApiError

router = APIRouter(prefix="/api", responses=api.router.responses)

MAX_LINES = 50
MAX_LINE = 60
MAX_MOVES = 400
"""Of all lines together."""


class ConditionalIn(ms.StrictModel):
    """A seat's conditional moves: read them, or with `lines` replace them."""

    seat: ms.SeatNumber
    secrets: Annotated[list[ms.Secret], Field(max_length=ms.MAX_SEATS)] = Field(
        default_factory=list
    )
    ply: ms.Ply | None = None
    lines: (
        Annotated[
            list[Annotated[list[ms.MoveText], Field(min_length=1, max_length=MAX_LINE)]],
            Field(max_length=MAX_LINES),
        ]
        | None
    ) = None

    @model_validator(mode="after")
    def _check(self) -> ConditionalIn:
        if self.lines is not None:
            if self.ply is None:
                raise PydanticCustomError("custom", "Give the ply at which the lines begin.")
            if sum(map(len, self.lines)) > MAX_MOVES:
                raise PydanticCustomError("custom", f"Too many moves (limit {MAX_MOVES}).")
        return self


@router.post("/tables/{table_id}/conditional")
async def conditional_moves(
    table_id: TableId, body: ConditionalIn, request: Request, registry: RegistryDep
) -> dict[str, Any]:
    """Return the conditional moves of a seat, after setting them if lines are given."""
    services: Correspondence = request.app.state.correspondence
    service = services.conditional
    account = await account_of(request, "read" if body.lines is None else "play")
    room = await registry.room(table_id)
    unlocked = unlocked_seats(room.key_hashes, body.secrets)
    access = Access(unlocked, None if account is None else account.player)
    if body.seat not in access.seats(room.session):
        raise ApiError("not_your_seat", f"Seat {body.seat} is not yours.")
    if body.lines is not None and body.ply is not None:
        if account is not None:
            check_active(request, account)
        address = scope_client(request.scope)
        await service.set(room, body.seat, body.ply, body.lines, address)
    return service.describe(room, body.seat)
