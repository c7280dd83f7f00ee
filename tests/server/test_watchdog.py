"""The watchdog sees stalls of the event loop and says what was running."""

from __future__ import annotations

import asyncio
import logging
import time

import pytest

from teahouse.server.operations import watchdog as wd


async def next_beat(watchdog: wd.Watchdog) -> None:
    last = watchdog._beat
    while watchdog._beat == last:
        await asyncio.sleep(0)


def test_stalls_are_counted_and_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wd, "START_SECONDS", 0.0)
    monkeypatch.setattr(wd, "LOG_SECONDS", 0.0)  # a busy machine stalls too

    def busy_parser() -> None:
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass

    async def run() -> wd.StallCounts:
        watchdog = wd.Watchdog()
        watchdog.start()
        await next_beat(watchdog)
        busy_parser()
        await next_beat(watchdog)
        await watchdog.close()
        return watchdog.counts

    with caplog.at_level(logging.INFO):
        counts = asyncio.run(run())
    assert counts.stalls >= 1
    assert counts.longest_ms >= counts.longest_work_ms >= 200
    assert counts.total_ms >= counts.longest_ms
    assert "busy_parser" in caplog.text
