"""Games in progress that everybody may watch, for the first page."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request

from teahouse.server import api
from teahouse.server.api import get_registry
from teahouse.server.ipc import position_fields
from teahouse.server.registry import Registry
from teahouse.server.room import Room
from teahouse.server.sharing import player_names

MAX_GAMES = 6
REFRESH_SECONDS = 3.0
"""How long a list of games and its boards is used again."""

router = APIRouter(prefix="/api", responses=api.router.responses)


class LiveGames:
    """The list of games in progress, made anew at most every few seconds for all visitors."""

    def __init__(self) -> None:
        self._games: list[dict[str, Any]] = []
        self._until = 0.0
        self._lock = asyncio.Lock()

    async def games(self, registry: Registry) -> list[dict[str, Any]]:
        """Return the games with their boards, the latest first."""
        async with self._lock:
            clock = asyncio.get_running_loop()
            if clock.time() >= self._until:
                rooms = registry.listed_rooms(MAX_GAMES)
                self._games = await asyncio.gather(*(_game(registry, room) for room in rooms))
                self._until = clock.time() + REFRESH_SECONDS
            return self._games


async def _game(registry: Registry, room: Room) -> dict[str, Any]:
    session = room.session
    player = session.player
    return {
        "id": room.id,
        "game": session.game.name,
        "title": session.game.title,
        "names": player_names(session),
        "ply": session.ply,
        "to_move": None if player is None else session.game.players[player],
        "svg": await registry.jobs.small_board(room.id, position_fields(session.position)),
    }


@router.get("/live")
async def live(request: Request) -> dict[str, Any]:
    """Return the games in progress that everybody may watch, with their boards as SVG."""
    games: LiveGames = request.app.state.live_games
    return {"games": await games.games(get_registry(request))}
