"""What everybody may see of an account: ratings, results and puzzles."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from teahouse.core.catalog import games, load
from teahouse.server.accounts import data_rows
from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.models import Account
from teahouse.server.profiles import rows
from teahouse.server.profiles.rows import GameFilter, PlayedGame, Tally
from teahouse.server.ratings import rows as rating_rows
from teahouse.server.ratings.pools import Pool, pools
from teahouse.server.ratings.rating import PlayerRating, current
from teahouse.server.ratings.scale import Rating

PUZZLES = "puzzles"
"""The name of an account's entry with its progress in puzzles."""
CURRENT_GAMES = 3
"""Games to watch that a profile offers."""


@dataclass(frozen=True)
class PoolRating:
    """An account's rating in a pool now."""

    pool: Pool
    rating: Rating
    games: int

    @property
    def body(self) -> dict[str, Any]:
        """The rating as clients get it."""
        return {
            "pool": self.pool.id,
            "title": self.pool.title,
            "game": self.pool.game.name,
            "value": round(self.rating.value),
            "deviation": round(self.rating.deviation),
            "provisional": self.rating.provisional,
            "level": self.pool.level_text(self.rating.value),
            "games": self.games,
        }


@dataclass(frozen=True)
class PuzzleProgress:
    """How far an account has come with the puzzles of a game."""

    game: str
    title: str
    rating: int
    tried: int
    solved: int


@dataclass(frozen=True)
class Profile:
    """All that a profile shows, except the list of games."""

    account: Account
    owner: str | None
    """The name of the owner of a bot account."""
    suspended: bool
    ratings: list[PoolRating]
    results: dict[str, Tally]
    """By game."""
    levels: dict[tuple[str, int], Tally]
    """By pool and level."""
    puzzles: list[PuzzleProgress]
    watchable: list[str]
    """Tables of games that everybody may watch."""

    @property
    def body(self) -> dict[str, Any]:
        """The profile as clients get it."""
        return {
            **self.account.body,
            "created": self.account.created,
            "owner": self.owner,
            "suspended": self.suspended,
            "ratings": [one.body for one in self.ratings],
            "results": [{"game": game, **asdict(one)} for game, one in self.results.items()],
            "levels": [
                {"pool": pool, "level": level, **asdict(one)}
                for (pool, level), one in self.levels.items()
            ],
            "puzzles": [asdict(one) for one in self.puzzles],
            "watchable": self.watchable,
        }


def read_profile(connection: sa.Connection, name: str, now: float) -> Profile | None:
    """Return the profile of the account with a name, or None if there is none."""
    account = account_rows.by_name(connection, name)
    if account is None:
        return None
    owner = account.owner and account_rows.get(connection, account.owner)
    listed = rows.games(
        connection, account.id, GameFilter(running=True), private=False, limit=CURRENT_GAMES
    )
    by_game, by_level = rows.tallies(connection, account.id)
    return Profile(
        account,
        owner.name if owner else None,
        account.suspended(now),
        [
            _pool_rating(pools()[pool], player, now)
            for pool, player in rating_rows.ratings_of(connection, account.id).items()
        ],
        by_game,
        {key: tally for key, tally in by_level.items() if key[0] in pools()},
        puzzle_progress(data_rows.entries_of(connection, account.id).get(PUZZLES)),
        [game.id for game in listed],
    )


def _pool_rating(pool: Pool, player: PlayerRating, now: float) -> PoolRating:
    return PoolRating(pool, current(pool, player, now), player.games)


def puzzle_progress(body: str | None) -> list[PuzzleProgress]:
    """Return the progress that an account's browser has stored; nothing of what is not valid."""
    try:
        stored = json.loads(body or "{}").get("games", {})
        return [
            PuzzleProgress(
                name,
                load(name).title,
                round(float(stored[name]["rating"])),
                len(stored[name]["tried"]),
                sum(solved is True for solved in stored[name]["tried"].values()),
            )
            for name in games()
            if name in stored
        ]
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        return []


def games_body(connection: sa.Connection, found: list[PlayedGame]) -> dict[str, Any]:
    """Return a page of games as clients get it."""
    ids = {account for game in found for account in game.summary["accounts"] if account}
    known = account_rows.get_many(connection, ids)
    last = found[-1] if len(found) == rows.PAGE else None
    return {
        "games": [_game(game, known) for game in found],
        "next": last and f"{last.created!r},{last.id}",
    }


def _game(game: PlayedGame, known: dict[str, Account]) -> dict[str, Any]:
    summary = game.summary
    players = []
    for seat, (name, account_id) in enumerate(
        zip(summary["names"], summary["accounts"], strict=True)
    ):
        account = known.get(account_id or "")
        current_account = account is not None and not account.deleted
        players.append(
            {
                "name": account.name if account and current_account else name,
                "account": current_account,
                "bot": seat in summary["bots"],
            }
        )
    fields = ("game", "title", "over", "ply", "result_reason", "rated", "tournament")
    return {
        "id": game.id,
        **{field: summary[field] for field in fields},
        "seats": summary["players"],
        "players": players,
        "seat": game.seat,
        "outcome": game.outcome,
        "change": game.change,
        "updated": game.updated,
    }
