"""Pictures of the games: a position in the middle of one, drawn for a page."""

from __future__ import annotations

import random
from functools import cache

from teahouse.core.catalog import load

SEED = 7
MIDDLE = 0.55


@cache
def picture(name: str) -> str:
    """A position that came about in play, as SVG without hands and choices."""
    chance = random.Random(SEED)  # noqa: S311
    positions = [load(name).start(SEED)]
    while not positions[-1].over:
        positions.append(positions[-1].play(chance.choice(positions[-1].legal)))
    middle = positions[int(MIDDLE * len(positions))]
    return middle.svg(page=True, tray=False, coordinates=False, prefix=f"{name}-")
