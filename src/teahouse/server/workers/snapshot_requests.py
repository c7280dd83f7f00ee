"""Requests to render a snapshot: whole, or as a diff to an earlier one."""

from __future__ import annotations

import base64
from collections import OrderedDict
from functools import lru_cache
from typing import Any

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.server.tables.snapshot_diffs import SnapshotParts

MAX_KEPT = 2_000
"""Snapshots to compare with, about 10 kB each, so up to 20 MB. Equal games share them."""

RENDERED_ONCE = ("scene", "legal", "_click_paths", "_targets")
"""What the next snapshot does not need of a position: dropped, so that its memory is used again."""


class SnapshotRenderer:
    """Renders snapshots, and keeps the latest ones by their numbers, to compare others with."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, SnapshotParts] = OrderedDict()

    def render(self, request: dict[str, Any], game: Game) -> bytes:
        """Return a snapshot or a diff as JSON; null if its base is unknown."""
        base = request["base"]
        known = self._kept.get(base)
        if base is not None and known is None:
            return b"null"
        last = request["last"]
        before = last and (position_of(game, last[0], request["ply"] - 1), last[1])
        position = position_of(game, request["state"], request["ply"])
        parts = SnapshotParts.of(position, request["table_ply"], before)
        for name in RENDERED_ONCE:
            vars(position).pop(name, None)
        self._kept[request["number"]] = parts
        found = parts.diff(known) if known else parts.whole()
        if len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return found


@lru_cache(maxsize=500)
def position_of(game: Game, state: str, ply: int) -> Position:
    """Return a position; cached, since the next snapshot draws the last move from it."""
    return Position(game, base64.b64decode(state), ply)
