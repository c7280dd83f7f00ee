"""Games being played, for everybody to watch: their boards, kept up to date while anybody looks."""

from __future__ import annotations

import asyncio
import base64
import gzip
import heapq
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from teahouse.server.lobby.members import Members
from teahouse.server.tables import rows as table_rows
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.room import Room
from teahouse.server.web.errors import ApiError
from teahouse.server.web.sharing import player_names
from teahouse.server.workers.ipc import position_fields
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.lobby.live_games")

MAX_GAMES = 8
REFRESH_SECONDS = 1.0
RECENT_SECONDS = 3.0
LISTED_SECONDS = 300.0
"""With several processes, how long a game without a change stays listed."""
MEMBERS_PER_SECOND = 200
"""Boards are sent to so many in a second; with more of them, each board is sent less often."""


@dataclass(frozen=True)
class LiveGame:
    """A game being played, with its board."""

    version: tuple[int, int]
    """The revision of the position, and the number of spectators."""
    fields: dict[str, Any]
    svg: str
    packed: str
    """The board compressed, in base64: a tenth of it."""

    @property
    def body(self) -> dict[str, Any]:
        """The game as it is sent over HTTP, which compresses by itself."""
        return {**self.fields, "svg": self.svg}

    @property
    def message(self) -> dict[str, Any]:
        """The game as it is sent on sockets."""
        return {**self.fields, "svg_gzip": self.packed}


class LiveGames:
    """The latest listed games with their boards; a board is drawn once for each position."""

    def __init__(self, registry: Registry, members: Members) -> None:
        self._registry = registry
        self._members = members
        self._known: dict[str, LiveGame] = {}
        self._refreshed = float("-inf")
        self._lock = asyncio.Lock()
        self.games: list[LiveGame] = []

    async def run(self, changed: Callable[[], None]) -> None:
        """Keep games and counts up to date while anybody is in the lobby."""
        while True:
            await asyncio.sleep(max(REFRESH_SECONDS, len(self._members) / MEMBERS_PER_SECOND))
            if not len(self._members):
                continue
            try:
                await self._refresh()
                changed()
            except ApiError as error:  # the worker that draws is busy
                log.info("Rendering the boards of live games failed: %s", error)
            except Exception:
                log.exception("Refreshing the list of live games failed.")

    @property
    def counts(self) -> tuple[float, float]:
        """The number of people, and of games that have begun and are not over.

        Accounts are in the lobby from whatever page they look at; guests may be at a table instead.
        A table that is watched through n processes counts 1/n in each.
        """
        guests = games = 0.0
        multi_process = self._registry.store.multi_process
        for room in self._registry.rooms:
            session = room.session
            if not session.over:
                share = 1 / (1 + room.subscribers.other_processes)
                games += share if session.ply and (room.watched or not multi_process) else 0
                guests += share * _guests(session) if room.watched else 0
        return self._members.visitors + guests, games

    async def recent(self) -> list[LiveGame]:
        """Return the games as they were a moment ago, also while nobody is in the lobby."""
        async with self._lock:
            if asyncio.get_running_loop().time() - self._refreshed > RECENT_SECONDS:
                await self._refresh()
        return self.games

    async def _refresh(self) -> None:
        """Draw the boards that have changed."""
        rooms = await self._listed_rooms()
        self.games = list(await asyncio.gather(*map(self._game, rooms)))
        self._known = dict(zip((room.id for room in rooms), self.games, strict=True))
        self._refreshed = asyncio.get_running_loop().time()

    async def _listed_rooms(self) -> list[Room]:
        """Return the rooms of games in progress that everybody may watch, the latest first."""
        store = self._registry.store
        if not store.multi_process:
            shown = (
                room
                for room in self._registry.rooms
                if room.session.created.listed and room.session.ply and not room.session.over
            )
            return heapq.nlargest(MAX_GAMES, shown, key=lambda room: room.last_used)
        since = store.now().wall - LISTED_SECONDS
        rooms = []
        for table_id in await store.read(
            lambda connection: table_rows.listed_tables(connection, since, MAX_GAMES)
        ):
            try:
                rooms.append(await self._registry.room(table_id))
            except ApiError as error:
                log.info("Table %s is not listed: %s", table_id, error)
        return rooms

    async def _game(self, room: Room) -> LiveGame:
        session, known = room.session, self._known.get(room.id)
        version = (session.revision, room.spectators)
        if known is not None and known.version == version:
            return known
        if known is not None and known.version[0] == session.revision:
            svg, packed = known.svg, known.packed
        else:
            position = position_fields(session.position)
            svg = await self._registry.jobs.small_board(room.id, position)
            packed = await asyncio.to_thread(_pack, svg)
        player = session.player
        fields = {
            "id": room.id,
            "game": session.game.name,
            "title": session.game.title,
            "names": player_names(session),
            "ply": session.ply,
            "to_move": None if player is None else session.game.players[player],
            "rated": session.created.rated,
            "spectators": version[1],
        }
        return LiveGame(version, fields, svg, packed)


def _guests(session: GameSession) -> int:
    """Return how many guests have taken a seat; all on one device count as one."""
    remote = local = 0
    for seat in session.seats:
        if seat.account is None and seat.joined:
            remote += seat.kind == "remote"
            local |= seat.kind == "local"
    return remote + local


def _pack(svg: str) -> str:
    return base64.b64encode(gzip.compress(svg.encode(), mtime=0)).decode()
