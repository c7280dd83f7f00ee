"""Queries for profiles: games with filters, results against levels."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from teahouse.server.database import table_seats, tables
from teahouse.server.ratings.rows import rating_changes
from teahouse.server.seat_results import Outcome

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
    """Return games of an account, the last changed first; with `private`, also unlisted ones.

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
        .order_by(tables.c.updated.desc(), tables.c.id.desc())
        .limit(limit)
    )
    if not private:
        query = query.where(
            tables.c.listed.is_(True) | (tables.c.rated.is_(True) & tables.c.over.is_(True))
        )
    if before is not None:
        time, table_id = before
        query = query.where(
            (tables.c.updated < time) | ((tables.c.updated == time) & (tables.c.id < table_id))
        )
    return [
        PlayedGame(
            row.id,
            json.loads(row.summary),
            row.updated,
            row.seat,
            row.outcome,
            None if row.rating is None else round(row.rating) - round(row.rating_before),
        )
        for row in connection.execute(query)
    ]


def _conditions(wanted: GameFilter) -> Iterable[sa.ColumnElement[bool]]:
    if wanted.game is not None:
        yield tables.c.game == wanted.game
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


def tallies(connection: sa.Connection, account_id: str) -> dict[str, Tally]:
    """Return the results of an account by game."""
    query = (
        sa.select(tables.c.game, table_seats.c.outcome, sa.func.count())
        .join(tables, tables.c.id == table_seats.c.table_id)
        .where(table_seats.c.account_id == account_id, table_seats.c.outcome.is_not(None))
        .group_by(tables.c.game, table_seats.c.outcome)
    )
    counts: dict[str, dict[str, int]] = {}
    for game, outcome, number in connection.execute(query):
        counts.setdefault(game, {})[outcome] = number
    return {game: Tally(**found) for game, found in counts.items()}


def level_tallies(connection: sa.Connection, account_id: str) -> dict[tuple[str, int], Tally]:
    """Return the results of an account against the bots of each level, by pool and level."""
    query = (
        sa.select(
            tables.c.pool, table_seats.c.against_level, table_seats.c.outcome, sa.func.count()
        )
        .join(tables, tables.c.id == table_seats.c.table_id)
        .where(
            table_seats.c.account_id == account_id,
            table_seats.c.outcome.is_not(None),
            table_seats.c.against_level.is_not(None),
            tables.c.pool.is_not(None),
        )
        .group_by(tables.c.pool, table_seats.c.against_level, table_seats.c.outcome)
    )
    counts: dict[tuple[str, int], dict[str, int]] = {}
    for pool, level, outcome, number in connection.execute(query):
        counts.setdefault((pool, level), {})[outcome] = number
    return {key: Tally(**counts[key]) for key in sorted(counts)}
