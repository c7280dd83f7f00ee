"""Rates games once they are over, exactly once, and shows the ratings at their tables."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from functools import partial

from teahouse.server.ratings import rows
from teahouse.server.ratings.eligibility import rated_game
from teahouse.server.ratings.pools import Pool, pools
from teahouse.server.ratings.rating import RatedGame, current
from teahouse.server.ratings.recompute import read_game
from teahouse.server.ratings.scale import Rating
from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.registry import Registry
from teahouse.server.tasks import BackgroundTasks
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.ratings")

RETRY_SECONDS = 5.0


class Ratings:
    """The ratings of all accounts."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._ended: asyncio.Queue[tuple[str, RatedGame | None]] = asyncio.Queue()
        self._caught_up = asyncio.Event()
        self._tasks = BackgroundTasks()
        registry.add_listener(self._changed)

    async def start(self) -> None:
        """Rate the games that ended before a restart, then those that end."""
        await asyncio.to_thread(pools)
        self._tasks.start(self._run())

    async def close(self) -> None:
        """Stop; a game that is not rated yet is rated after the next start."""
        await self._tasks.cancel()

    async def settled(self) -> None:
        """Wait until all games that have ended are rated."""
        await self._caught_up.wait()
        await self._ended.join()

    async def rating_of(self, account_id: str, pool: Pool) -> Rating:
        """Return an account's rating in a pool now."""
        return (await self.ratings_in([account_id], pool))[account_id]

    async def ratings_in(self, ids: Iterable[str], pool: Pool) -> dict[str, Rating]:
        """Return the ratings of accounts in a pool now."""
        wanted = set(ids)
        found = await self._store.read(lambda connection: rows.ratings_in(connection, wanted, pool))
        now = self._store.now().wall
        return {account: current(pool, player, now) for account, player in found.items()}

    def _changed(self, table_id: str, before: GameSession | None, after: GameSession) -> None:
        if before is None:
            return
        if after.over and not before.over and after.created.rated:
            game = rated_game(table_id, after, after.updated)
            self._ended.put_nowait((table_id, game))
        elif [seat.account for seat in after.seats] != [seat.account for seat in before.seats]:
            self._tasks.start(self._show([table_id]))

    async def _run(self) -> None:
        while True:
            try:
                await self._catch_up()
                self._caught_up.set()
                while True:
                    table_id, game = await self._ended.get()
                    try:
                        await self._rate(table_id, game)
                    except StoreError:
                        raise
                    except Exception:
                        log.exception("Rating table %s failed.", table_id)
                    finally:
                        self._ended.task_done()
            except StoreError as error:  # the next catch-up finds what was taken from the queue
                log.warning("Rating games failed; retrying: %s", error)
                await asyncio.sleep(RETRY_SECONDS)

    async def _catch_up(self) -> None:
        """Rate the finished games that are not rated yet."""
        due = await self._store.read(rows.unrated_tables)
        for table_id in due:  # in any order: a game that ended earlier is inserted
            try:
                game = await self._store.read(partial(read_game, table_id=table_id))
            except ValueError as error:
                log.warning("Table %s cannot be rated: %s", table_id, error)
            else:
                await self._rate(table_id, game)

    async def _rate(self, table_id: str, game: RatedGame | None) -> None:
        if game is None:
            now = self._store.now().wall
            await self._store.write(partial(rows.skip, table_id=table_id, time=now))
            return
        await self._show(await self._store.write(partial(rows.apply, game=game)))

    async def _show(self, table_ids: Iterable[str]) -> None:
        """Send new ratings to those who are at these tables."""
        for table_id in table_ids:
            room = self._registry.loaded_room(table_id)
            if room is not None:
                await room.load_ratings()
                room.announce_state()
