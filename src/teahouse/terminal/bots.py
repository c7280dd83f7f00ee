"""The bots that take seats."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import teahouse as th


def choose(
    position: th.Position,
    level: int,
    progress: Callable[[th.Analysis], None] | None = None,
    cancel: Event | None = None,
) -> str:
    """The move of the bot of this level; set `cancel` and it answers with the best so far."""
    if len(position.legal) == 1:
        return position.legal[0]
    return th.analyse(
        position, seconds=0.05 * 2 ** (level - 1), threads=2, progress=progress, cancel=cancel
    ).best
