"""A new table: its first event, and the secrets of its guests' seats."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from teahouse.core.game import Game
from teahouse.server.accounts.models import Account, with_account
from teahouse.server.ratings.eligibility import check_rateable, is_rateable
from teahouse.server.tables.seat_keys import new_secret
from teahouse.server.tables.setup import load_setup
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError
from teahouse.session.events import Created, HumanSeat


def requested_setup(request: ms.NewTableIn) -> tuple[Game, str | None]:
    """Return the game and its start position; raise `ApiError` if the seats do not fit it."""
    game, start = load_setup(request.game, request.options, request.start)
    players = game.players
    if len(request.seats) != len(players):
        message = f"{game.title} has {len(players)} seats here: {', '.join(players)}."
        raise ApiError("invalid", message, list(players))
    return game, start


def created_event(
    request: ms.NewTableIn,
    game: Game,
    start: str | None,
    accounts: Sequence[Account | None] = (),
    *,
    rated: bool = False,
    tournament: str | None = None,
    start_within: int | None = None,
) -> Created:
    """Return the first event of a table; raise `ApiError` if it is rated but cannot be.

    A tournament's game that cannot be rated is casual.
    """
    seed = secrets.randbelow(1 << 53) if request.seed is None else request.seed
    created = Created(
        game=game.name,
        options=game.options,
        seed=None if start else seed,
        start=start,
        seats=tuple(
            with_account(seat.spec(), account)
            for seat, account in zip_longest(request.seats, accounts)
        ),
        time_control=request.time_control.spec(),
        listed=request.listed,
        rated=rated,
        tournament=tournament,
        start_within=start_within,
    )
    if rated and tournament is None:
        check_rateable(game, created, accounts)
    elif rated and not is_rateable(game, created, accounts):
        created = replace(created, rated=False)
    return created


def seat_secrets(created: Created) -> dict[int, str]:
    """Return a secret for every guest's seat.

    Where bots play all seats, one for the first seat lets the creator set the pace.
    """
    people = [seat for seat in created.seats if isinstance(seat, HumanSeat)]
    guests = [
        number
        for number, seat in enumerate(created.seats)
        if isinstance(seat, HumanSeat) and seat.account is None
    ]
    return {seat: new_secret() for seat in (guests if people else [0])}
