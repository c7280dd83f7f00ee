"""Tournaments on a real database: games are created once, results count once, whatever happens."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from support.registries import open_registry
from support.tournament_kills import play_and_kill
from support.tournament_requests import new_tournament
from support.waiting import until

from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.anonymous import DeletedAccount
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.names import DELETED_NAME
from teahouse.server.correspondence.notices import Notices
from teahouse.server.correspondence.rows import notices
from teahouse.server.storage.database import tables
from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.registry import Registry
from teahouse.server.tournaments import director, host, rows
from teahouse.server.tournaments.messages import NewTournamentIn
from teahouse.server.tournaments.service import Tournaments
from teahouse.server.tournaments.standings import standings
from teahouse.server.tournaments.state import Tournament
from teahouse.server.web.errors import ApiError
from teahouse.session import commands

PEOPLE = [
    Account(new_id(), name, "person", None, 1.0, None, deleted=False)
    for name in ("Anna", "Ben", "Cora", "Dan", "Ella")
]


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out pauses; try again soon."""
    monkeypatch.setattr(director, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(director, "COUNTDOWN_SECONDS", 0.0)
    monkeypatch.setattr(director, "WAVE_SECONDS", 0.0)
    monkeypatch.setattr(host, "RETRY_SECONDS", 0.05)
    monkeypatch.setattr(host, "BROADCAST_SECONDS", 0.0)


@asynccontextmanager
async def open_services(database: str) -> AsyncIterator[tuple[Registry, Tournaments]]:
    """The tables and tournaments of a server, whose tournaments have not started yet."""
    async with open_registry(database, workers=1) as registry:
        tournaments = Tournaments(registry, Notices(registry))
        await registry.store.write(_add_accounts)
        try:
            yield registry, tournaments
        finally:
            await tournaments.close()


def _add_accounts(connection: sa.Connection) -> None:
    for account in PEOPLE:
        account_rows.add(connection, account, None)


async def opened(tournaments: Tournaments, players: int, **more: Any) -> str:
    """Create a tournament that starts once a number of people have joined; return its id."""
    body = new_tournament(starts_at=None, starts_with=players, **more)
    rules = NewTournamentIn.model_validate(body).rules(time.time())
    number = (await tournaments.create(PEOPLE[0], rules, None)).tournament.id
    for account in PEOPLE[:players]:
        await tournaments.join(number, account, None)
    return number


async def state_of(tournaments: Tournaments, number: str) -> Tournament:
    return (await tournaments.host(number)).tournament


async def resign_all(registry: Registry, tournament: Tournament) -> None:
    """Let the player of the second seat of every game resign."""
    for game in tournament.unfinished_games():
        await (await registry.room(game.table)).submit(commands.Resign(seat=1))


async def count_tables(registry: Registry) -> int:
    counted = sa.select(sa.func.count()).select_from(tables)
    return await registry.store.read(lambda connection: connection.execute(counted).scalar_one())


async def test_a_swiss_tournament_of_people(tmp_path: Path) -> None:
    async with open_services(str(tmp_path / "t.db")) as (registry, tournaments):
        number = await opened(tournaments, 4, format={"kind": "swiss", "rounds": 2})
        running = await tournaments.host(number)
        for played in (1, 2):
            await until(lambda: len(running.tournament.rounds) == played)  # noqa: B023
            await until(lambda: len(running._tables) == 2 * played)  # noqa: B023
            game = running.tournament.rounds[-1].games[0]
            session = (await registry.room(game.table)).session
            accounts = [running.tournament.players[one].account for one in game.seats]
            assert [seat.account for seat in session.seats] == accounts
            assert session.created.tournament == number
            assert session.created.start_within == host.START_SECONDS
            assert not session.help_allowed
            await resign_all(registry, running.tournament)
        await until(lambda: running.tournament.status == "finished")
        assert [line.score for line in standings(running.tournament)] == [2.0, 1.0, 1.0, 0.0]
        assert await count_tables(registry) == 4
        (listed,) = await registry.store.read(partial(rows.listed, statuses=["finished"], limit=5))
        assert (listed["id"], listed["players"], listed["winners"][0]["rank"]) == (number, 4, 1)
        told = await registry.store.read(
            lambda connection: connection.execute(sa.select(notices.c.path)).scalars().all()
        )
        assert told == [f"/tournaments/{number}"] * 4


async def test_an_account_has_a_number_of_tournaments(tmp_path: Path) -> None:
    """Also if it creates several at once."""
    async with open_services(str(tmp_path / "t.db")) as (registry, tournaments):
        most = registry.settings.max_tournaments_per_account
        answers = await asyncio.gather(
            *(opened(tournaments, 2) for _ in range(most + 2)), return_exceptions=True
        )
        refused = [one for one in answers if isinstance(one, ApiError)]
        assert [one.code for one in refused] == ["at_capacity"] * 2
        count = partial(rows.count_unfinished, creator=PEOPLE[0].id)
        assert await registry.store.read(count) == most


async def test_a_crash_between_pairing_and_tables_is_repaired(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some tables exist when the server stops, one has ended since: the next start finds out."""
    create = Registry.create
    calls = 0

    async def failing(self: Registry, *args: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise StoreError("The disk is full.")
        return await create(self, *args, **more)

    async with open_services(database) as (registry, tournaments):
        monkeypatch.setattr(Registry, "create", failing)
        number = await opened(tournaments, 4)
        running = await tournaments.host(number)
        await until(lambda: calls >= 4)
        assert len(running.tournament.rounds) == 1
        (existing,) = running._tables
        assert await count_tables(registry) == 1
        await tournaments.close()  # and nobody listens any more
        monkeypatch.setattr(Tournaments, "_table_changed", lambda *_: None)
        await (await registry.room(existing)).submit(commands.Resign(seat=0))
    monkeypatch.undo()
    monkeypatch.setattr(director, "PAUSE_SECONDS", 0.0)
    async with open_services(database) as (registry, tournaments):
        await tournaments.start()
        again = await tournaments.host(number)
        await until(lambda: len(again._tables) == 2)
        assert await count_tables(registry) == 2
        first = again.tournament.rounds[0]
        assert len(again.tournament.rounds) == 1
        assert {game.table: game.points for game in first.games}[existing] == (0.0, 1.0)
        await resign_all(registry, again.tournament)
        await until(lambda: len(again.tournament.rounds) == 2)


async def test_who_does_not_come_loses_and_is_withdrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "START_SECONDS", 0)
    async with open_services(str(tmp_path / "t.db")) as (_, tournaments):
        number = await opened(tournaments, 2, format={"kind": "round_robin", "double": True})
        running = await tournaments.host(number)
        await until(lambda: running.tournament.over)
        assert all(player.withdrawn for player in running.tournament.players)
        assert all(game.points == (0.0, 0.0) for game in running.tournament.games)


async def test_bots_fill_up_and_an_arena_pairs_people_at_once(tmp_path: Path) -> None:
    async with open_services(str(tmp_path / "t.db")) as (registry, tournaments):
        arena = {"kind": "arena", "minutes": 5}
        body = new_tournament(format=arena, bots={"level": 1, "players": 2})
        rules = NewTournamentIn.model_validate(body).rules(time.time())
        number = (await tournaments.create(PEOPLE[0], rules, None)).tournament.id
        running = await tournaments.host(number)
        await until(lambda: running.tournament.status == "running")
        assert not running.tournament.pending  # bots wait for people
        await tournaments.join(number, PEOPLE[1], 700.0)
        await until(lambda: len(running._tables) == 1)
        (game,) = running.tournament.unfinished_games()
        room = await registry.room(game.table)
        person = game.seats.index(2)
        with pytest.raises(ApiError, match="cannot be undone"):
            await room.submit(commands.Offer(seat=person, offer="takeback"))
        with pytest.raises(
            ApiError, match="rated games and tournaments the computer does not help"
        ):
            await room.submit(commands.UseHint(seat=person, ply=0))
        await room.submit(commands.Resign(seat=person))
        await until(lambda: len(running.tournament.rounds) == 2)
        (after,) = running.tournament.unfinished_games()
        assert set(after.seats) != set(game.seats)  # another bot
        lines = {line.player: line.score for line in standings(running.tournament)}
        assert sorted(lines.values()) == [0.0, 0.0, 2.0]
        assert lines[2] == 0.0


async def test_a_deleted_account_leaves_and_stays_anonymous(tmp_path: Path) -> None:
    anna = PEOPLE[0]
    async with open_services(str(tmp_path / "t.db")) as (registry, tournaments):
        played = await opened(tournaments, 2)
        over = await tournaments.host(played)
        await until(lambda: bool(over._tables))
        await resign_all(registry, over.tournament)
        await until(lambda: over.tournament.over)
        announced = (await state_of(tournaments, await opened(tournaments, 3))).id
        later = NewTournamentIn.model_validate(new_tournament(starts_at=time.time() + 99))
        waiting = (await tournaments.create(anna, later.rules(time.time()), None)).tournament
        await tournaments.rename(anna.id, "Annabel")
        assert over.tournament.players[0].name == over.tournament.opened.creator_name == "Annabel"
        await tournaments.on_account_deleted(DeletedAccount(anna.id, anna.name, "-"))
        for number in (played, announced, waiting.id):
            running = await tournaments.host(number)
            await until(lambda: running.tournament.player_of(anna.id) is None)  # noqa: B023
            await until(lambda: running.tournament.opened.creator == "")  # noqa: B023
        assert (await state_of(tournaments, waiting.id)).status == "cancelled"
        assert (await state_of(tournaments, announced)).players[0].withdrawn is not None
        assert over.tournament.players[0].name == DELETED_NAME
        texts = await registry.store.read(
            lambda connection: [
                *connection.execute(sa.select(rows.tournament_events.c.body)).scalars(),
                *connection.execute(sa.select(rows.tournaments.c.summary)).scalars(),
            ]
        )
        assert not any(anna.name in text or anna.id in text for text in texts)
        assert not any("Annabel" in text for text in texts)
        assert DELETED_NAME in json.dumps(texts)


async def test_joining_twice_late_and_too_late(tmp_path: Path) -> None:
    async with open_services(str(tmp_path / "t.db")) as (_, tournaments):
        body = new_tournament(starts_at=time.time() + 99, max_players=3)
        rules = NewTournamentIn.model_validate(body).rules(time.time())
        number = (await tournaments.create(PEOPLE[0], rules, None)).tournament.id
        for account in PEOPLE[:3]:
            await tournaments.join(number, account, None)
        again = (await tournaments.join(number, PEOPLE[0], None)).tournament
        assert len(again.players) == 3
        with pytest.raises(ApiError, match="full"):
            await tournaments.join(number, PEOPLE[4], None)
        await tournaments.withdraw(number, PEOPLE[1])
        await tournaments.withdraw(number, PEOPLE[1])
        back = (await tournaments.join(number, PEOPLE[1], None)).tournament
        assert [player.withdrawn for player in back.players] == [None] * 3
        with pytest.raises(ApiError, match="not joined"):
            await tournaments.withdraw(number, PEOPLE[4])
        with pytest.raises(ApiError, match="Only its creator"):
            await tournaments.cancel(number, PEOPLE[1])
        cancelled = await tournaments.cancel(number, PEOPLE[1], operator=True)
        assert cancelled.body["state"]["message"] == "An operator cancelled the tournament."
        with pytest.raises(ApiError, match="over"):
            await tournaments.withdraw(number, PEOPLE[0])
        for _ in range(5):
            await opened(tournaments, 5, max_players=8)
        with pytest.raises(ApiError, match="5 tournaments"):
            await opened(tournaments, 5)


async def test_what_another_process_changes_during_a_read_is_read_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_services(str(tmp_path / "teahouse.db")) as (registry, tournaments):
        body = new_tournament(starts_at=None, starts_with=5)
        rules = NewTournamentIn.model_validate(body).rules(time.time())
        found = await tournaments.create(PEOPLE[0], rules, None)
        number = found.tournament.id
        await tournaments.join(number, PEOPLE[0], None)
        elsewhere = Tournaments(registry, Notices(registry))
        await elsewhere.host(number)
        read, reads = registry.store.read, 0

        async def read_slowly(*arguments: Any, **more: Any) -> Any:
            nonlocal reads
            reads += 1
            answer = await read(*arguments, **more)
            if reads == 1:
                await elsewhere.join(number, PEOPLE[1], None)
                found.changed_elsewhere()
            return answer

        monkeypatch.setattr(registry.store, "read", read_slowly)
        found.changed_elsewhere()
        await until(lambda: len(found.tournament.players) == 2)
        await elsewhere.close()


@pytest.mark.parametrize(
    ("players", "rounds", "kills"), [(4, 2, 1), pytest.param(16, 4, 3, marks=pytest.mark.long)]
)
def test_a_killed_server_goes_on_with_the_tournament(
    tmp_path: Path, players: int, rounds: int, kills: int
) -> None:
    tally = play_and_kill(str(tmp_path / "teahouse.db"), players, rounds, kills, seed=1)
    assert (tally.games, tally.kills) == (players // 2 * rounds, kills)
