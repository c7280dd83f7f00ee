"""Requests to render a snapshot: whole, or as the difference to one that was rendered before."""

from __future__ import annotations

import base64
from collections import OrderedDict
from functools import lru_cache
from typing import Any

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.server.tables.snapshot_diffs import snapshot_diff
from teahouse.server.tables.snapshots import SnapshotParts, join_parts, snapshot_parts

MAX_KEPT = 2_000
"""Snapshots to compare with, one of each table: about 50 kB each, so up to 100 MB."""


class SnapshotRenderer:
    """Renders snapshots, and keeps the latest ones by their numbers, to compare others with."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, SnapshotParts] = OrderedDict()

    def render(self, request: dict[str, Any], game: Game) -> dict[str, Any] | None:
        """Return a snapshot or a difference, or None if the one to compare with is not known."""
        base = request["base"]
        if base is not None and base not in self._kept:
            return None
        last = request["last"]
        before = last and (position_of(game, last[0], request["ply"] - 1), last[1])
        position = position_of(game, request["state"], request["ply"])
        parts = snapshot_parts(position, request["table_ply"], before)
        self._kept[request["number"]] = parts
        found = join_parts(parts) if base is None else snapshot_diff(self._kept[base], parts)
        if len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return found


@lru_cache(maxsize=500)
def position_of(game: Game, state: str, ply: int) -> Position:
    """Return a position; cached, since the next snapshot draws the last move from it."""
    return Position(game, base64.b64decode(state), ply)
