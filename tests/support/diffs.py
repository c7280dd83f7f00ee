"""Differences of snapshots, applied as `docs/protocol.md` describes."""

from __future__ import annotations

from typing import Any


def apply_diff(before: dict[str, Any], diff: dict[str, Any]) -> dict[str, Any]:
    """Return a snapshot with its differences applied."""
    after = {**before, **diff["values"]}
    for name, edits in diff["edits"].items():
        if isinstance(before[name], str):
            units = before[name].encode("utf-16-le")
            after[name] = "".join(
                units[2 * start : 2 * end].decode("utf-16-le") + added
                for start, end, added in edits
            )
        else:
            after[name] = [
                one for start, end, added in edits for one in (*before[name][start:end], *added)
            ]
    return after
