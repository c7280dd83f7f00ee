"""Kernels that are compiled in the background."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from teahouse.core.game import Game
from teahouse.server.workers import kernels
from teahouse.server.workers.kernels import KernelPreparation


class FailingOnce:
    """A preparation whose first answer is an error."""

    def __init__(self, *_: Any) -> None:
        self.asked = 0

    def fraction(self, _: Game) -> float:
        self.asked += 1
        if self.asked == 1:
            raise MemoryError
        return 1.0

    def error(self, _: Game) -> None:
        return None

    def close(self) -> None:
        pass


async def test_compiling_goes_on_soon_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that cannot be prepared waits for minutes; an error does not stop the others long."""
    assert kernels.ERROR_SECONDS < kernels.RETRY_SECONDS
    monkeypatch.setattr(kernels, "prepare_in_background", FailingOnce)
    monkeypatch.setattr(kernels, "ERROR_SECONDS", 0.01)
    monkeypatch.setattr(kernels, "POLL_SECONDS", 0.01)
    preparation = KernelPreparation(1)
    preparation.start()
    async with asyncio.timeout(30):
        while not preparation.done:
            await asyncio.sleep(0.01)
    await preparation.close()
