"""The HTTP API of tournaments, and their pages."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates

from teahouse.server.accounts.identity import AccountDep, allowed
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.passwords import Passwords
from teahouse.server.ratings.pools import pool_of
from teahouse.server.ratings.service import Ratings
from teahouse.server.tables.setup import load_setup
from teahouse.server.tournaments import payloads, rows
from teahouse.server.tournaments.host import Host
from teahouse.server.tournaments.messages import EmptyIn, JoinIn, NewTournamentIn
from teahouse.server.tournaments.service import Tournaments
from teahouse.server.tournaments.state import Tournament
from teahouse.server.web import api, pages
from teahouse.server.web.api import RegistryDep, TableId
from teahouse.server.web.errors import ApiError
from teahouse.server.web.wire import to_json

router = APIRouter(responses=api.router.responses)
STATUSES: dict[str, tuple[str, ...]] = {
    "open": ("open",),
    "running": ("running",),
    "past": ("finished",),
}
MAX_LISTED = {"open": 100, "running": 100, "past": 30}


def get_tournaments(request: Request) -> Tournaments:
    """Return the tournaments of the application."""
    found: Tournaments = request.app.state.tournaments
    return found


TournamentsDep = Annotated[Tournaments, Depends(get_tournaments)]
Competitor = Annotated[Account, Depends(allowed("tournament"))]
"""Who creates, joins or leaves a tournament."""


def _json(body: Any, status: int = 200) -> Response:
    return Response(to_json(body), status, media_type="application/json")


@router.get("/api/tournaments")
async def list_tournaments(
    registry: RegistryDep,
    account: AccountDep,
    status: Literal["open", "running", "past"] | None = None,
    before: Annotated[float, Query(ge=0, le=1e11)] | None = None,
) -> Response:
    """List public tournaments: all that are not over and the latest that are, or those of a status.

    `before` is the `moment` of the last one of a list; it returns those that follow. `mine` are
    the unfinished ones that an account has created or joined, private ones too.
    """
    wanted = (status,) if status else tuple(STATUSES)
    mine: list[rows.Summary] = []
    if account is not None and status is None:
        mine = await registry.store.read(
            partial(rows.of_account, account=account.id, limit=MAX_LISTED["open"])
        )
    found = {
        name: await registry.store.read(
            partial(rows.listed, statuses=STATUSES[name], limit=MAX_LISTED[name], before=before)
        )
        for name in wanted
    }
    return _json({"mine": mine, **found} if status is None else found)


@router.post("/api/tournaments", status_code=201)
async def create_tournament(
    body: NewTournamentIn,
    request: Request,
    registry: RegistryDep,
    tournaments: TournamentsDep,
    account: Competitor,
) -> Response:
    """Create a tournament."""
    rules = body.rules(registry.store.now().wall)
    passwords: Passwords = request.app.state.passwords
    hashed = None if body.password is None else await passwords.hash(body.password)
    return _json(_body(registry, await tournaments.create(account, rules, hashed)), 201)


@router.get("/api/tournaments/{tournament_id}")
async def tournament(
    tournament_id: TableId, registry: RegistryDep, tournaments: TournamentsDep
) -> Response:
    """Return a tournament with its standings and the games of the current round."""
    return _answer(registry, await tournaments.host(tournament_id))


@router.get("/api/tournaments/{tournament_id}/rounds/{number}")
async def tournament_round(
    tournament_id: TableId, number: int, tournaments: TournamentsDep
) -> Response:
    """Return the games of a round."""
    rounds = (await tournaments.host(tournament_id)).tournament.rounds
    if not 1 <= number <= len(rounds):
        raise ApiError("not_found", f"This tournament has had {len(rounds)} rounds.")
    return _json(payloads.round_body(rounds[number - 1]))


@router.get("/api/tournaments/{tournament_id}/players/{number}/games")
async def player_games(
    tournament_id: TableId, number: int, tournaments: TournamentsDep
) -> Response:
    """Return the games of a player."""
    found = (await tournaments.host(tournament_id)).tournament
    if not 0 <= number < len(found.players):
        raise ApiError("not_found", "There is no such player.")
    return _json({"games": payloads.player_games(found, number)})


@router.post("/api/tournaments/{tournament_id}/join")
async def join(
    body: JoinIn,
    tournament_id: TableId,
    request: Request,
    registry: RegistryDep,
    tournaments: TournamentsDep,
    account: Competitor,
) -> Response:
    """Join a tournament, or come back to it."""
    found = (await tournaments.host(tournament_id)).tournament
    if found.rules.password and found.player_of(account.id) is None:
        await _check_password(request, registry, tournament_id, body.password)
    rating = await _rating(request, found, account)
    return _answer(registry, await tournaments.join(tournament_id, account, rating))


async def _rating(request: Request, found: Tournament, account: Account) -> float | None:
    """Return a player's rating in the game of a tournament, where there are ratings."""
    game, _ = load_setup(found.rules.game, found.rules.options, None)
    pool = pool_of(game)
    ratings: Ratings = request.app.state.ratings
    return None if pool is None else (await ratings.rating_of(account.id, pool)).value


async def _check_password(
    request: Request, registry: RegistryDep, tournament_id: str, given: str | None
) -> None:
    stored = await registry.store.read(partial(rows.password_hash, tournament_id=tournament_id))
    passwords: Passwords = request.app.state.passwords
    if given is None or not (await passwords.verify(stored, given)).right:
        raise ApiError("wrong_password", "Enter the password of this tournament.")


@router.post("/api/tournaments/{tournament_id}/withdraw")
async def withdraw(
    body: EmptyIn,
    tournament_id: TableId,
    registry: RegistryDep,
    tournaments: TournamentsDep,
    account: Competitor,
) -> Response:
    """Leave a tournament."""
    return _answer(registry, await tournaments.withdraw(tournament_id, account))


@router.post("/api/tournaments/{tournament_id}/cancel")
async def cancel(
    body: EmptyIn,
    tournament_id: TableId,
    request: Request,
    registry: RegistryDep,
    tournaments: TournamentsDep,
    account: Competitor,
) -> Response:
    """Cancel one's own tournament before its start; an operator cancels any that is not over."""
    operator = account.is_operator and "authorization" not in request.headers  # no token's power
    return _answer(registry, await tournaments.cancel(tournament_id, account, operator=operator))


def _body(registry: RegistryDep, found: Host) -> dict[str, Any]:
    return {**found.body, "now": registry.store.now().wall}


def _answer(registry: RegistryDep, found: Host) -> Response:
    return _json(_body(registry, found))


# Pages.


@router.get("/tournaments", include_in_schema=False)
async def overview_page(request: Request) -> Response:
    """Show the tournaments that are open, running or over."""
    return await pages.constant_page(request, "tournaments.html")


@router.get("/tournaments/new", include_in_schema=False)
async def new_page(request: Request) -> Response:
    """Show the form for a new tournament."""
    return await pages.constant_page(request, "tournament_new.html")


@router.get("/tournaments/{tournament_id}", include_in_schema=False)
async def tournament_page(
    request: Request, tournament_id: str, registry: RegistryDep, tournaments: TournamentsDep
) -> Response:
    """Show a tournament; its page keeps itself up to date."""
    if not (len(tournament_id) == 10 and tournament_id.isascii() and tournament_id.isalnum()):
        raise ApiError("not_found", "There is no such tournament.")
    body = _body(registry, await tournaments.host(tournament_id))
    templates: Jinja2Templates = request.app.state.templates
    return templates.TemplateResponse(request, "tournament.html", {"body": body})
