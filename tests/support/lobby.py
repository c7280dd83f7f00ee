"""A lobby in process, on a real database, and visitors without sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import teahouse as th
from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.models import Account
from teahouse.server.lobby.lobby import Lobby
from teahouse.server.lobby.members import Member
from teahouse.server.lobby.messages import SeekIn
from teahouse.server.lobby.models import Visitor
from teahouse.server.lobby.relations import Relations
from teahouse.server.ratings.service import Ratings
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.store import Store
from teahouse.server.tables.quota import TableQuota
from teahouse.server.tables.registry import Registry
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Renderer

GAME = th.games()[0]


class Inbox:
    """A connection that keeps what it is sent."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.closed = False

    def send(self, message: str) -> None:
        self.messages.append(json.loads(message))

    def disconnect(self, code: int, reason: str) -> None:
        self.closed = True

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [one for one in self.messages if one["type"] == kind]


@asynccontextmanager
async def running_lobby(database: str) -> AsyncIterator[Lobby]:
    """Run a lobby on a database."""
    chosen = ServerSettings(database=database)
    store = Store(database)
    store.start()
    registry = Registry(chosen, store, Bots(chosen), Renderer(1), JobPool())
    await registry.start()
    lobby = Lobby(registry, TableQuota(chosen), Relations(store, Ratings(registry)))
    await lobby.start()
    try:
        yield lobby
    finally:
        await lobby.close()
        await registry.close()
        await registry.bots.close()
        await registry.renderer.close()
        await registry.jobs.close()
        await store.close()


def in_lobby(
    test: Callable[[Lobby], Coroutine[Any, Any, None]],
) -> Callable[[Path], None]:
    """Run a test in the lobby of a new database."""

    def run(tmp_path: Path) -> None:
        async def main() -> None:
            async with running_lobby(str(tmp_path / "teahouse.db")) as lobby:
                await test(lobby)

        asyncio.run(main())

    run.__doc__ = test.__doc__
    return run


async def enter(lobby: Lobby, visitor: Visitor, *, follows: bool = True) -> tuple[Member, Inbox]:
    inbox = Inbox()
    member = Member(visitor, inbox, "127.0.0.1", boards=False, follows=follows)
    await lobby.enter(member)
    return member, inbox


def guest(name: str) -> Visitor:
    return Visitor(f"guest:{name}", name)


async def account(lobby: Lobby, name: str) -> Visitor:
    """Return the visitor of a new account."""
    created = Account(name.lower().ljust(10, "x"), name, "person", None, 0.0, None, False)
    await lobby.registry.store.write(lambda one: account_rows.add(one, created, None))
    return Visitor.of(created)


def seek(pace: str = "10+5") -> SeekIn:
    return SeekIn.model_validate({"type": "seek", "id": 1, "game": GAME, "pace": pace})
