"""The ratings at the seats of a table, as everybody sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from teahouse.server.ratings import rows
from teahouse.server.ratings.pools import Pool, pool_of
from teahouse.server.ratings.rating import current
from teahouse.server.ratings.scale import Rating
from teahouse.session.state import GameSession


@dataclass(frozen=True)
class SeatRating:
    """A player's rating at a table: now, or before a game that was rated."""

    value: int
    deviation: int
    provisional: bool
    level: str
    """The level that it matches, such as "about level 5"."""
    change: int | None = None
    """What the game has changed, once it is rated."""


SeatRatings = Sequence[SeatRating | None]


def seat_ratings(
    connection: sa.Connection, table_id: str, session: GameSession, now: float
) -> SeatRatings:
    """Return the ratings of a table's seats; None for guests, bots and games without ratings."""
    pool = pool_of(session.game)
    ids = [seat.account for seat in session.seats]
    if pool is None or not any(ids):
        return [None] * len(ids)
    changed = rows.changes_at(connection, table_id) if session.over else {}
    others = {account for account in ids if account is not None} - set(changed)
    players = rows.ratings_in(connection, others, pool)
    found: list[SeatRating | None] = []
    for account in ids:
        if account is None:
            found.append(None)
        elif account in changed:
            before, after = changed[account]
            found.append(_seat(pool, before, round(after.value) - round(before.value)))
        else:
            found.append(_seat(pool, current(pool, players[account], now)))
    return found


def _seat(pool: Pool, rating: Rating, change: int | None = None) -> SeatRating:
    return SeatRating(
        round(rating.value),
        round(rating.deviation),
        rating.provisional,
        pool.level_text(rating.value),
        change,
    )
