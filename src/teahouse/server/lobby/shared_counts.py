"""Players, games and challengeable bots of other processes.

Each process publishes its counts when they change and every few seconds; they expire otherwise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from teahouse.server.storage.notifications import pack, unpack
from teahouse.server.storage.store import Store
from teahouse.server.tasks import BackgroundTasks

TOPIC = "lobby"
CHECK_SECONDS = 2.0
REPEAT_SECONDS = 10.0
EXPIRY_SECONDS = 25.0

BotsOnline = dict[str, dict[str, Any]]
"""Bot accounts by id, as they are listed."""


@dataclass
class LobbyPresence:
    """The players, games and bots of one process."""

    players: float = 0.0
    games: float = 0.0
    """A game that is watched through n processes counts 1/n in each."""
    bots: BotsOnline = field(default_factory=dict)
    until: float = 0.0


class SharedCounts:
    """Publishes the counts of this process, and adds up those of the others."""

    def __init__(self, store: Store, here: Callable[[], LobbyPresence]) -> None:
        self._store = store
        self._here = here
        self._elsewhere: dict[str, LobbyPresence] = {}
        self._tasks = BackgroundTasks()

    def start(self) -> None:
        """Subscribe to the other processes, and start publishing."""
        self._store.notifications.subscribe(TOPIC, self._on_notification)
        self._tasks.start(self._repeat())

    async def close(self) -> None:
        """Stop publishing."""
        await self._tasks.cancel()

    @property
    def elsewhere(self) -> LobbyPresence:
        """The total of the other processes."""
        total = LobbyPresence()
        for one in self._elsewhere.values():
            total.players += one.players
            total.games += one.games
            total.bots.update(one.bots)
        return total

    def _on_notification(self, text: str) -> None:
        now = asyncio.get_running_loop().time()
        for item in text.split(" "):
            body = unpack(item)
            present = self._elsewhere.setdefault(body["process"], LobbyPresence())
            if "bot" in body:
                present.bots[body["bot"]["id"]] = body["bot"]["body"]
            else:
                present.players, present.games = body["players"], body["games"]
                present.bots = {
                    one: present.bots[one] for one in body["bots"] if one in present.bots
                }
                present.until = now + EXPIRY_SECONDS

    async def _repeat(self) -> None:
        published, due = LobbyPresence(), 0.0
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            now, here = asyncio.get_running_loop().time(), self._here()
            self._elsewhere = {key: one for key, one in self._elsewhere.items() if one.until > now}
            if here != published or now >= due:
                self._publish(here)
                published, due = here, now + REPEAT_SECONDS

    def _publish(self, here: LobbyPresence) -> None:
        process = {"process": self._store.notifications.process}
        counts = {"players": here.players, "games": here.games, "bots": sorted(here.bots)}
        items = [pack({**process, **counts})]
        for key, bot in here.bots.items():
            items.append(pack({**process, "bot": {"id": key, "body": bot}}))
        self._store.publish(TOPIC, items)
