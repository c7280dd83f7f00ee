"""Worker processes: a table's worker, interruptions, and workers that crash, hang or grow."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import teahouse as th
from teahouse.server.web.wire import from_json
from teahouse.server.workers.ipc import position_fields
from teahouse.server.workers.pool import (
    MAX_PREEMPTIONS,
    PATIENT,
    Flow,
    Share,
    WorkerError,
    WorkerPool,
)

GAME = th.load("orochi", side=2)
TABLES = ["first", "second"]
FOREVER = 600.0


def request(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "seed": 1, **position_fields(GAME.start()), **fields}


def move(table: str) -> dict[str, Any]:
    return request("choose", level=1, seconds=5.0, table=table, seat=0)


def run_with_pool(
    test: Callable[[WorkerPool], Awaitable[None]], workers: int = 1, memory: int = 1_000
) -> None:
    async def run() -> None:
        pool = WorkerPool(workers, "0", str(memory))
        try:
            await test(pool)
        finally:
            await pool.close()

    asyncio.run(run())


async def choose(pool: WorkerPool, table: str, **options: Any) -> str:
    body = await pool.request(move(table), timeout=60, flow=Flow("address", table), **options)
    return body.decode().strip('"')


def worker_of(pool: WorkerPool, table: str) -> Any:
    return pool._homes[table]


def endless() -> dict[str, Any]:
    game = th.load("orochi")
    return {**request("analyse", seconds=FOREVER), **position_fields(game.start())}


def test_a_table_keeps_its_worker_until_that_is_busy() -> None:
    async def test(pool: WorkerPool) -> None:
        await asyncio.gather(*(choose(pool, table) for table in TABLES))
        homes = [worker_of(pool, table) for table in TABLES]
        assert homes[0] is not homes[1]
        for table in reversed(TABLES):
            assert await choose(pool, table) in GAME.start().legal
        assert [worker_of(pool, table) for table in TABLES] == homes
        long = pool.request(endless(), timeout=FOREVER, flow=Flow("address", "first"))
        busy = asyncio.ensure_future(long)
        while homes[0].running is None:
            await asyncio.sleep(0)
        await choose(pool, "first")
        assert worker_of(pool, "first") is homes[1]
        busy.cancel()

    run_with_pool(test, workers=2)


def test_an_opponents_turn_interrupts_other_work() -> None:
    """The work that was interrupted is done afterwards; work that is cancelled frees its worker."""

    async def test(pool: WorkerPool) -> None:
        hint = asyncio.ensure_future(pool.request(endless(), timeout=FOREVER, share=Share.HINT))
        while pool._workers[0].running is None:
            await asyncio.sleep(0)
        assert await choose(pool, "first") in GAME.start().legal
        while pool._workers[0].running is None:
            await asyncio.sleep(0)
        await asyncio.wait([hint], timeout=1)
        assert not hint.done()
        hint.cancel()
        assert await choose(pool, "second", share=Share.BOT_ONLY) in GAME.start().legal
        async with asyncio.timeout(60):
            while not pool.idle:
                await asyncio.sleep(0.01)
        assert pool.queued == 0

    run_with_pool(test)


@pytest.mark.parametrize("share", PATIENT)
def test_patient_work_is_interrupted_any_number_of_times(share: Share) -> None:
    async def test(pool: WorkerPool) -> None:
        work = asyncio.ensure_future(pool.request(endless(), timeout=FOREVER, share=share))
        for _ in range(MAX_PREEMPTIONS + 1):
            while pool._workers[0].running is None:
                await asyncio.sleep(0)
            assert await choose(pool, "first") in GAME.start().legal
        assert not work.done()
        work.cancel()

    run_with_pool(test)


@pytest.mark.parametrize("fate", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_crashes_or_hangs_is_replaced(fate: signal.Signals) -> None:
    async def test(pool: WorkerPool) -> None:
        await choose(pool, "first")
        before = worker_of(pool, "first")._process.pid
        os.kill(before, fate)
        body = await pool.request(
            move("first"), timeout=0.5, flow=Flow("address", "first"), attempts=9
        )
        assert body.decode().strip('"') in GAME.start().legal
        assert worker_of(pool, "first")._process.pid != before

    run_with_pool(test)


def test_a_worker_that_grew_too_large_is_replaced() -> None:
    async def test(pool: WorkerPool) -> None:
        await choose(pool, "first")
        process = worker_of(pool, "first")._process
        async with asyncio.timeout(60):
            while process.pid is not None:
                await asyncio.sleep(0.01)
        await choose(pool, "first")

    run_with_pool(test, memory=1)


def test_a_served_bot_is_the_bot_in_process() -> None:
    async def test(pool: WorkerPool) -> None:
        game = th.load("toot")
        bot = th.bot(game, 2, seed=1, wait=False)
        position = game.start()
        for _ in range(6):
            choice = {"level": 2, "seconds": FOREVER, "table": "first", "seat": 0}
            body = {**request("choose", **choice), **position_fields(position)}
            move = (await pool.request(body, timeout=FOREVER)).decode().strip('"')
            assert move == bot.choose(position)
            position = position.play(move)

    run_with_pool(test)


def test_a_request_that_fails_says_why() -> None:
    async def test(pool: WorkerPool) -> None:
        with pytest.raises(WorkerError, match="dance"):
            await pool.request(request("dance"), timeout=60)
        await choose(pool, "first")

    run_with_pool(test)


def test_quick_requests_are_sent_together() -> None:
    """Each gets its own answer, also if one fails or the process dies in between."""
    positions = [GAME.start()]
    for _ in range(4):
        positions.append(positions[-1].play(positions[-1].legal[0]))

    async def render(pool: WorkerPool, number: int, **fields: Any) -> bytes:
        body = {
            "kind": "snapshot",
            "number": number,
            "base": None,
            "table_ply": number,
            "last": None,
            **position_fields(positions[number]),
        }
        flow = Flow("address", f"table {number}")
        return await pool.request({**body, **fields}, timeout=60, flow=flow)

    async def run() -> None:
        pool = WorkerPool(2, "0", "1000", max_waiting=4, batch_size=3)
        try:
            numbers = range(len(positions))
            for kill in (False, True):
                if kill:
                    os.kill(worker_of(pool, "table 0")._process.pid, signal.SIGKILL)
                rendered = await asyncio.gather(*(render(pool, number) for number in numbers))
                assert [from_json(one)["ply"] for one in rendered] == [*numbers]
                assert len({id(worker_of(pool, f"table {number}")) for number in numbers}) == 1
            games = ["x" if number == 2 else GAME.name for number in numbers]
            answers = await asyncio.gather(
                *(render(pool, number, game=game) for number, game in enumerate(games)),
                return_exceptions=True,
            )
            failed = [number for number in numbers if isinstance(answers[number], WorkerError)]
            assert failed == [2]
        finally:
            await pool.close()

    asyncio.run(run())


def test_a_worker_whose_server_was_killed_ends_quietly() -> None:
    """Before it could say that it is ready."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "teahouse.server.workers.worker", "0", "1000"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE
    ) as worker:
        os.close(writing)
        assert worker.stderr is not None
        assert (worker.stderr.read(), worker.wait()) == (b"", 0)
