"""Snapshots as differences to the one before, for clients that have it."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import accumulate
from typing import Any, TypeVar

from teahouse.server.tables.snapshots import SnapshotParts

Item = TypeVar("Item")
Edit = tuple[int, int, list[Item]]
"""A range of the list before, and what follows it in the list after."""
CHUNK = 8
"""Items that are compared at once: most of a board is unchanged."""


def snapshot_diff(before: SnapshotParts, after: SnapshotParts) -> dict[str, Any]:
    """Return what turns one snapshot into another one: new values, and edits of long ones."""
    changed = {name: value for name, value in after.items() if value != before[name]}
    edits: dict[str, Any] = {}
    if "svg" in changed:
        edits["svg"] = text_edits(before["svg"], changed.pop("svg"))
    if "legal" in changed:
        edits["legal"] = move_edits(before["legal"], changed.pop("legal"))
    return {"values": changed, "edits": edits}


def text_edits(before: list[str], after: list[str]) -> list[tuple[int, int, str]]:
    """Return the edits of a text that is given in parts; ranges count UTF-16 code units."""
    ascii_only = all(map(str.isascii, before))
    offsets = [*accumulate(map(len if ascii_only else _code_units, before), initial=0)]
    return [
        (offsets[start], offsets[end], "".join(added))
        for start, end, added in list_edits(before, after, before, after)
    ]


def _code_units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def move_edits(
    before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> list[Edit[dict[str, Any]]]:
    """Return the edits of a list of legal moves."""
    keys = [one["move"] for one in before], [one["move"] for one in after]
    return list_edits(before, after, *keys)


def list_edits(
    before: list[Item],
    after: list[Item],
    before_keys: list[Hashable] | list[str],
    after_keys: list[Hashable] | list[str],
) -> list[Edit[Item]]:
    """Return the edits of a list; items that are equal must have equal keys."""
    index = dict(zip(before_keys, range(len(before)), strict=True))
    found: list[Edit[Item]] = []
    start = end = at = 0
    added: list[Item] = []
    while at < len(after):
        if not added:
            if before[end : end + CHUNK] == after[at : at + CHUNK]:
                end, at = min(end + CHUNK, len(before)), at + CHUNK
                continue
            if end < len(before) and before[end] == after[at]:
                end, at = end + 1, at + 1
                continue
        known = index.get(after_keys[at])
        if known is None or before[known] != after[at]:
            added.append(after[at])
        else:
            if end > start or added:
                found.append((start, end, added))
            start, end, added = known, known + 1, []
        at += 1
    return [*found, (start, end, added)]
