"""Waiting for what is about to happen."""

import asyncio
from collections.abc import Callable
from typing import Any

SECONDS = 120.0


async def until(condition: Callable[[], Any]) -> Any:
    """Return what a condition finds, as soon as that is true; fail if it never is."""
    async with asyncio.timeout(SECONDS):
        while not (found := condition()):
            await asyncio.sleep(0.005)
    return found
