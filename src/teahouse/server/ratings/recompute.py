"""Ratings from the event log alone: to rate what a stopped server left, and to verify all."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from teahouse.server.ratings import rows
from teahouse.server.ratings.eligibility import rated_game
from teahouse.server.ratings.rating import RatedGame
from teahouse.server.storage.database import connect, events, migrate
from teahouse.server.storage.lock import StartupError, acquire_lock, unusable
from teahouse.server.tables import rows as table_rows
from teahouse.server.tables.event_json import from_log_row
from teahouse.session.state import GameSession

Rows = dict[tuple[str, ...], tuple[Any, ...]]
"""Stored values by their keys."""


@dataclass(frozen=True)
class Recomputed:
    """What the event log says about ratings, compared with what was stored."""

    games: int = 0
    """Games that count."""
    skipped: int = 0
    """Finished games that were to be rated but do not count."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """Tables that cannot be replayed, with the reason."""
    differences: list[str] = field(default_factory=list)


def read_game(connection: sa.Connection, table_id: str) -> RatedGame | None:
    """Replay a finished table and return the game as it is rated; None if it does not count.

    Raise `ValueError` if it cannot be replayed.
    """
    log = [from_log_row(row) for row in table_rows.log_rows(connection, table_id)]
    session = GameSession.replay(log[:1])
    for logged in log[1:]:
        session.apply(logged)
        if session.over:
            return rated_game(table_id, session, logged.time.wall)
    return None


def recompute(connection: sa.Connection) -> Recomputed:
    """Rate all games of the event log again; return how the stored ratings differed."""
    games, skipped, unreadable = [], [], {}
    for table_id in _finished_tables(connection):
        try:
            game = read_game(connection, table_id)
        except ValueError as error:
            unreadable[table_id] = str(error)
            continue
        if game is None:
            skipped.append(table_id)
        else:
            games.append(game)
    before = _stored(connection)
    rows.replace_all(connection, games, skipped)
    after = _stored(connection)
    differences = [
        _difference(key, before.get(key), after.get(key))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    ]
    return Recomputed(len(games), len(skipped), unreadable, differences)


def _finished_tables(connection: sa.Connection) -> list[str]:
    """Return the finished tables that were created as rated ones, by their first event."""
    rated = sa.or_(*(events.c.body.like(f'%"rated":{space}true%') for space in ("", " ")))
    wanted = sa.select(events.c.table_id).where(events.c.seq == 1, rated)
    return [
        table_id
        for table_id in connection.execute(wanted).scalars().all()
        if table_rows.is_over(connection, table_id)
    ]


def _stored(connection: sa.Connection) -> Rows:
    found: Rows = {}
    for row in connection.execute(sa.select(rows.ratings)):
        found["rating", row.account_id, row.pool] = tuple(row)[2:]
    for row in connection.execute(sa.select(rows.rating_changes)):
        found["change", row.table_id, row.account_id] = tuple(row)[2:]
    return found


def _difference(
    key: tuple[str, ...], before: tuple[Any, ...] | None, after: tuple[Any, ...] | None
) -> str:
    kind, *names = key
    texts = ["nothing" if one is None else ", ".join(map(str, one)) for one in (before, after)]
    return f"{kind} {' '.join(names)}: stored {texts[0]}; by the event log {texts[1]}"


def recompute_database(url: str, *, check: bool) -> Recomputed:
    """Recompute the ratings of a database that no server uses; with `check`, change nothing."""
    engine = connect(url)
    file = engine.url.database
    if engine.dialect.name == "sqlite" and not (file and Path(file).exists()):
        raise StartupError(f"There is no database {file}; give its path with --database.")
    lock = acquire_lock(engine)
    try:
        with engine.begin() as connection:
            migrate(connection)
        with engine.connect() as connection, connection.begin() as transaction:
            found = recompute(connection)
            if check:
                transaction.rollback()
            return found
    except sa.exc.DatabaseError as error:
        raise unusable(error) from None
    finally:
        lock.release()
        engine.dispose()
