"""The HTTP API of the lobby: challenges are made, accepted and withdrawn here."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request

from teahouse.server.accounts.identity import AccountDep, Challenger
from teahouse.server.accounts.models import Account
from teahouse.server.lobby.lobby import Lobby
from teahouse.server.lobby.messages import AnswerIn, ChallengeIn, GuestIn, NewChallengeIn
from teahouse.server.lobby.models import Visitor
from teahouse.server.tables.seat_keys import hash_secret
from teahouse.server.web import api
from teahouse.server.web.client_address import scope_client
from teahouse.server.web.errors import ApiError

router = APIRouter(prefix="/api", responses=api.router.responses)
MAX_BOTS = 100
"""Bot accounts in a list."""
ChallengeId = Annotated[str, Path(pattern=r"^[a-z0-9]{10}$")]


def get_lobby(request: Request) -> Lobby:
    """Return the lobby of the application."""
    lobby: Lobby = request.app.state.lobby
    return lobby


LobbyDep = Annotated[Lobby, Depends(get_lobby)]


def visitor_of(account: Account | None, guest: GuestIn) -> Visitor:
    """Return who asks; raise `ApiError` for a guest without a key."""
    if account is not None:
        return Visitor.of(account)
    if guest.key is None:
        message = "Guests need a key: a random text of 22 to 64 letters, digits, - and _."
        raise ApiError("invalid", message)
    return Visitor(f"guest:{hash_secret(guest.key)}", guest.name)


@router.get("/lobby")
async def lobby_state(lobby: LobbyDep) -> dict[str, Any]:
    """Return the open challenges, the games being played, and how many take part."""
    return lobby.body


@router.get("/live")
async def live_games(lobby: LobbyDep) -> dict[str, Any]:
    """Return the games in progress that everybody may watch, with their boards as SVG."""
    return {"games": [one.body for one in await lobby.live.recent()]}


@router.get("/bots")
async def bots_online(lobby: LobbyDep) -> dict[str, Any]:
    """Return the bot accounts that can be challenged now, and to which games."""
    return {"bots": lobby.bots_online[:MAX_BOTS]}


@router.post("/challenges", status_code=201)
async def new_challenge(
    body: NewChallengeIn, request: Request, account: Challenger, lobby: LobbyDep
) -> dict[str, Any]:
    """Open a challenge."""
    visitor = visitor_of(account, body.guest)
    fields = {name: getattr(body, name) for name in ChallengeIn.model_fields}
    wanted = ChallengeIn.model_construct(**fields)
    challenge = await lobby.challenge(visitor, wanted, scope_client(request.scope))
    return challenge.body


@router.get("/challenges/{challenge_id}")
async def challenge(
    challenge_id: ChallengeId, account: AccountDep, lobby: LobbyDep
) -> dict[str, Any]:
    """Return an open challenge."""
    visitor = None if account is None else Visitor.of(account)
    return (await lobby.get(challenge_id, visitor)).body


@router.post("/challenges/{challenge_id}/accept")
async def accept_challenge(
    challenge_id: ChallengeId,
    body: AnswerIn,
    request: Request,
    account: Challenger,
    lobby: LobbyDep,
) -> dict[str, Any]:
    """Take a place of a challenge; return the seat if the game begins."""
    visitor = visitor_of(account, body.guest)
    seat = await lobby.accept(challenge_id, visitor, scope_client(request.scope))
    return {"table": None, "seat": None, "secret": None} if seat is None else seat.body


@router.post("/challenges/{challenge_id}/cancel")
async def cancel_challenge(
    challenge_id: ChallengeId, body: AnswerIn, account: Challenger, lobby: LobbyDep
) -> dict[str, Any]:
    """Withdraw one's challenge, decline one, or give up one's place."""
    await lobby.cancel(challenge_id, visitor_of(account, body.guest))
    return {}
