"""Tables are loaded from checkpoints; without one that can be used, from their events."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable

import sqlalchemy as sa

from teahouse.server.settings import ServerSettings
from teahouse.server.storage.store import Store
from teahouse.server.tables.registry import Registry
from teahouse.server.web import messages as ms
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Renderer
from teahouse.session import checkpoint, commands
from teahouse.session.state import CHAT_WINDOW, GameSession

CHATS = CHAT_WINDOW + 20
MOVES = 40
DAMAGES = (
    "UPDATE tables SET checkpoint = NULL",
    "UPDATE tables SET checkpoint = '{'",
    "UPDATE tables SET checkpoint = REPLACE(checkpoint, 'made_by\":\"1', 'made_by\":\"0')",
    "DELETE FROM moves WHERE ply = 3",
    "DELETE FROM moves",
)


def run(database: str, work: Callable[[Registry], Awaitable[None]]) -> None:
    """Run a coroutine function with a registry on a database."""

    async def with_registry() -> None:
        chosen = ServerSettings(database=database)
        store = Store(database)
        store.start()
        registry = Registry(chosen, store, Bots(chosen), Renderer(1), JobPool())
        try:
            await work(registry)
        finally:
            await registry.close()
            await registry.bots.close()
            await registry.renderer.close()
            await registry.jobs.close()
            await store.close()

    asyncio.run(with_registry())


async def play_somewhat(registry: Registry) -> tuple[str, GameSession]:
    """Create a table with moves, takebacks and chat; return its id and session."""
    request = {
        "game": "toot",
        "seats": [{"kind": "local"}, {"kind": "local"}],
        "time_control": {"kind": "realtime", "seconds": 600, "increment": 5},
    }
    table, _ = await registry.create(ms.NewTableIn.model_validate(request))
    room = await registry.room(table)
    rng = random.Random(1)
    for number in range(CHATS):
        await room.submit(commands.Chat(seat=0, text=f'"type":"chatted" {number}'))
        if number >= MOVES:
            continue
        session = room.session
        seat, ply = session.position.player, session.ply
        move = rng.choice(session.position.legal)
        await room.submit(commands.Play(seat=seat, ply=ply, move=move))
        if number % 10 == 9:
            await room.submit(commands.Offer(seat=seat, offer="takeback"))
    await room.submit(commands.Rename(seat=1, name="chatted"))
    return table, room.session


def check_same(loaded: GameSession, session: GameSession) -> None:
    assert checkpoint.save(loaded) == checkpoint.save(session)
    assert checkpoint.saved_moves(loaded) == checkpoint.saved_moves(session)
    assert (loaded.chat, loaded.position, loaded.last) == (
        session.chat,
        session.position,
        session.last,
    )


def test_loading_and_paging(database: str) -> None:
    async def work(registry: Registry) -> None:
        table, session = await play_somewhat(registry)
        found = await registry.store.load(table)
        assert found is not None
        check_same(found.session(), session)
        assert len(found.recent) <= 64
        page = await registry.store.chat(table, session.chat[0].seq)
        assert [one.text for one in page] == [f'"type":"chatted" {at}' for at in range(20)]
        assert await registry.store.chat(table, page[0].seq) == []

    run(database, work)


def test_a_checkpoint_is_rebuilt(database: str) -> None:
    async def work(registry: Registry) -> None:
        table, session = await play_somewhat(registry)
        for damage in DAMAGES:
            registry.evict(await registry.room(table))
            with registry.store._engine.begin() as connection:
                connection.execute(sa.text(damage))
            room = await registry.room(table)
            check_same(room.session, session)
            found = await registry.store.load(table)
            assert found is not None
            check_same(found.session(), session)  # without a replay
        assert (await room.body())["seq"] == session.seq

    run(database, work)


def test_events_after_the_checkpoint_are_applied(database: str) -> None:
    """As an interrupted upgrade or another program may leave a table."""

    async def work(registry: Registry) -> None:
        table, session = await play_somewhat(registry)
        with registry.store._engine.connect() as connection:
            saved = connection.execute(sa.text("SELECT checkpoint FROM tables")).scalar_one()
        room = await registry.room(table)
        await room.submit(commands.Chat(seat=0, text="later"))
        registry.evict(room)
        with registry.store._engine.begin() as connection:
            old = sa.text("UPDATE tables SET checkpoint = :saved")
            connection.execute(old, {"saved": saved})
        assert json.loads(saved)["seq"] == session.seq
        loaded = (await registry.room(table)).session
        assert loaded.seq == session.seq + 1
        assert loaded.chat[-1].text == "later"
        check_same(loaded, room.session)

    run(database, work)
