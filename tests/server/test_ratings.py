"""Ratings of played games: rated once, in order, whatever happens, and again from the log."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from support.registries import open_registry

from teahouse.core.options import option_texts
from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.models import Account
from teahouse.server.ratings import rows
from teahouse.server.ratings.pools import Pool, pools
from teahouse.server.ratings.rating import PlayerRating, RatedGame
from teahouse.server.ratings.recompute import Recomputed, recompute, recompute_database
from teahouse.server.ratings.service import Ratings
from teahouse.server.storage.lock import StartupError
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.room import Room
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError
from teahouse.session import events as ev
from teahouse.session.state import GameSession

CLOCK = {"kind": "realtime", "seconds": 600}
PEOPLE = [Account(new_id(), name, "person", None, 1.0, None, False) for name in ("Anna", "Ben")]
PROGRAM = Account(new_id(), "Robot", "bot", PEOPLE[0].id, 1.0, None, False)
ACCOUNTS = [
    *PEOPLE,
    *(Account(new_id(), name, "person", None, 1.0, None, False) for name in ("Cora", "Dan")),
    PROGRAM,
]


@asynccontextmanager
async def open_services(
    database: str, *, rating: bool = True
) -> AsyncIterator[tuple[Registry, Ratings]]:
    """The tables of a server, with or without the service that rates them."""
    async with open_registry(database) as registry:
        ratings = Ratings(registry)
        await registry.store.write(_add_accounts)
        if rating:
            await ratings.start()
        try:
            yield registry, ratings
        finally:
            await ratings.close()


def _add_accounts(connection: sa.Connection) -> None:
    for account in ACCOUNTS:
        account_rows.add(connection, account, None)


async def create(
    registry: Registry, pool: Pool, accounts: Sequence[Account | None], **more: Any
) -> Room:
    """Create a rated table; seats without an account are bots of level 1."""
    seats = [{"kind": "remote"} if account else {"kind": "bot", "level": 1} for account in accounts]
    options = option_texts(pool.game.options)
    body = {"game": pool.game.name, "options": options, "seats": seats, "time_control": CLOCK}
    request = ms.NewTableIn.model_validate({**body, **more})
    table, _ = await registry.create(request, accounts=accounts, rated=True)
    return await registry.room(table)


def random_game(session: GameSession, seed: int) -> Iterator[ev.Event]:
    """Everybody joins, and random moves are played until the end."""
    rng = random.Random(seed)
    for seat, who in enumerate(session.seats):
        if not who.joined:
            yield ev.Joined(seat=seat)
    position = session.position
    while not position.over:
        move = rng.choice(position.legal)
        yield ev.Moved(seat=position.player, ply=position.ply, move=move)
        position = position.play(move)


async def play(room: Room, seed: int) -> None:
    await room.update(lambda session: list(random_game(session, seed)))


def players(pool: Pool, *, bots: int = 0) -> list[Account | None]:
    count = len(pool.game.players)
    people = ACCOUNTS[:4][: count - bots]
    return [*people, *([None] * bots)]


async def check(registry: Registry) -> Recomputed:
    """Recompute all ratings from the log, and store them."""
    return await registry.store.write(recompute)


async def stored_rating(registry: Registry, pool: Pool) -> PlayerRating:
    return await registry.store.read(lambda c: rows.rating_of(c, PEOPLE[0].id, pool))


async def test_games_are_rated_once_and_again_from_the_log(database: str) -> None:
    async with open_services(database) as (registry, ratings):
        shown = {}
        for seed, pool in enumerate(pools().values()):
            room = await create(registry, pool, players(pool))
            await play(room, seed)
            await ratings.settled()
            shown[pool.id] = [one.change for one in room.ratings if one]
            assert len(shown[pool.id]) == len(pool.game.players)
            body = await room.body()
            assert body["state"]["seats"][0]["rating"] == room.ratings[0]
        first = next(iter(pools().values()))
        anna = await stored_rating(registry, first)
        assert anna.rating.value != first.start.value and anna.games == 1
        found = await check(registry)
        assert found.games == len(pools()) and not found.differences and not found.unreadable
        await registry.store.write(lambda connection: connection.execute(rows.ratings.delete()))
        await registry.store.write(
            lambda connection: connection.execute(rows.rating_changes.delete())
        )
    lost = recompute_database(database, check=True)
    assert len(lost.differences) > len(pools())
    assert recompute_database(database, check=False) == lost  # the check has changed nothing
    assert not recompute_database(database, check=True).differences
    async with open_services(database) as (registry, ratings):
        assert not (await check(registry)).differences
        assert await stored_rating(registry, first) == anna


def test_a_missing_database_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(StartupError, match="There is no database"):
        recompute_database(str(tmp_path / "none.db"), check=True)
    assert not list(tmp_path.iterdir())


async def test_what_a_stopped_server_left_is_rated_at_the_start(database: str) -> None:
    pool = next(one for one in pools().values() if one.duel)
    async with open_services(database, rating=False) as (registry, _):
        for seed in range(3):
            await play(await create(registry, pool, players(pool)), seed)
        assert len(await registry.store.read(rows.unrated_tables)) == 3
    for _ in range(2):  # once only
        async with open_services(database) as (registry, ratings):
            await play(await create(registry, pool, players(pool, bots=1)), 7)
            await ratings.settled()
            assert await registry.store.read(rows.unrated_tables) == []
            assert not (await check(registry)).differences


async def test_a_game_that_is_found_late_is_rated_in_its_place(tmp_path: Path) -> None:
    several = next(one for one in pools().values() if not one.duel)
    for pool in (next(iter(pools().values())), several):
        ids = [account.id for account in ACCOUNTS[: len(pool.game.players)]]
        rng = random.Random(1)
        sides = range(len(pool.game.teams))
        games = [
            RatedGame(f"{number:010}", pool.id, 1e9 + number // 2, tuple(ids), (rng.choice(sides),))
            for number in range(8)
        ]
        found = []
        async with open_services(str(tmp_path / "teahouse.db"), rating=False) as (registry, _):
            for order in (games, games[::-1], rng.sample(games, 8)):
                for game in [*order, *order]:
                    await registry.store.write(partial(rows.apply, game=game))
                found.append(
                    await registry.store.read(partial(rows.ratings_in, ids=ids, pool=pool))
                )
                await registry.store.write(lambda c: rows.replace_all(c, [], []))
        assert found[0] == found[1] == found[2]
        assert all(one.games == 8 for one in found[0].values())


async def test_long_histories_are_thinned(tmp_path: Path) -> None:
    pool = next(one for one in pools().values() if one.duel)
    seats = (PEOPLE[0].id, 1)
    async with open_services(str(tmp_path / "teahouse.db"), rating=False) as (registry, _):
        for number in range(10):
            game = RatedGame(f"{number:010}", pool.id, float(number), seats, (number % 2,))
            await registry.store.write(partial(rows.apply, game=game))
        for limit, times in ((100, range(10)), (5, (1, 3, 5, 7, 9)), (4, (0, 3, 6, 9))):
            found = await registry.store.read(
                partial(rows.history, account_id=seats[0], pool=pool, limit=limit)
            )
            assert [time for time, _ in found] == list(times)


async def test_games_that_do_not_count(tmp_path: Path) -> None:
    pool = next(one for one in pools().values() if one.duel)
    async with open_services(str(tmp_path / "teahouse.db")) as (registry, ratings):

        async def unrated(*events: ev.Event) -> bool:
            room = await create(registry, pool, players(pool))
            await room.update(lambda session: list(events))
            await ratings.settled()
            shown = [one.change for one in room.ratings if one]
            return room.session.over and shown == [None, None]

        other = pool.game.players[1]
        assert await unrated(ev.Ended(result=other, reason="resigned", seat=0))
        assert await unrated(ev.Ended(result="*", reason="aborted", seat=0))
        assert not (await check(registry)).games


async def test_what_cannot_be_rated_is_refused(tmp_path: Path) -> None:
    pool = next(one for one in pools().values() if one.duel)
    start = str(pool.game.start(1).play(pool.game.start(1).legal[0]))
    refused: list[tuple[list[Account | None], dict[str, Any], str]] = [
        (list(PEOPLE), {"time_control": {"kind": "none"}}, "clock"),
        (list(PEOPLE), {"start": start}, "own start"),
        ([PEOPLE[0], PROGRAM], {}, "own bot accounts"),
        ([PEOPLE[0], PEOPLE[0]], {}, "own bot accounts"),
        ([None, None], {}, "accounts"),
        ([PEOPLE[0], None], {"seats": [{"kind": "remote"}, {"kind": "remote"}]}, "accounts"),
        (
            [PEOPLE[0], None],
            {"seats": [{"kind": "remote"}, {"kind": "bot", "level": 8}]},
            "Level 8",
        ),
    ]
    async with open_services(str(tmp_path / "teahouse.db")) as (registry, _):
        for accounts, more, reason in refused:
            with pytest.raises(ApiError, match=reason) as caught:
                await create(registry, pool, accounts, **more)
            assert caught.value.code == "not_rateable"


async def test_who_leaves_a_game_of_three_has_lost(tmp_path: Path) -> None:
    pool = next(one for one in pools().values() if len(one.game.teams) > 2)
    async with open_services(str(tmp_path / "teahouse.db")) as (registry, ratings):
        room = await create(registry, pool, players(pool))

        def leave(session: GameSession) -> list[ev.Event]:
            events = list(random_game(session, 3))
            left = ev.Replaced(seat=0, level=3, reason="resigned")
            return [*events[:40], left, *events[40:]]

        await room.update(leave)
        await ratings.settled()
        changes = [one.change for one in room.ratings if one]
        assert changes[0] is not None and changes[0] < 0
        assert sum(change > 0 for change in changes if change is not None) >= 1


async def test_a_deleted_account_leaves_its_games_to_another_id(tmp_path: Path) -> None:
    pool = next(one for one in pools().values() if one.duel)
    async with open_services(str(tmp_path / "teahouse.db")) as (registry, ratings):
        await play(await create(registry, pool, players(pool)), 1)
        await ratings.settled()
        before = await ratings.ratings_in([one.id for one in PEOPLE], pool)
        await registry.store.write(lambda c: rows.replace_account(c, PEOPLE[0].id, "anonymous0"))
        after = await ratings.ratings_in(["anonymous0", PEOPLE[1].id], pool)
        assert after["anonymous0"].value == before[PEOPLE[0].id].value
        assert after[PEOPLE[1].id].value == before[PEOPLE[1].id].value
