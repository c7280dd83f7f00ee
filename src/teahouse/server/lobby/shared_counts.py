"""How many are connected to other processes, and which programs can be challenged there.

Told by notifications, repeated every few seconds, and forgotten in time.
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
class Present:
    """Who is in one process's lobby and at its tables."""

    players: float = 0.0
    games: float = 0.0
    """A game that is watched in several processes counts as a part in each."""
    bots: BotsOnline = field(default_factory=dict)
    until: float = 0.0


class SharedCounts:
    """Tells other processes what is counted here, and adds up what they tell."""

    def __init__(self, store: Store, here: Callable[[], Present]) -> None:
        self._store = store
        self._here = here
        self._elsewhere: dict[str, Present] = {}
        self._tasks = BackgroundTasks()

    def start(self) -> None:
        """Follow the other processes."""
        self._store.notifications.subscribe(TOPIC, self._on_notification)
        self._tasks.start(self._repeat())

    async def close(self) -> None:
        """Stop following."""
        await self._tasks.cancel()

    @property
    def elsewhere(self) -> Present:
        """What the other processes count together."""
        total = Present()
        for one in self._elsewhere.values():
            total.players += one.players
            total.games += one.games
            total.bots.update(one.bots)
        return total

    def _on_notification(self, text: str) -> None:
        now = asyncio.get_running_loop().time()
        for word in text.split(" "):
            told = unpack(word)
            present = self._elsewhere.setdefault(told["process"], Present())
            if "bot" in told:
                present.bots[told["bot"]["id"]] = told["bot"]["body"]
            else:
                present.players, present.games = told["players"], told["games"]
                present.bots = {
                    one: present.bots[one] for one in told["bots"] if one in present.bots
                }
                present.until = now + EXPIRY_SECONDS

    async def _repeat(self) -> None:
        told, due = Present(), 0.0
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            now, here = asyncio.get_running_loop().time(), self._here()
            self._elsewhere = {key: one for key, one in self._elsewhere.items() if one.until > now}
            if here != told or now >= due:
                self._tell(here)
                told, due = here, now + REPEAT_SECONDS

    def _tell(self, here: Present) -> None:
        process = {"process": self._store.notifications.process}
        counts = {"players": here.players, "games": here.games, "bots": sorted(here.bots)}
        words = [pack({**process, **counts})]
        for key, body in here.bots.items():
            words.append(pack({**process, "bot": {"id": key, "body": body}}))
        self._store.tell(TOPIC, words)
