"""Fair play: no help by the computer in positions of live games between people.

The index holds the last positions of every such game. A question about one of them, about its
mirror image, or about a position one move further is rejected, whoever asks. The game's own start
is everybody's, so it is not in the index.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from teahouse.core.canonical import state_key
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.server.errors import ApiError
from teahouse.server.job_pool import JobPool
from teahouse.session.events import Correspondence, Created
from teahouse.session.state import GameSession

PAST_POSITIONS = 12
"""Positions of a game that are in the index: the current one and those before it."""
NEAR_TABLES = 100
"""Games with the latest moves, whose mirror images and next positions are compared as well."""
MIRRORED_POSITIONS = 4
"""Positions of each of them whose mirror images are compared."""
LIVE_SECONDS = 3 * 86_400.0
"""A game without days for a move that nobody has continued for so long is not live."""
CACHED_KEYS = 4_000
MESSAGE = (
    "This position is from a game between people that is still being played, so the computer does"
    " not help with it. Ask again once that game is over."
)

PositionKey = bytes
"""A game and a state: a position, however many moves have led to it."""


@dataclass(frozen=True)
class LiveGame:
    """The last positions of a live game between people, the current one at the end."""

    game: bytes
    states: tuple[bytes, ...]
    updated: float
    by_days: bool

    @property
    def keys(self) -> list[PositionKey]:
        """The keys of its positions."""
        return [self.game + state for state in self.states]


class FairPlay:
    """The positions of all live games between people."""

    def __init__(self, jobs: JobPool) -> None:
        self._jobs = jobs
        self._tables: OrderedDict[str, LiveGame] = OrderedDict()
        """The latest moves last."""
        self._counts: Counter[PositionKey] = Counter()
        self._mirrored: OrderedDict[PositionKey, str] = OrderedDict()
        """Canonical keys of positions."""
        self._next: OrderedDict[PositionKey, frozenset[str]] = OrderedDict()
        """Keys of the positions after each move."""

    def __len__(self) -> int:
        return len(self._tables)

    def watch(self, table: str, session: GameSession) -> None:
        """Update the index with the current session of a table."""
        if session.help_allowed or session.seq == 1:  # nobody has joined yet
            self.forget(table)
            return
        states = session.states[-PAST_POSITIONS:]
        if len(states) < PAST_POSITIONS and session.created.start:
            states.insert(0, session.start.state)
        self.add(table, session.game, states, session.updated, session.created)

    def add(
        self, table: str, game: Game, states: Sequence[bytes], updated: float, created: Created
    ) -> None:
        """Put the last positions of a table into the index, in place of earlier ones."""
        self.forget(table)
        by_days = isinstance(created.time_control, Correspondence)
        live = LiveGame(_game_key(game), tuple(states), updated, by_days)
        self._tables[table] = live
        self._counts.update(live.keys)

    def forget(self, table: str) -> None:
        """Remove a table from the index."""
        live = self._tables.pop(table, None)
        if live is not None:
            for key in live.keys:
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
        if any(_game_key(one.game) + one.state in self._counts for one in positions):
            raise ApiError("fair_play", MESSAGE)

    async def check(self, position: Position, address: str) -> None:
        """Raise `ApiError` if a position, or its mirror image, is of a live game or follows one."""
        self.check_exactly([position])
        game = _game_key(position.game)
        near = [live for live in self._tables.values() if live.game == game and live.states]
        if not near:
            return
        near = near[-NEAR_TABLES:]
        mirrored = [key for one in near for key in one.keys[-MIRRORED_POSITIONS:]]
        current = [one.keys[-1] for one in near]
        asked = game + position.state
        await self._compute(position.game, [asked, *mirrored], current, address)
        image, reached = self._mirrored.get(asked), state_key(position.state)
        if any(self._mirrored.get(one, "") == image for one in mirrored) or any(
            reached in self._next.get(one, ()) for one in current
        ):
            raise ApiError("fair_play", MESSAGE)

    async def _compute(
        self,
        game: Game,
        mirrored: Sequence[PositionKey],
        current: Sequence[PositionKey],
        address: str,
    ) -> None:
        """Compute the canonical keys of positions, and of others the keys of the next ones."""
        images = [one for one in dict.fromkeys(mirrored) if one not in self._mirrored]
        before = [one for one in dict.fromkeys(current) if one not in self._next]
        if not images and not before:
            return
        for cache in (self._mirrored, self._next):  # before the keys that are needed now are added
            while len(cache) > CACHED_KEYS:
                cache.popitem(last=False)
        skip = len(_game_key(game))
        found = await self._jobs.position_keys(
            game, [key[skip:] for key in images], [key[skip:] for key in before], address
        )
        self._mirrored.update(zip(images, found["canonical"], strict=True))
        self._next.update(zip(before, map(frozenset, found["next"]), strict=True))


def _game_key(game: Game) -> bytes:
    """Return the part of a position's key that its game has."""
    return repr(game).encode()
