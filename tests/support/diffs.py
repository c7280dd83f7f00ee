"""Snapshot diffs, applied as `docs/protocol.md` describes."""

from __future__ import annotations

from typing import Any


def apply_diff(before: dict[str, Any], diff: dict[str, Any]) -> dict[str, Any]:
    """Apply a diff to a snapshot."""
    units = before["svg"].encode("utf-16-le")
    svg = "".join(
        units[2 * start : 2 * end].decode("utf-16-le") + added
        for start, end, added in diff["edits"]["svg"]
    )
    return {**before, **diff["values"], "svg": svg}
