"""Which games are rated: when a game is created, and once it is over."""

from __future__ import annotations

from collections.abc import Sequence

from teahouse.core.game import Game
from teahouse.core.result import UNFINISHED
from teahouse.server.accounts.models import Account
from teahouse.server.ratings.pools import Pool, pool_of
from teahouse.server.ratings.rating import Entrant, RatedGame
from teahouse.server.web.errors import ApiError
from teahouse.session import events as ev
from teahouse.session.forfeits import has_left
from teahouse.session.state import GameSession


def check_rateable(game: Game, created: ev.Created, accounts: Sequence[Account | None]) -> None:
    """Raise `ApiError` if a new game cannot be rated; `accounts` are those of the seats."""
    reason = _obstacle(game, created, accounts)
    if reason is not None:
        raise ApiError("not_rateable", reason)


def is_rateable(game: Game, created: ev.Created, accounts: Sequence[Account | None]) -> bool:
    """Return whether a new game can be rated."""
    return _obstacle(game, created, accounts) is None


def _obstacle(game: Game, created: ev.Created, accounts: Sequence[Account | None]) -> str | None:
    pool = pool_of(game)
    if pool is None:
        return f"{game.title} has no ratings with these options. Choose casual, or other options."
    if created.start is not None:
        return "Rated games begin at the game's own start. Choose casual to play from a position."
    if isinstance(created.time_control, ev.Untimed):
        return "Rated games need a clock. Choose a time control, or casual."
    people = [spec for spec in created.seats if isinstance(spec, ev.HumanSeat)]
    if not people or any(spec.account is None for spec in people):
        return "Rated games need accounts for all players. Sign in, or choose casual."
    owners = [account.owner or account.id for account in accounts if account is not None]
    if len(set(owners)) < len(owners):
        return "Games between a player and their own bot accounts are casual."
    for spec in created.seats:
        if isinstance(spec, ev.BotSeat) and pool.level(spec.level) is None:
            measured = ", ".join(str(level) for level, _ in pool.levels)
            return (
                f"Level {spec.level} is not measured well enough in this game;"
                f" levels for rated games: {measured}."
            )
    return None


def rated_game(table_id: str, session: GameSession, ended: float) -> RatedGame | None:
    """Return a finished game as it is rated, or None if it does not count."""
    pool = pool_of(session.game)
    if not session.created.rated or session.result == UNFINISHED or pool is None:
        return None
    movers = {played.player for played in session.moves}
    if not all(movers.intersection(team) for team in session.game.teams):
        return None
    seats = [_entrant(pool, spec) for spec in session.created.seats]
    winners = _winners(session)
    if not winners or None in seats:
        return None
    entrants = tuple(seat for seat in seats if seat is not None)
    if len(set(entrants)) < 2 or not any(isinstance(seat, str) for seat in entrants):
        return None
    return RatedGame(table_id, pool.id, ended, entrants, winners)


def _entrant(pool: Pool, spec: ev.SeatSpec) -> Entrant | None:
    if isinstance(spec, ev.HumanSeat):
        return spec.account
    return spec.level if pool.level(spec.level) is not None else None


def _winners(session: GameSession) -> tuple[int, ...]:
    """Return the sides that share the first place.

    A player for whom a bot plays on has lost. If that bot wins, those who stayed share the win.
    """
    teams = session.game.teams
    stayed = [
        side for side, team in enumerate(teams) if not any(has_left(session, seat) for seat in team)
    ]
    won = [side for side in stayed if set(teams[side]) & set(session.winners)]
    return tuple(won or stayed)
