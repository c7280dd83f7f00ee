"""Thumbnails of the games: a position from the middle of a random game."""

from __future__ import annotations

import random
from functools import cache

from teahouse.core.catalog import load

SEED = 7
MIDDLE = 0.55  # of the game's length


@cache
def thumbnail(name: str) -> str:
    """Return a position of a game as SVG, without hands and choices."""
    rng = random.Random(SEED)  # noqa: S311
    positions = [load(name).start(SEED)]
    while not positions[-1].over:
        positions.append(positions[-1].play(rng.choice(positions[-1].legal)))
    middle = positions[int(MIDDLE * len(positions))]
    return middle.svg(page=True, tray=False, coordinates=False, prefix=f"{name}-")
