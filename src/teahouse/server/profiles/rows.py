"""Queries for profiles: games with filters, results against levels."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from teahouse.server.ratings.rows import rating_changes
from teahouse.server.storage.database import table_seats, tables
from teahouse.server.tables.seat_results import Outcome

PAGE = 50
Against = Literal["people", "computer"]


@dataclass(frozen=True)
class GameFilter:
    """Which games of an account are wanted; None for all."""

    game: str | None = None
    result: Outcome | None = None
    against: Against | None = None
    opponent: str | None = None
    """The id of another account."""
    rated: bool | None = None
    running: bool | None = None


@dataclass(frozen=True)
class PlayedGame:
    """A game of an account."""

    id: str
    summary: dict[str, Any]
    created: float
    updated: float
    seat: int
    outcome: Outcome | None
    change: int | None
    """Points of rating; None if it was not rated."""


@dataclass(frozen=True)
class Tally:
    """How many games were won, lost and drawn."""

    won: int = 0
    lost: int = 0
    drawn: int = 0

    @property
    def total(self) -> int:
        """The number of games."""
        return self.won + self.lost + self.drawn


def games(
    connection: sa.Connection,
    account_id: str,
    wanted: GameFilter,
    *,
    private: bool,
    before: tuple[float, str] | None = None,
    limit: int = PAGE,
) -> list[PlayedGame]:
    """Return games of an account, the latest first; with `private`, also unlisted ones.

    Others see those games that everybody may watch, and rated ones once they are over.
    """
    changed = (rating_changes.c.table_id == tables.c.id) & (
        rating_changes.c.account_id == account_id
    )
    query = (
        sa.select(
            tables.c.id,
            tables.c.summary,
            tables.c.updated,
            table_seats.c.created,
            table_seats.c.seat,
            table_seats.c.outcome,
            rating_changes.c.rating_before,
            rating_changes.c.rating,
        )
        .select_from(
            table_seats.join(tables, tables.c.id == table_seats.c.table_id).outerjoin(
                rating_changes, changed
            )
        )
        .where(table_seats.c.account_id == account_id, *_conditions(wanted))
        .order_by(table_seats.c.created.desc(), table_seats.c.table_id.desc())
        .limit(limit)
    )
    if not private:
        query = query.where(
            tables.c.listed.is_(True) | (tables.c.rated.is_(True) & tables.c.over.is_(True))
        )
    if before is not None:
        time, table_id = before
        query = query.where(
            sa.tuple_(table_seats.c.created, table_seats.c.table_id) < (time, table_id)
        )
    return [
        PlayedGame(
            row.id,
            json.loads(row.summary),
            row.created,
            row.updated,
            row.seat,
            row.outcome,
            None if row.rating is None else round(row.rating) - round(row.rating_before),
        )
        for row in connection.execute(query)
    ]


def _conditions(wanted: GameFilter) -> Iterable[sa.ColumnElement[bool]]:
    if wanted.game is not None:
        yield table_seats.c.game == wanted.game
    if wanted.result is not None:
        yield table_seats.c.outcome == wanted.result
    if wanted.against == "computer":
        yield table_seats.c.against_level.is_not(None)
    elif wanted.against == "people":
        yield table_seats.c.against_level.is_(None)
    if wanted.opponent is not None:
        other = table_seats.alias()
        yield sa.exists().where(
            other.c.table_id == tables.c.id, other.c.account_id == wanted.opponent
        )
    if wanted.rated is not None:
        yield tables.c.rated.is_(wanted.rated)
    if wanted.running is not None:
        yield tables.c.over.is_(not wanted.running)
    if wanted.running:
        yield table_seats.c.outcome.is_(None)  # so most games need not be looked at


def tallies(
    connection: sa.Connection, account_id: str
) -> tuple[dict[str, Tally], dict[tuple[str, int], Tally]]:
    """Return the results of an account by game, and those against bots by pool and level."""
    seat = table_seats.c
    kinds = (seat.game, seat.pool, seat.against_level, seat.outcome)
    query = (
        sa.select(*kinds, sa.func.count())
        .where(seat.account_id == account_id, seat.outcome.is_not(None))
        .group_by(*kinds)
    )
    by_game: dict[str, Counter[str]] = {}
    by_level: dict[tuple[str, int], Counter[str]] = {}
    for game, pool, level, outcome, number in connection.execute(query):
        by_game.setdefault(game, Counter())[outcome] += number
        if pool is not None and level is not None:
            by_level.setdefault((pool, level), Counter())[outcome] += number
    return (
        {game: Tally(**by_game[game]) for game in sorted(by_game)},
        {key: Tally(**by_level[key]) for key in sorted(by_level)},
    )
