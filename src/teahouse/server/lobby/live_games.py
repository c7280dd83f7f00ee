"""Games being played, for everybody to watch: their boards, kept up to date while anybody looks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from teahouse.server.errors import ApiError
from teahouse.server.ipc import position_fields
from teahouse.server.lobby.members import Members
from teahouse.server.registry import Registry
from teahouse.server.room import Room
from teahouse.server.sharing import player_names

log = logging.getLogger("teahouse.server.lobby.live_games")

MAX_GAMES = 8
REFRESH_SECONDS = 1.0
RECENT_SECONDS = 3.0
MEMBERS_PER_SECOND = 200
"""Boards are sent to so many in a second; with more of them, each board is sent less often."""


class LiveGames:
    """The latest listed games with their boards; a board is drawn once for each position."""

    def __init__(self, registry: Registry, members: Members) -> None:
        self._registry = registry
        self._members = members
        self._drawn: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {}
        """By table what was drawn, and for which revision and number of spectators."""
        self._refreshed = float("-inf")
        self._lock = asyncio.Lock()
        self.games: list[dict[str, Any]] = []

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
                log.info("The boards of live games are not drawn: %s", error)
            except Exception:
                log.exception("The list of live games failed.")

    @property
    def counts(self) -> dict[str, int]:
        """The number of connections and of games in progress."""
        registry = self._registry
        return {"players": registry.load["connections"], "games": registry.games_in_progress}

    async def recent(self) -> list[dict[str, Any]]:
        """Return the games as they were a moment ago, also while nobody is in the lobby."""
        async with self._lock:
            if asyncio.get_running_loop().time() - self._refreshed > RECENT_SECONDS:
                await self._refresh()
        return self.games

    async def _refresh(self) -> None:
        """Draw the boards that have changed."""
        rooms = self._registry.listed_rooms(MAX_GAMES)
        games = list(await asyncio.gather(*map(self._game, rooms)))
        shown = {room.id for room in rooms}
        self._drawn = {key: drawn for key, drawn in self._drawn.items() if key in shown}
        self._refreshed = asyncio.get_running_loop().time()
        self.games = games

    async def _game(self, room: Room) -> dict[str, Any]:
        session, spectators = room.session, room.spectators
        version = (session.revision, spectators)
        known = self._drawn.get(room.id)
        if known is not None and known[0] == version:
            return known[1]
        same = known is not None and known[0][0] == session.revision
        player = session.player
        game = {
            "id": room.id,
            "game": session.game.name,
            "title": session.game.title,
            "names": player_names(session),
            "ply": session.ply,
            "to_move": None if player is None else session.game.players[player],
            "rated": session.created.rated,
            "spectators": spectators,
            "svg": known[1]["svg"]
            if known is not None and same
            else await self._registry.jobs.small_board(room.id, position_fields(session.position)),
        }
        self._drawn[room.id] = (version, game)
        return game
