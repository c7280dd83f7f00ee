"""The rows of opening moves: anonymous counts of the moves of finished games."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from teahouse.core.result import UNFINISHED
from teahouse.search.openings import PLIES, MoveResults
from teahouse.server.storage.database import events, moves, opening_moves, tables
from teahouse.server.tables.event_json import from_log_row
from teahouse.session import events as ev

_KEY = ("game", "options", "position", "after", "outcome")


@dataclass(frozen=True)
class FinishedTable:
    """A finished game that is not counted yet."""

    id: str
    created: ev.Created | None
    """None if it cannot be read."""
    result: str
    moves: list[str]
    """Those of its opening."""


def uncounted(connection: sa.Connection, limit: int) -> list[FinishedTable]:
    """Return some finished games that are not counted yet."""
    waiting = tables.c.over.is_(True) & tables.c.counted.is_(False)
    wanted = sa.select(tables.c.id, tables.c.summary).where(waiting).limit(limit)
    return [
        FinishedTable(
            row.id,
            _created(connection, row.id),
            json.loads(row.summary).get("result", UNFINISHED),
            _moves(connection, row.id),
        )
        for row in connection.execute(wanted).all()
    ]


def _created(connection: sa.Connection, table_id: str) -> ev.Created | None:
    columns = (events.c.seq, events.c.time, events.c.uptime, events.c.body)
    first = (events.c.table_id == table_id) & (events.c.seq == 1)
    row = connection.execute(sa.select(*columns).where(first)).one()
    try:
        created = from_log_row((row.seq, row.time, row.uptime, row.body)).event
    except ValueError:
        return None
    return created if isinstance(created, ev.Created) else None


def _moves(connection: sa.Connection, table_id: str) -> list[str]:
    played = (moves.c.table_id == table_id) & (moves.c.ply < PLIES)
    wanted = sa.select(moves.c.move).where(played).order_by(moves.c.ply)
    return list(connection.execute(wanted).scalars())


def count(
    connection: sa.Connection,
    table_id: str,
    game: str,
    options: str,
    played: Iterable[tuple[str, str, int]],
) -> None:
    """Count the opening moves of a finished game, unless they are counted already."""
    this = (tables.c.id == table_id) & tables.c.counted.is_(False)
    if connection.execute(tables.update().where(this).values(counted=True)).rowcount != 1:
        return
    for key, games in Counter((game, options, *move) for move in played).items():
        values = dict(zip(_KEY, key, strict=True))
        row = sa.and_(*(opening_moves.c[name] == value for name, value in values.items()))
        more = {"games": opening_moves.c.games + games}
        if connection.execute(opening_moves.update().where(row).values(more)).rowcount == 0:
            connection.execute(opening_moves.insert().values(**values, games=games))


def results(
    connection: sa.Connection, game: str, options: str, position: str
) -> dict[str, MoveResults]:
    """Return the results of the moves that were played in a position."""
    here: Any = sa.and_(
        opening_moves.c.game == game,
        opening_moves.c.options == options,
        opening_moves.c.position == position,
    )
    found: dict[str, MoveResults] = {}
    for row in connection.execute(sa.select(opening_moves).where(here)):
        found.setdefault(row.after, MoveResults()).outcomes[row.outcome] += row.games
    return found
