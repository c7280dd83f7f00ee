"""Snapshots as differences to the one before, for clients that have it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import orjson

from teahouse.core.position import Position
from teahouse.server.tables.snapshots import snapshot_fields
from teahouse.session.state import LastMove

Edit = tuple[int, int, list[str]]
"""A range of the list before, and what follows it in the list after."""
CHUNK = 8
"""Items that are compared at once: most of a board is unchanged."""


@dataclass(frozen=True, slots=True)
class SnapshotParts:
    """A snapshot in parts that can be compared, as small as possible: one is kept for each table.

    What it is made of is many times as large; keeping that slows down every allocation.
    """

    svg: list[str]
    values: dict[str, bytes]
    """All values as JSON in their order, `svg` without its text."""

    @classmethod
    def of(cls, position: Position, ply: int, last: LastMove | None) -> SnapshotParts:
        """Return the snapshot of a position; `ply` is the table's."""
        fields = snapshot_fields(position, ply, last)
        svg, fields["svg"] = fields["svg"], None
        return cls(svg, {name: orjson.dumps(value) for name, value in fields.items()})

    def whole(self) -> bytes:
        """Return the whole snapshot as JSON."""
        return _json_object({**self.values, "svg": orjson.dumps("".join(self.svg))})

    def diff(self, before: SnapshotParts) -> bytes:
        """Return as JSON what turns another snapshot into this one."""
        known = before.values
        values = {name: value for name, value in self.values.items() if value != known[name]}
        edits = {"svg": orjson.dumps(text_edits(before.svg, self.svg))}
        return _json_object({"values": _json_object(values), "edits": _json_object(edits)})


def _json_object(values: dict[str, bytes]) -> bytes:
    """Return an object of values that are JSON; names need no escapes."""
    return b"{%b}" % b",".join([b'"%b":%b' % (name.encode(), values[name]) for name in values])


def text_edits(before: list[str], after: list[str]) -> list[tuple[int, int, str]]:
    """Return the edits of a text that is given in parts; ranges count UTF-16 code units."""
    ascii_only = all(map(str.isascii, before))
    offsets = [*accumulate(map(len if ascii_only else _code_units, before), initial=0)]
    return [
        (offsets[start], offsets[end], "".join(added))
        for start, end, added in list_edits(before, after)
    ]


def _code_units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def list_edits(before: list[str], after: list[str]) -> list[Edit]:
    """Return the edits of a list."""
    index = dict(zip(before, range(len(before)), strict=True))
    found: list[Edit] = []
    start = end = at = 0
    added: list[str] = []
    while at < len(after):
        if not added:
            if before[end : end + CHUNK] == after[at : at + CHUNK]:
                end, at = min(end + CHUNK, len(before)), at + CHUNK
                continue
            if end < len(before) and before[end] == after[at]:
                end, at = end + 1, at + 1
                continue
        known = index.get(after[at])
        if known is None:
            added.append(after[at])
        else:
            if end > start or added:
                found.append((start, end, added))
            start, end, added = known, known + 1, []
        at += 1
    found.append((start, end, added))
    return found
