"""Reviews on the server: computed once, stored, continued after a restart, limited, fair."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from support.positions import late_record
from support.servers import ServerProcess
from support.waiting import until

import teahouse as th
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.store import Store
from teahouse.server.study import review_rows
from teahouse.server.study.review_queue import OPENING_PLIES, ReviewedGame, Reviews
from teahouse.server.tables.fair_play import FairPlay
from teahouse.server.web.errors import ApiError
from teahouse.server.web.wire import from_json
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.pool import Flow, WorkerError
from teahouse.session.events import Created, HumanSeat

GAME = th.load(th.games()[0])
TEXT = late_record(GAME, seed=1, count=3).text()
OTHER = late_record(GAME, seed=2, count=3).text()


class ReviewServices:
    """A store with two records, and the services that review them."""

    def __init__(self, database: str, **settings: Any) -> None:
        chosen = ServerSettings(database=database, prepare=False, **settings)
        self.store, self.bots, self.jobs = Store(database), Bots(chosen), JobPool()
        self.fair_play = FairPlay(self.jobs)
        self.reviews = Reviews(self.store, self.bots, self.jobs, self.fair_play)
        self.requested: list[tuple[int, list[int]]] = []
        """The stage and the plies of every request to the workers."""

    async def open(self) -> None:
        self.store.start()
        for record_id, text in (("a" * 10, TEXT), ("b" * 10, OTHER)):
            await self.store.add_record(record_id, text, self.store.now())
        evaluate = self.bots.evaluate

        async def spied(fields: dict[str, Any], *more: Any) -> bytes:
            self.requested.append((fields["stage"], [one["ply"] for one in fields["tasks"]]))
            return await evaluate(fields, *more)

        self.bots.evaluate = spied  # type: ignore[assignment,method-assign]

    async def close(self) -> None:
        await self.reviews.close()
        for service in (self.bots, self.jobs, self.store):
            await service.close()


def with_services(
    database: str, test: Callable[[ReviewServices], Awaitable[None]], **settings: Any
) -> None:
    async def run() -> None:
        services = ReviewServices(database, **settings)
        await services.open()
        try:
            async with asyncio.timeout(120):
                await test(services)
        finally:
            await services.close()

    asyncio.run(run())


def test_a_review_is_computed_once_and_kept(database: str) -> None:
    async def first(services: ReviewServices) -> None:
        with pytest.raises(ApiError, match="no such record"):
            await services.reviews.request("c" * 10, "one")
        game = await services.reviews.request("a" * 10, "one")
        assert await services.reviews.request("a" * 10, "another") is game
        await until(lambda: game.status == "finished")
        assert asdict(game.reviewing.review()) == asdict(th.review(th.Record.parse(TEXT)))
        body = await services.reviews.payload(game, None)
        assert body["status"] == "finished"
        assert body["review"]["complete"]
        assert "review" not in await services.reviews.payload(game, game.revision)

    async def second(services: ReviewServices) -> None:
        services.reviews.start()
        game = await services.reviews.request("a" * 10, "one")
        assert game.status == "finished"
        assert game.reviewing.review().complete
        assert not services.requested

    with_services(database, first)
    with_services(database, second)


def test_an_interrupted_review_goes_on(tmp_path: Path) -> None:
    database = str(tmp_path / "teahouse.db")
    stored: list[int] = []

    async def first(services: ReviewServices) -> None:
        evaluate = services.bots.evaluate

        async def few(fields: dict[str, Any], *more: Any) -> bytes:
            if stored:  # the power is cut in the second slice
                await asyncio.Event().wait()
            fields = {**fields, "tasks": fields["tasks"][:2]}
            found = await evaluate(fields, *more)
            stored.extend(one["ply"] for one in from_json(found))
            return found

        services.bots.evaluate = few  # type: ignore[assignment,method-assign]
        game = await services.reviews.request("a" * 10, "one")
        before = game.revision
        await until(lambda: game.revision > before)

    async def second(services: ReviewServices) -> None:
        services.reviews.start()
        await until(lambda: bool(services.reviews._running))
        game = await services.reviews.get("a" * 10, "")
        await until(lambda: game.status == "finished")
        stage, plies = services.requested[0]
        assert stage == 1
        assert set(plies) == set(range(len(game.positions))) - set(stored)
        assert game.reviewing.review() == th.review(th.Record.parse(TEXT))

    with_services(database, first)
    with_services(database, second)


def test_a_review_without_a_readable_record_is_deleted(tmp_path: Path) -> None:
    async def test(services: ReviewServices) -> None:
        now = services.store.now()
        await services.store.add_record("c" * 10, "[Game a game that is not installed", now)
        await services.store.write(lambda one: review_rows.create(one, "c" * 10, now.wall, 9))
        await services.reviews._resume_unclaimed()
        assert await services.store.read(lambda one: review_rows.unfinished(one, now.wall)) == []
        assert not services.reviews.queued

    with_services(str(tmp_path / "teahouse.db"), test)


def test_a_review_that_goes_on_is_computed_once(tmp_path: Path) -> None:
    """Somebody asks for it while its record is read."""

    async def test(services: ReviewServices) -> None:
        record_id, now, load = "a" * 10, services.store.now().wall, services.reviews._load
        await services.store.write(lambda one: review_rows.create(one, record_id, now, 9))

        async def ask_meanwhile(record_id: str, address: str) -> ReviewedGame:
            game = await load(record_id, address)
            if not address:
                await services.reviews.request(record_id, "one")
            return game

        services.reviews._load = ask_meanwhile  # type: ignore[method-assign]
        await services.reviews._resume_unclaimed()
        assert services.reviews._counts == {"one": 1}

    with_services(str(tmp_path / "teahouse.db"), test)


def test_reviews_that_are_asked_for_at_once_are_limited_too(tmp_path: Path) -> None:
    async def test(services: ReviewServices) -> None:
        asked = [services.reviews.request(one * 10, "one") for one in "ab"]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert {type(one) for one in answers} == {ApiError, ReviewedGame}
        assert services.reviews._counts == {"one": 1}

    with_services(str(tmp_path / "teahouse.db"), test, max_reviews_per_address=1)


def test_limits_and_failures(tmp_path: Path) -> None:
    async def test(services: ReviewServices) -> None:
        block = asyncio.Event()

        async def broken(*_: Any) -> bytes:
            await block.wait()
            raise WorkerError("The worker process failed 3 times.")

        evaluate, services.bots.evaluate = services.bots.evaluate, broken  # type: ignore[assignment,method-assign]
        game = await services.reviews.request("a" * 10, "one")
        with pytest.raises(ApiError, match="still being computed"):
            await services.reviews.request("b" * 10, "one")
        with pytest.raises(ApiError, match="once the review is complete"):
            await services.reviews.retry("a" * 10, 0, game.reviewing.moves[0], Flow("one"))
        block.set()
        await until(lambda: game.status == "failed")
        await until(lambda: services.reviews.queued == 0)
        # A page that waits for the review learns it.
        assert (await services.reviews.get("a" * 10, "one")).status == "failed"
        services.bots.evaluate = evaluate  # type: ignore[method-assign]
        again = await services.reviews.request("a" * 10, "one")
        await until(lambda: again.status == "finished")
        other = await services.reviews.request("b" * 10, "one")
        await until(lambda: other.status == "finished")
        # Only one fits: the oldest has made room.
        stored = await services.store.read(lambda one: review_rows.load(one, "a" * 10))
        assert stored is not None
        assert not stored.exists

    database = str(tmp_path / "teahouse.db")
    with_services(database, test, max_reviews_per_address=1, max_reviews=1)


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_failed_reviews_are_noted_until_they_succeed(database: str) -> None:
    async def test(services: ReviewServices) -> None:
        async def broken(*_: Any) -> bytes:
            raise WorkerError("The worker process failed 3 times.")

        evaluate, services.bots.evaluate = services.bots.evaluate, broken  # type: ignore[assignment,method-assign]
        failed = await services.reviews.request("a" * 10, "one")
        await until(lambda: failed.status == "failed")
        await services.reviews._resume_unclaimed()
        assert services.reviews._failed == {"a" * 10}
        services.bots.evaluate = evaluate  # type: ignore[method-assign]
        await until(lambda: "a" * 10 not in services.reviews._running)
        again = await services.reviews.request("a" * 10, "one")
        await until(lambda: again.status == "finished")
        await services.reviews._resume_unclaimed()
        assert not services.reviews._failed

    with_services(database, test)


def test_no_review_of_a_live_game(tmp_path: Path) -> None:
    async def test(services: ReviewServices) -> None:
        game = await services.reviews.get("a" * 10, "one")
        assert len(game.positions) < OPENING_PLIES
        long = th.Record.new(GAME, 1)
        while len(long.moves) < OPENING_PLIES + 3:
            long.play(long.position.legal[0])
        await services.store.add_record("d" * 10, long.text(), services.store.now())
        seats = (HumanSeat(kind="local"), HumanSeat(kind="local"))
        created = Created(game=GAME.name, options={}, seed=1, start=None, seats=seats)
        states = [long.position.state]
        services.fair_play.add("table", GAME, states, services.store.now().wall, created)
        with pytest.raises(ApiError, match="still being played"):
            await services.reviews.request("d" * 10, "one")
        services.fair_play.forget("table")
        assert (await services.reviews.request("d" * 10, "one")).status != "none"

    with_services(str(tmp_path / "teahouse.db"), test)


def test_requests(server: ServerProcess) -> None:
    _, created = server.request("/api/records", {"text": TEXT})
    record = created["id"]
    status, body = server.request("/api/reviews", {"record": record})
    assert status == 202
    assert body["review"]["moves"]
    revision = -1
    while body["status"] != "finished":
        assert body["status"] in ("waiting", "running")
        assert body["revision"] >= revision
        revision = body["revision"]
        _, body = server.request(f"/api/reviews/{record}")
    review = body["review"]
    _, unchanged = server.request(f"/api/reviews/{record}?since={body['revision']}")
    assert "review" not in unchanged
    start = th.Record.parse(TEXT).positions[0]
    for move in start.legal[:3]:
        status, answer = server.request(f"/api/reviews/{record}/retry", {"ply": 0, "move": move})
        assert status == 200
        assert answer["grade"]
        assert 0 <= answer["loss"] <= 1
    for body, code in (
        ({"ply": 0, "move": "nonsense"}, "illegal_move"),
        ({"ply": len(review["moves"]), "move": "a"}, "invalid"),
        ({"ply": -1, "move": "a"}, "invalid"),
        ({"ply": 0}, "invalid"),
    ):
        status, answer = server.request(f"/api/reviews/{record}/retry", body)
        assert answer["code"] == code
    assert server.request("/api/reviews", {"record": "0" * 10})[0] == 404
    assert server.request("/api/reviews", {"record": "../../etc"})[0] == 422
    assert server.request(f"/api/reviews/{'0' * 10}")[0] == 404
    status, page = server.request(f"/review/{record}")
    assert status == 200
    assert record in page
    assert server.request(f"/review/{'0' * 10}")[0] == 404
