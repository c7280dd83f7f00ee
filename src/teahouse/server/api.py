"""The HTTP interface."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel

from teahouse.core.catalog import games, load
from teahouse.core.game import Game, game_info
from teahouse.core.options import BoolOption, ChoiceOption, IntOption, option_label
from teahouse.search.levels import LEVELS, level_ratings
from teahouse.server import messages as ms
from teahouse.server.errors import Refused
from teahouse.server.explore import chosen_ply, explored, parsed, record_of
from teahouse.server.hints import NO_ADVICE, advice
from teahouse.server.registry import House, checked_setup, new_id
from teahouse.server.room import hashed, with_view
from teahouse.server.snapshots import view
from teahouse.server.worker_pool import WorkError


class Refusal(BaseModel):
    """Why a request was refused."""

    code: str
    why: str
    allowed: list[str] | None = None


_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": meaning}
    for status, meaning in (
        (400, "invalid"),
        (403, "a foreign page or name"),
        (404, "not there"),
        (409, "not possible"),
        (413, "too large"),
        (422, "invalid"),
        (429, "too fast or too many"),
        (503, "busy"),
    )
}
_TEXT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/plain": {"schema": {"type": "string"}}}}
}
router = APIRouter(prefix="/api", responses=_REFUSALS)
TableId = Annotated[str, Path(pattern=r"^[a-z0-9]{10}$")]


def the_house(request: Request) -> House:
    """The house that answers."""
    house: House = request.app.state.house
    return house


def charge(request: Request, cost: float) -> None:
    """Count a request against its address."""
    request.app.state.buckets.take(request.client.host if request.client else "", cost)


Here = Annotated[House, Depends(the_house)]


def _json(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="application/json")


def listed() -> list[dict[str, Any]]:
    """Every game with its options and its bots."""
    return [_listed(name) for name in games()]


def _listed(name: str) -> dict[str, Any]:
    game = load(name)
    options = []
    for option, kind in game_info(name).options.items():
        kinds = {IntOption: "int", BoolOption: "bool", ChoiceOption: "choice"}
        word = next((word for type_, word in kinds.items() if isinstance(kind, type_)), "text")
        options.append(
            {
                "name": option,
                "kind": word,
                "default": kind.default,
                "min": getattr(kind, "low", None),
                "max": getattr(kind, "high", None),
                "choices": getattr(kind, "names", None),
                "choice_labels": getattr(kind, "choice_labels", None) or None,
                "label": option_label(option, kind),
                "help": kind.help,
                "allowed": kind.allowed,
            }
        )
    return {
        "name": name,
        "title": game.title,
        "summary": game.summary,
        "players": game.players,
        "teams": game.teams,
        "options": options,
        "levels": _levels(game),
    }


def _levels(game: Game) -> list[dict[str, Any]]:
    """Every level of a game's bots, with its measured strength where that is known."""
    measured = {rating.level: rating for rating in level_ratings(game)}
    shown = ("level", "elo", "low", "high", "seconds")
    return [
        {name: getattr(measured[level], name) for name in shown}
        if level in measured
        else {"level": level}
        for level in LEVELS
    ]


@router.get("/games")
async def all_games() -> list[dict[str, Any]]:
    """Every game with its options and its bots."""
    return listed()


@router.post("/setup")
def setup(wanted: ms.Setup, request: Request) -> Response:
    """Whether options are allowed, and who sits there then."""
    charge(request, 1)
    game, _ = checked_setup(wanted.game, dict(wanted.options), None)
    body = {
        "game": game.name,
        "title": game.title,
        "options": game.options,
        "players": game.players,
        "teams": game.teams,
        "levels": _levels(game),
    }
    return _json(with_view(body, view(game.start(wanted.seed or 0), 0, None)))


@router.post("/tables", status_code=201)
async def open_table(wanted: ms.NewTable, request: Request, house: Here) -> dict[str, Any]:
    """Open a table."""
    charge(request, 10)
    table_id, told = await house.open_table(wanted)
    return {
        "id": table_id,
        "seats": [{"seat": seat, "secret": secret} for seat, secret in told.items()],
    }


@router.get("/tables/{table_id}")
async def table(table_id: TableId, request: Request, house: Here) -> Response:
    """A table as everybody may see it."""
    charge(request, 1)
    return _json(await whole(house, table_id))


async def whole(house: House, table_id: str) -> str:
    """A table as everybody may see it, as JSON."""
    live = await house.table(table_id)
    async with live.lock:
        return with_view(live.whole(house.store.now()), await house.view(live))


@router.get("/tables/{table_id}/plies/{ply}")
async def ply_view(
    table_id: TableId, ply: Annotated[int, Path(ge=0, le=1_000_000)], request: Request, house: Here
) -> Response:
    """The view of one ply of a table."""
    charge(request, 1)
    live = await house.table(table_id)
    async with live.lock:
        table = live.table
        if ply > table.ply:
            raise Refused("missing", f"the plies of this table are 0 to {table.ply}")
        position, last = table.at(ply)
    return _json(await house.painter.view(position, ply, last))


@router.get("/tables/{table_id}/record", responses=_TEXT)
async def table_record(table_id: TableId, request: Request, house: Here) -> Response:
    """A table's record, to download."""
    charge(request, 1)
    live = await house.table(table_id)
    async with live.lock:
        text = live.table.record().text()
        name = f"{live.table.game.name}-{table_id}.txt"
    return PlainTextResponse(
        text, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@router.post("/explore")
def explore(wanted: ms.Explore, request: Request) -> Response:
    """The view after any moves from any start, without a table."""
    charge(request, 1 + len(wanted.moves) / 100 + len(wanted.record or "") / 1_000)
    return _json(explored(record_of(wanted), wanted.ply))


@router.post("/hint")
async def hint(wanted: ms.Explore, request: Request, house: Here) -> dict[str, Any]:
    """What a bot thinks of a position."""
    charge(request, 10)
    record = await asyncio.to_thread(record_of, wanted)
    ply = chosen_ply(record, wanted.ply)
    try:
        return {"ply": ply, **await advice(house.bots, record.positions[ply])}
    except WorkError:
        raise NO_ADVICE from None


@router.post("/records", status_code=201)
async def keep_record(wanted: ms.RecordText, request: Request, house: Here) -> dict[str, Any]:
    """Keep a record, to be shared by its link."""
    charge(request, 10)
    text = (await asyncio.to_thread(parsed, wanted.text)).text()
    if await house.store.count_records() >= house.settings.max_records:
        raise Refused("limit", "the house keeps no more records")
    return {"id": await house.store.keep_record(new_id(), text, house.store.now())}


@router.get("/records/{record_id}", responses=_TEXT)
async def kept_record(record_id: TableId, house: Here) -> Response:
    """A kept record's text."""
    text = await house.store.record(record_id)
    if text is None:
        raise Refused("missing", "there is no such record")
    return PlainTextResponse(text)


@router.post("/status")
async def status(wanted: ms.Status, request: Request, house: Here) -> dict[str, Any]:
    """Who waits for whom at many tables."""
    charge(request, 2)
    rows = await house.store.rows([one.id for one in wanted.tables])
    found = []
    for one in wanted.tables:
        if one.id not in rows:
            found.append({"id": one.id, "found": False})
            continue
        summary, keys, changed = rows[one.id]
        hashes = {hashed(secret) for secret in one.secrets}
        yours = [seat for seat, key in enumerate(keys) if key in hashes]
        waits = bool(set(yours) & set(summary["waits"]))
        found.append(
            {
                "id": one.id,
                "found": True,
                **summary,
                "yours": yours,
                "waits": waits,
                "changed": changed,
            }
        )
    return {"tables": found}
