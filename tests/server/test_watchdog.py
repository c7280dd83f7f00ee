"""The watchdog sees stalls of the event loop and says what was running."""

from __future__ import annotations

import asyncio
import logging
import time

import pytest

from teahouse.server.operations import watchdog as wd


def test_stalls_are_counted_and_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wd, "START_SECONDS", 0.0)

    def busy_parser() -> None:
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass

    async def run() -> wd.StallCounts:
        watchdog = wd.Watchdog()
        watchdog.start()
        await asyncio.sleep(0.05)
        busy_parser()
        await asyncio.sleep(0.05)
        await watchdog.close()
        return watchdog.counts

    with caplog.at_level(logging.INFO):
        counts = asyncio.run(run())
    assert counts.stalls >= 1
    assert counts.longest_ms >= counts.longest_work_ms >= 200
    assert counts.total_ms >= counts.longest_ms
    assert "busy_parser" in caplog.text
