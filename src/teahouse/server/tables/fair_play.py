"""Fair play: no help by the computer in positions of live games between people.

The index holds the last positions of every such game. A question about one of them, about its
mirror image, or about a position one move further is rejected for all clients and with any
options of the game. The game's own start position is not in the index.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.server.tables.rows import LiveTable
from teahouse.server.tables.setup import load_setup
from teahouse.server.web.errors import ApiError
from teahouse.server.workers.job_pool import JobPool
from teahouse.session import checkpoint
from teahouse.session.events import Correspondence, Created
from teahouse.session.state import GameSession

PAST_POSITIONS = 12
"""Positions of a game that are in the index: the current one and those before it."""
NEAR_TABLES = 100
"""Games with the latest moves, whose mirror images and next positions are compared as well."""
MIRRORED_POSITIONS = 4
"""Positions of each of them whose mirror images are compared."""
LIVE_SECONDS = 3 * 86_400.0
"""A game without a correspondence clock is not live after this time without a move."""
MAX_COMPARED = 100
"""Positions of one request to the job worker."""
CACHED_KEYS = 4_000
MESSAGE = (
    "This position is from a game between people, a rated game or a tournament that is still being"
    " played, so the computer does not help with it. Ask again once that game is over."
)

PositionKey = tuple[str, bytes]
"""The name of a game and a state: a position, however many moves have led to it.

Options are left out, since many, such as a start layout, do not matter in a position.
"""


KeyCache = OrderedDict[tuple[Game, bytes], frozenset[str]]
"""Keys to compare with, for a state of a game."""


@dataclass(frozen=True)
class IndexedGame:
    """The last positions of a live game between people, the current one at the end."""

    game: Game
    states: tuple[bytes, ...]
    updated: float
    by_days: bool

    @property
    def keys(self) -> list[PositionKey]:
        """The keys of its positions."""
        return [(self.game.name, state) for state in self.states]


class FairPlay:
    """The positions of all live games between people."""

    def __init__(self, jobs: JobPool) -> None:
        self._jobs = jobs
        self._tables: OrderedDict[str, IndexedGame] = OrderedDict()
        """The latest moves last."""
        self._counts: Counter[PositionKey] = Counter()
        self.refresh: Callable[[], Awaitable[None]] | None = None
        """Refreshes the index from other processes; None with a single process."""
        self._images: KeyCache = OrderedDict()
        """Keys that a position shares with its mirror images, and with other options."""
        self._next: KeyCache = OrderedDict()
        """Keys of the positions after each move."""

    def __len__(self) -> int:
        return len(self._tables)

    @property
    def tables(self) -> list[str]:
        """The ids of the tables in the index."""
        return list(self._tables)

    def watch(self, table: str, session: GameSession) -> None:
        """Update the index with the current session of a table."""
        if session.help_allowed or session.seq == 1:  # nobody has joined yet
            self.forget(table)
            return
        states = session.states[-PAST_POSITIONS:]
        if len(states) < PAST_POSITIONS and session.created.start:
            states.insert(0, session.start.state)
        self.add(table, session.game, states, session.updated, session.created)

    async def watch_stored(self, tables: Iterable[LiveTable], now: float) -> list[str]:
        """Put stored games that are live into the index.

        Return the tables whose states are of another version: they have to be replayed.
        """
        outdated = []
        for table in tables:
            created, states = table.created, table.states
            try:
                game, start = load_setup(created.game, created.options, created.start)
            except ApiError:  # the game is not installed any more
                continue
            if not checkpoint.same_layout(table.made_by, game):
                outdated.append(table.id)
                continue
            if start and len(states) < PAST_POSITIONS:
                states.insert(0, game.position(start).state)
            self.add(table.id, game, states, table.updated, created)
            await asyncio.sleep(0)
        self.forget_idle(now)
        return outdated

    def add(
        self, table: str, game: Game, states: Sequence[bytes], updated: float, created: Created
    ) -> None:
        """Put the last positions of a table into the index, in place of earlier ones."""
        by_days = isinstance(created.time_control, Correspondence)
        live = IndexedGame(game, tuple(states), updated, by_days)
        known = self._tables.pop(table, None)
        self._tables[table] = live
        kept = live.states[:-1]
        if known is not None and kept and known.states[-len(kept) :] == kept:  # one more move
            self._uncount(known, known.states[: -len(kept)])
            self._counts[game.name, live.states[-1]] += 1
            return
        if known is not None:
            self._uncount(known, known.states)
        self._counts.update(live.keys)

    def forget(self, table: str) -> None:
        """Remove a table from the index."""
        live = self._tables.pop(table, None)
        if live is not None:
            self._uncount(live, live.states)

    def _uncount(self, live: IndexedGame, states: Iterable[bytes]) -> None:
        for state in states:
            key = (live.game.name, state)
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]

    def forget_idle(self, now: float) -> None:
        """Remove games that are not live any more."""
        for table, live in list(self._tables.items()):
            if not live.by_days and now - live.updated > LIVE_SECONDS:
                self.forget(table)

    def check_exactly(self, positions: Iterable[Position]) -> None:
        """Raise `ApiError` if one of these positions is in the index."""
        if any((one.game.name, one.state) in self._counts for one in positions):
            raise ApiError("fair_play", MESSAGE)

    async def check(self, positions: Sequence[Position], address: str) -> None:
        """Raise `ApiError` if a position of a game, or its mirror image, is live or follows one."""
        if self.refresh is not None:
            await self.refresh()
        self.check_exactly(positions)
        names = {one.game.name for one in positions}
        near = [one for one in self._tables.values() if one.game.name in names and one.states]
        if not near:
            return
        by_game: dict[Game, list[IndexedGame]] = {}
        for one in near[-NEAR_TABLES:]:
            by_game.setdefault(one.game, []).append(one)
        refused: set[str] = set()
        for game, live in by_game.items():
            recent = [state for one in live for state in one.states[-MIRRORED_POSITIONS:]]
            refused |= await self._keys(game, recent, [one.states[-1] for one in live], address)
        for first in range(0, len(positions), MAX_COMPARED):
            part = positions[first : first + MAX_COMPARED]
            states = [one.state for one in part]
            if not refused.isdisjoint(await self._keys(part[0].game, states, [], address)):
                raise ApiError("fair_play", MESSAGE)

    async def _keys(
        self, game: Game, states: Sequence[bytes], current: Sequence[bytes], address: str
    ) -> set[str]:
        """Return the keys of states and their mirror images, and of those after current ones."""
        images = {one: self._images.get((game, one)) for one in states}
        after = {one: self._next.get((game, one)) for one in current}
        new_images = [one for one, keys in images.items() if keys is None]
        new_after = [one for one, keys in after.items() if keys is None]
        if new_images or new_after:
            found = await self._jobs.position_keys(game, new_images, new_after, address)
            images.update(zip(new_images, map(frozenset, found["images"]), strict=True))
            after.update(zip(new_after, map(frozenset, found["next"]), strict=True))
            _remember(self._images, game, images)
            _remember(self._next, game, after)
        return set().union(*(keys or () for keys in (*images.values(), *after.values())))


def _remember(cache: KeyCache, game: Game, keys: Mapping[bytes, frozenset[str] | None]) -> None:
    """Add keys to a cache, and drop the oldest ones."""
    cache.update({(game, state): found for state, found in keys.items() if found is not None})
    while len(cache) > CACHED_KEYS:
        cache.popitem(last=False)
