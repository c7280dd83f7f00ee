"""Openings: finished games are counted once, anonymously, and moves are looked up."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa
from support.positions import request_of
from support.servers import ServerProcess

import teahouse as th
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.database import opening_moves
from teahouse.server.storage.store import Store
from teahouse.server.study import opening_rows
from teahouse.server.study.opening_routes import OpeningCounts
from teahouse.server.study.openings import OpeningsIn, response
from teahouse.server.tables.registry import Registry
from teahouse.server.web import messages as ms
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Renderer
from teahouse.session import commands

GAME = "orochi"


async def play_and_resign(registry: Registry, **more: Any) -> None:
    """Play the first legal move, after which the next player resigns."""
    seats = [{"kind": "local"}, {"kind": "local"}]
    body = {"game": GAME, "options": {"side": 3}, "seats": seats, **more}
    table, _ = await registry.create(ms.NewTableIn.model_validate(body))
    room = await registry.room(table)
    position = room.session.position
    await room.submit(commands.Play(seat=position.player, move=position.legal[0], ply=0))
    await room.submit(commands.Resign(seat=room.session.position.player))
    assert room.session.over


def test_finished_games_are_counted_once_as_anonymous_counts(database: str) -> None:
    async def run() -> None:
        store = Store(database)
        store.start()
        chosen = ServerSettings(database=database, workers=1)
        registry = Registry(chosen, store, Bots(chosen), Renderer(1), JobPool())
        counts = OpeningCounts(store, registry.jobs, registry.game_finished)
        start = th.load(GAME, side=3).start()
        try:
            for _ in range(2):
                await play_and_resign(registry)
            await play_and_resign(registry, start=str(start.play(start.legal[5])))  # set up
            assert registry.game_finished.is_set()
            assert await counts.count_some() == 3
            assert await counts.count_some() == 0
            _, found = await registry.jobs.openings(
                OpeningsIn.model_validate(request_of(start)), ""
            )
            played = await store.read(
                lambda connection: opening_rows.results(
                    connection, GAME, found["options_key"], found["key"]
                )
            )
            rows = await store.read(
                lambda connection: connection.execute(sa.select(opening_moves)).all()
            )
        finally:
            await registry.close()
            await registry.bots.close()
            await registry.renderer.close()
            await registry.jobs.close()
            await store.close()
        assert [(row.outcome, row.games) for row in rows] == [(0, 2)]
        assert set(opening_moves.c.keys()) == {
            *("game", "options", "position", "after", "outcome", "games")
        }
        answer = response(found, played)
        (move,) = answer["server"]["moves"]
        assert start.legal[0] in (move["move"], *move["images"])
        assert (move["games"], move["wins"], move["draws"]) == (2, (2, 0), 0)
        assert move["description"] == start.describe(move["move"], "imperative")
        assert answer["sides"] == [["White"], ["Black"]]

    asyncio.run(run())


@pytest.mark.parametrize("name", th.games())
def test_openings_over_http(server: ServerProcess, name: str) -> None:
    start = th.load(name).start(seed=1)
    status, found = server.request("/api/openings", request_of(start))
    assert status == 200
    assert found["known"]
    assert found["side"] == start.game.side(start.player)
    shares = [move["games"] for move in found["bots"]["moves"]]
    assert shares == sorted(shares, reverse=True)
    for move in found["bots"]["moves"]:
        assert sum(move["wins"]) + move["draws"] == move["games"]
        assert {move["move"], *move["images"]} <= set(start.legal)
        assert move["description"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"position": "nonsense"}, "must end with the number of moves"),
        ({"options": {"sice": 3}}, "Unknown option 'sice'"),
        ({"position": 3}, "Position must be text"),
        ({"game": "chess"}, "Unknown game 'chess'"),
    ],
)
def test_bad_requests_are_rejected(
    server: ServerProcess, more: dict[str, Any], message: str
) -> None:
    body = {**request_of(th.load(GAME).start()), **more}
    status, found = server.request("/api/openings", body)
    assert status in (400, 422)
    assert message in str(found)


def test_positions_beyond_the_opening_are_not_looked_up(server: ServerProcess) -> None:
    text = f"{str(th.load(GAME).start()).rpartition(' ')[0]} 60"
    body = request_of(th.load(GAME).position(text))
    status, found = server.request("/api/openings", body)
    assert (status, found["known"], found["bots"]["moves"]) == (200, False, [])
