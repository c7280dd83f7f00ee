"""The rows of ratings: current ones, their changes, and the games that were rated.

All of it follows from the event log. Games are rated in the order of their ends: one that is found
late is inserted, and the later games of its pool are rated again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from teahouse.server.accounts.rows import accounts
from teahouse.server.ratings.pools import Pool, pools
from teahouse.server.ratings.rating import PlayerRating, RatedGame, rate
from teahouse.server.ratings.scale import PROVISIONAL_DEVIATION, Rating
from teahouse.server.storage.database import SCHEMA, exclusive, tables
from teahouse.server.storage.lock_keys import LockKey

ratings = sa.Table(
    "ratings",
    SCHEMA,
    sa.Column("account_id", sa.String(10), primary_key=True),
    sa.Column("pool", sa.String(100), primary_key=True),
    sa.Column("rating", sa.Double),
    sa.Column("deviation", sa.Double),
    sa.Column("volatility", sa.Double),
    sa.Column("games", sa.Integer),
    sa.Column("updated", sa.Double),
)
rating_changes = sa.Table(
    "rating_changes",
    SCHEMA,
    sa.Column("table_id", sa.String(10), primary_key=True),
    sa.Column("account_id", sa.String(10), primary_key=True),
    sa.Column("pool", sa.String(100)),
    sa.Column("time", sa.Double),
    sa.Column("rating_before", sa.Double),
    sa.Column("deviation_before", sa.Double),
    sa.Column("volatility_before", sa.Double),
    sa.Column("updated_before", sa.Double),
    sa.Column("rating", sa.Double),
    sa.Column("deviation", sa.Double),
    sa.Column("volatility", sa.Double),
    sa.Column("games", sa.Integer),
)
rated_games = sa.Table(
    "rated_games",
    SCHEMA,
    sa.Column("table_id", sa.String(10), primary_key=True),
    sa.Column("pool", sa.String(100)),
    sa.Column("time", sa.Double),
    sa.Column("body", sa.Text),
)
"""Every finished table that was to be rated; one that does not count has no pool."""


# Reading.


def ratings_in(
    connection: sa.Connection, ids: Iterable[str], pool: Pool
) -> dict[str, PlayerRating]:
    """Return the ratings of accounts in a pool; without a game, the rating at which they start."""
    wanted = set(ids)
    same = ratings.c.account_id.in_(wanted) & (ratings.c.pool == pool.id)
    found = {
        row.account_id: _player(row) for row in connection.execute(sa.select(ratings).where(same))
    }
    return {account: found.get(account, PlayerRating(pool.start)) for account in wanted}


def rating_of(connection: sa.Connection, account_id: str, pool: Pool) -> PlayerRating:
    """Return the rating of an account in a pool."""
    return ratings_in(connection, [account_id], pool)[account_id]


def ratings_of(connection: sa.Connection, account_id: str) -> dict[str, PlayerRating]:
    """Return the ratings of an account by the id of the pool, in the order of the pools."""
    same = ratings.c.account_id == account_id
    found = {row.pool: _player(row) for row in connection.execute(sa.select(ratings).where(same))}
    return {pool: found[pool] for pool in pools() if pool in found}


def changes_at(connection: sa.Connection, table_id: str) -> dict[str, tuple[Rating, Rating]]:
    """Return the ratings before and after a game by account; none if it was not rated."""
    same = rating_changes.c.table_id == table_id
    return {
        row.account_id: (
            Rating(row.rating_before, row.deviation_before, row.volatility_before),
            Rating(row.rating, row.deviation, row.volatility),
        )
        for row in connection.execute(sa.select(rating_changes).where(same))
    }


def history(
    connection: sa.Connection, account_id: str, pool: Pool, limit: int
) -> list[tuple[float, float]]:
    """Return the times of an account's games in a pool and the ratings after them.

    Of more games than `limit` only every second, third … is returned, the last one among them.
    """
    change = rating_changes.c
    games = rating_of(connection, account_id, pool).games
    step = -(-games // limit) or 1
    wanted = (
        sa.select(change.time, change.rating)
        .where(
            change.account_id == account_id,
            change.pool == pool.id,
            change.games % step == games % step,
        )
        .order_by(change.games)
    )
    return [(row.time, row.rating) for row in connection.execute(wanted)]


def export(connection: sa.Connection, account_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return the ratings of an account and all their changes."""
    return {
        table.name: [
            dict(row._mapping)
            for row in connection.execute(sa.select(table).where(table.c.account_id == account_id))
        ]
        for table in (ratings, rating_changes)
    }


def leaders(
    connection: sa.Connection, pool: str, kind: str, limit: int
) -> list[tuple[str, PlayerRating]]:
    """Return the best accounts of a kind in a pool by name, without provisional ratings."""
    wanted = (
        sa.select(accounts.c.name, ratings)
        .join(accounts, accounts.c.id == ratings.c.account_id)
        .where(
            ratings.c.pool == pool,
            ratings.c.deviation <= PROVISIONAL_DEVIATION,
            accounts.c.kind == kind,
            accounts.c.deleted.is_(False),
        )
        .order_by(ratings.c.rating.desc(), accounts.c.name)
        .limit(limit)
    )
    return [(row.name, _player(row)) for row in connection.execute(wanted)]


def unrated_tables(connection: sa.Connection) -> list[str]:
    """Return the finished tables that are still to be rated."""
    known = sa.exists().where(rated_games.c.table_id == tables.c.id)
    due = tables.c.rated.is_(True) & tables.c.over.is_(True) & ~known
    return list(connection.execute(sa.select(tables.c.id).where(due)).scalars())


def _player(row: Any) -> PlayerRating:
    return PlayerRating(Rating(row.rating, row.deviation, row.volatility), row.games, row.updated)


# Writing.


def skip(connection: sa.Connection, table_id: str, time: float) -> None:
    """Mark a finished table as not rated."""
    if not _is_known(connection, table_id):
        values = {"table_id": table_id, "time": time}
        connection.execute(rated_games.insert().values(values))


def apply(connection: sa.Connection, game: RatedGame) -> list[str]:
    """Rate a game, unless it is rated already; return the tables whose changes are new."""
    exclusive(connection, LockKey.RATINGS)  # ratings are read, and written later
    if _is_known(connection, game.table):
        return []
    later = _games_after(connection, game)
    for one in reversed(later):
        _undo(connection, one)
    body = json.dumps({"seats": game.seats, "winners": game.winners})
    values = {"table_id": game.table, "pool": game.pool, "time": game.time, "body": body}
    connection.execute(rated_games.insert().values(values))
    for one in [game, *later]:
        _rate(connection, one)
    return [one.table for one in [game, *later]]


def _is_known(connection: sa.Connection, table_id: str) -> bool:
    same = rated_games.c.table_id == table_id
    return connection.execute(sa.select(rated_games.c.table_id).where(same)).first() is not None


def _games_after(connection: sa.Connection, game: RatedGame) -> list[RatedGame]:
    """Return the games of the same pool that ended later, in order."""
    after = (rated_games.c.time > game.time) | (
        (rated_games.c.time == game.time) & (rated_games.c.table_id > game.table)
    )
    wanted = (
        sa.select(rated_games)
        .where(rated_games.c.pool == game.pool, after)
        .order_by(rated_games.c.time, rated_games.c.table_id)
    )
    return [_game(row) for row in connection.execute(wanted)]


def _game(row: Any) -> RatedGame:
    body = json.loads(row.body)
    return RatedGame(row.table_id, row.pool, row.time, tuple(body["seats"]), tuple(body["winners"]))


def _rate(connection: sa.Connection, game: RatedGame) -> None:
    pool = pools()[game.pool]
    before = ratings_in(connection, game.accounts, pool)
    for account, after in rate(pool, game, before).items():
        old = before[account]
        change = {
            "table_id": game.table,
            "account_id": account,
            "pool": game.pool,
            "time": game.time,
            "rating_before": old.rating.value,
            "deviation_before": old.rating.deviation,
            "volatility_before": old.rating.volatility,
            "updated_before": old.updated,
            "rating": after.rating.value,
            "deviation": after.rating.deviation,
            "volatility": after.rating.volatility,
            "games": after.games,
        }
        connection.execute(rating_changes.insert().values(change))
        _set(connection, account, game.pool, after)


def _undo(connection: sa.Connection, game: RatedGame) -> None:
    same = rating_changes.c.table_id == game.table
    for row in connection.execute(sa.select(rating_changes).where(same)).all():
        old = Rating(row.rating_before, row.deviation_before, row.volatility_before)
        _set(
            connection,
            row.account_id,
            row.pool,
            PlayerRating(old, row.games - 1, row.updated_before),
        )
    connection.execute(rating_changes.delete().where(same))


def _set(connection: sa.Connection, account_id: str, pool: str, player: PlayerRating) -> None:
    """Store a rating; a player without a game has none."""
    same = (ratings.c.account_id == account_id) & (ratings.c.pool == pool)
    values = {
        "rating": player.rating.value,
        "deviation": player.rating.deviation,
        "volatility": player.rating.volatility,
        "games": player.games,
        "updated": player.updated,
    }
    if player.games == 0:
        connection.execute(ratings.delete().where(same))
    elif connection.execute(ratings.update().where(same).values(values)).rowcount == 0:
        key = {"account_id": account_id, "pool": pool}
        connection.execute(ratings.insert().values({**key, **values}))


def replace_all(
    connection: sa.Connection, games: Sequence[RatedGame], skipped: Sequence[str]
) -> None:
    """Replace all stored ratings by rating all games again, in order."""
    for table in (ratings, rating_changes, rated_games):
        connection.execute(table.delete())
    for game in sorted(games, key=lambda one: one.key):
        apply(connection, game)
    for table_id in skipped:
        skip(connection, table_id, 0.0)


def replace_account(connection: sa.Connection, account_id: str, replaced_by: str) -> None:
    """Replace the id of an account, as in the games of a deleted one."""
    played = sa.select(rating_changes.c.table_id).where(rating_changes.c.account_id == account_id)
    same = rated_games.c.table_id.in_(played)
    for row in connection.execute(sa.select(rated_games).where(same)).all():
        body = json.loads(row.body)
        body["seats"] = [replaced_by if seat == account_id else seat for seat in body["seats"]]
        this = rated_games.c.table_id == row.table_id
        connection.execute(rated_games.update().where(this).values(body=json.dumps(body)))
    for table in (ratings, rating_changes):
        own = table.c.account_id == account_id
        connection.execute(table.update().where(own).values(account_id=replaced_by))
