"""Reviews computed in the background, slice by slice, and stored incrementally.

A slice is a request of the lowest share to the workers that search for bots; a bot's turn at a
table with people preempts it. Requests for the same record share one review.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import math
import secrets
from collections import Counter, OrderedDict
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter

from teahouse.core.catalog import load_untrusted
from teahouse.core.game import Game
from teahouse.core.options import option_texts
from teahouse.core.position import Position
from teahouse.search.evaluations import BUDGETS, FULL, Evaluation
from teahouse.search.review import ReviewedMove, Reviewing
from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.store import Store
from teahouse.server.study import review_rows
from teahouse.server.tables.fair_play import FairPlay
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError
from teahouse.server.web.wire import from_json
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.pool import Flow, WorkerError

log = logging.getLogger("teahouse.server.study.review_queue")

Status = Literal["none", "waiting", "preparing", "running", "finished", "failed"]

MAX_TASKS = 32
"""Positions of one request to a worker."""
OPENING_PLIES = 6
"""Opening plies that are reviewed even while they occur in a live game."""
POLL_SECONDS = 0.5
CLAIM_SECONDS = 3.0
STALE_SECONDS = 15.0
"""Age of a claim from which its process counts as dead and another may take over."""
FRESH_SECONDS = 1.0
"""How long a review that another process computes is cached."""
MAX_CACHED = 32
TOO_BUSY = "Your move cannot be judged now. Please try again."
NOT_FOUND = "There is no such record."

_evaluations: TypeAdapter[list[Evaluation]] = TypeAdapter(list[Evaluation])


@dataclass
class ReviewedGame:
    """A record's positions and moves, and its review so far."""

    positions: list[Position]
    reviewing: Reviewing
    set_up: bool = False
    """Whether it begins in another position than its game does."""
    status: Status = "none"
    revision: int = field(default_factory=lambda: secrets.randbelow(1 << 32))
    """Grows with every change; after a restart it begins at another number."""
    read: float = 0.0
    """When it was read, if another process may compute it."""

    def task(self, ply: int, move: str | None = None) -> dict[str, Any]:
        """Return what a worker needs to evaluate a position; `move` replaces the one played."""
        position, moves = self.positions[ply], self.reviewing.moves
        return {
            "ply": ply,
            "state": base64.b64encode(position.state).decode(),
            "age": position.ply,
            "move": move or (moves[ply] if ply < len(moves) else None),
        }


class Reviews:
    """All reviews: those in progress, and the latest ones that were read."""

    def __init__(self, store: Store, bots: Bots, jobs: JobPool, fair_play: FairPlay) -> None:
        self._store = store
        self._bots = bots
        self._jobs = jobs
        self._fair_play = fair_play
        self._running: dict[str, ReviewedGame] = {}
        self._counts: Counter[str] = Counter()
        """Reviews in progress by address."""
        self._failed: set[str] = set()
        """Reviews that workers could not compute; only a new request retries them."""
        self._known: OrderedDict[str, ReviewedGame] = OrderedDict()
        self._tasks = BackgroundTasks()

    @property
    def queued(self) -> int:
        """The number of reviews in progress."""
        return len(self._running)

    def start(self) -> None:
        """Resume the reviews that a restart has interrupted."""
        self._tasks.start(self._resume())

    async def _resume(self) -> None:
        while True:
            try:
                await self._resume_unclaimed()
            except StoreError as error:
                log.warning("Resuming reviews failed; retrying: %s", error)
            if not self._store.multi_process:
                return
            await asyncio.sleep(STALE_SECONDS)  # for those of processes that die

    async def _resume_unclaimed(self) -> None:
        """Resume unclaimed reviews; delete those whose records cannot be read."""
        before = self._store.now().wall - STALE_SECONDS
        if self._failed:
            left = await self._store.read(lambda one: review_rows.unfinished(one, math.inf))
            self._failed.intersection_update(left)
        found = await self._store.read(lambda one: review_rows.unfinished(one, before))
        for record_id in found:
            skipped = record_id in self._running or record_id in self._failed
            if skipped or not await self._claim(record_id):
                continue
            try:
                game = await self._load(record_id, "")
            except ApiError as error:
                log.warning("The review of record %s cannot be resumed: %s", record_id, error)
                if error.code != "busy":
                    await self._delete(record_id)
            else:
                if record_id not in self._running:  # somebody may have asked for it meanwhile
                    self._counts[""] += 1
                    self._begin(record_id, game, "")

    async def _delete(self, record_id: str) -> None:
        await self._store.write(lambda connection: review_rows.delete(connection, [record_id]))

    async def close(self) -> None:
        """Stop; what is stored is not lost."""
        await self._tasks.cancel()

    async def request(self, record_id: str, address: str) -> ReviewedGame:
        """Start the review of a record or join it; raise `ApiError` if too many are computed."""
        game = await self.get(record_id, address)
        if game.status == "failed":  # a new request retries it
            if self._known.get(record_id) is game:
                del self._known[record_id]
            game = await self.get(record_id, address)
        if game.status != "none":
            return game
        self._check_room(address)
        await self._check_fair_play(game, address)
        game = await self.get(record_id, address)  # somebody else may have been first
        if game.status == "none":
            self._check_room(address)  # others may have started meanwhile
            game.status = "waiting"
            await self._start(record_id, game, address)
        return game

    def _check_room(self, address: str) -> None:
        """Raise `ApiError` if too many reviews are in progress, for an address or in all."""
        settings = self._bots.settings
        if self._counts[address] >= settings.max_reviews_per_address:
            message = "Reviews for you are still being computed. Please wait for them."
            raise ApiError("busy", message)
        if self._counts.total() >= settings.max_queued_reviews:
            raise ApiError("busy", "Too many games are being reviewed. Please try again later.")

    async def _start(self, record_id: str, game: ReviewedGame, address: str) -> None:
        """Store that there is a review, and compute it unless another process does."""
        now, most = self._store.now().wall, self._bots.settings.max_reviews
        self._counts[address] += 1  # before anything is awaited
        try:
            await self._store.write(
                lambda connection: review_rows.create(connection, record_id, now, most)
            )
            claimed = await self._claim(record_id)
        except BaseException:
            game.status = "none"
            self._uncount(address)
            raise
        if claimed:
            self._begin(record_id, game, address)
        else:
            self._uncount(address)

    def _uncount(self, address: str) -> None:
        self._counts[address] -= 1
        self._counts += Counter()  # drops zeros

    async def _claim(self, record_id: str) -> bool:
        """Return whether this process is to compute a review, or still is."""
        if not self._store.multi_process:
            return True
        now, process = self._store.now().wall, self._store.notifications.process
        return await self._store.write(
            lambda connection: review_rows.claim(connection, record_id, process, now, STALE_SECONDS)
        )

    async def _release(self, record_id: str) -> None:
        """Let other processes compute a review, and this one if somebody asks."""
        with contextlib.suppress(StoreError):  # then the claim expires
            await self._store.write(lambda one: review_rows.release(one, record_id))

    async def _keep_claim(self, record_id: str) -> None:
        claimed = True
        while claimed:
            try:
                claimed = await self._claim(record_id)
            except StoreError as error:
                log.warning("Renewing the claim of review %s failed: %s", record_id, error)
            await asyncio.sleep(CLAIM_SECONDS)

    async def get(self, record_id: str, address: str) -> ReviewedGame:
        """Return a record with its review so far; raise `ApiError` if there is no such record."""
        game = self._running.get(record_id) or self._known.get(record_id)
        if game is not None and self._outdated(record_id, game):
            game = None
            del self._known[record_id]
        if game is None:
            loaded = await self._load(record_id, address)
            # Somebody else may have loaded it meanwhile, or even begun the review.
            game = self._running.get(record_id) or self._known.get(record_id) or loaded
            self._remember(record_id, game)
        return game

    def _outdated(self, record_id: str, game: ReviewedGame) -> bool:
        """Return whether another process may have continued a review."""
        final = record_id in self._running or game.status in ("finished", "failed")
        old = self._store.now().wall - game.read > FRESH_SECONDS
        return self._store.multi_process and not final and old

    async def retry(self, record_id: str, ply: int, move: str, flow: Flow) -> ReviewedMove:
        """Return the grade of another move in a position of a reviewed game."""
        game = await self.get(record_id, flow.address)
        reviewing = game.reviewing
        if game.status != "finished":
            raise ApiError("not_ready", "Retry is possible once the review is complete.")
        if ply >= len(reviewing.moves):
            raise ApiError("invalid", f"ply must be less than {len(reviewing.moves)}.")
        legal = await asyncio.to_thread(lambda: game.positions[ply].legal)
        if move not in legal:
            raise ApiError("illegal_move", "This move is not legal here.", legal)
        graded = await asyncio.to_thread(reviewing.judge, ply, move)
        if graded is None:
            stage = reviewing.known[ply].stage
            try:
                body = await self._bots.evaluate_retry(
                    _request(game, stage, [game.task(ply, move)]), flow
                )
            except WorkerError:
                raise ApiError("busy", TOO_BUSY) from None
            for tried in _evaluations.validate_json(body):
                graded = await asyncio.to_thread(reviewing.judge, ply, move, tried)
        if graded is None:
            raise ApiError("busy", TOO_BUSY)
        return graded

    async def _load(self, record_id: str, address: str) -> ReviewedGame:
        stored = await self._store.read(lambda connection: review_rows.load(connection, record_id))
        if stored is None:
            raise ApiError("not_found", NOT_FOUND)
        found = from_json(await self._jobs.record_positions(stored.text, address))
        game: Game = load_untrusted(found["game"], found["options"])
        positions = [
            Position(game, base64.b64decode(state), found["ply"] + number)
            for number, state in enumerate(found["states"])
        ]
        known = await asyncio.to_thread(stored.known)
        reviewing = Reviewing(game, found["moves"], known)
        now = self._store.now().wall
        status: Status = "finished" if stored.finished else "none"
        if not stored.finished and now - stored.claimed < STALE_SECONDS:
            status = "running"
        return ReviewedGame(positions, reviewing, found["set_up"], status, read=now)

    def _remember(self, record_id: str, game: ReviewedGame) -> None:
        self._known[record_id] = game
        if len(self._known) > MAX_CACHED:
            self._known.popitem(last=False)

    async def _check_fair_play(self, game: ReviewedGame, address: str) -> None:
        """Raise `ApiError` if the game is one that people are still playing."""
        first = 0 if game.set_up else OPENING_PLIES + 1
        await self._fair_play.check(game.positions[first:], address)

    def _begin(self, record_id: str, game: ReviewedGame, address: str) -> None:
        """Compute a review, which has been counted."""
        game.status = "waiting"
        self._running[record_id] = game
        self._tasks.start(self._run(record_id, game, address))

    async def _run(self, record_id: str, game: ReviewedGame, address: str) -> None:
        """Compute a review to its end."""
        claiming = None
        if self._store.multi_process:
            claiming = self._tasks.start(self._keep_claim(record_id))
        try:
            await self._prepare(game, address)
            game.status = "running"
            while True:
                stage, plies = await asyncio.to_thread(game.reviewing.pending)
                if not plies:
                    break
                tasks = [game.task(ply) for ply in plies[:MAX_TASKS]]
                flow = Flow(address, record_id)
                body = await self._bots.evaluate(_request(game, stage, tasks), flow)
                found = _evaluations.validate_json(body)
                if found:  # else the search continues in the next slice
                    await self._add(record_id, game, found)
            await self._store.write(lambda connection: review_rows.finish(connection, record_id))
            game.status = "finished"
        except (WorkerError, StoreError) as error:
            log.warning("The review of record %s failed: %s", record_id, error)
            if claiming is not None and isinstance(error, WorkerError):
                claiming.cancel()
                self._failed.add(record_id)
                await self._release(record_id)
        finally:
            if game.status != "finished":
                game.status = "failed"
            if claiming is not None:
                claiming.cancel()
            game.revision += 1
            del self._running[record_id]
            self._remember(record_id, game)  # also that it failed: pages that wait for it ask
            self._uncount(address)

    async def _add(self, record_id: str, game: ReviewedGame, found: list[Evaluation]) -> None:
        await self._store.write(lambda connection: review_rows.save(connection, record_id, found))
        game.reviewing.known |= {one.ply: one for one in found}
        game.revision += 1

    async def _prepare(self, game: ReviewedGame, address: str) -> None:
        """Wait until the kernels are compiled, if somebody compiles them."""
        kernels, level = self._bots.kernels, BUDGETS[FULL]
        while not await kernels.ready(game.reviewing.game, level):
            kernels.request(game.reviewing.game, address)
            if not kernels.pending(game.reviewing.game):
                return
            game.status = "preparing"
            await asyncio.sleep(POLL_SECONDS)

    async def payload(self, game: ReviewedGame, since: int | None) -> dict[str, Any]:
        """Return the status of a review, and the review itself if it has changed since."""
        fraction = None
        if game.status == "preparing":
            fraction = self._bots.kernels.fraction(game.reviewing.game)
        body: dict[str, Any] = {
            "status": game.status,
            "preparing": None if fraction is None else int(100 * fraction),
            "revision": game.revision,
        }
        if game.revision != since:
            body["review"] = await asyncio.to_thread(lambda: asdict(game.reviewing.review()))
        return body


def _request(game: ReviewedGame, stage: int, tasks: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the fields of a request to a worker."""
    setup = game.reviewing.game
    return {
        "game": setup.name,
        "options": option_texts(setup.options),
        "stage": stage,
        "tasks": tasks,
    }
