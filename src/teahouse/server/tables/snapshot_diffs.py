"""Snapshot diffs, for clients that have the one before."""

from __future__ import annotations

from dataclasses import dataclass

from teahouse.core.position import Position
from teahouse.draw.page_text import PageText
from teahouse.server.tables.snapshots import snapshot_fields
from teahouse.server.web.wire import to_json
from teahouse.session.state import LastMove


@dataclass(frozen=True, slots=True)
class SnapshotParts:
    """A snapshot in parts that can be compared, as small as possible: one is kept for each table.

    What it is made of is many times as large; keeping that slows down every allocation.
    """

    svg: PageText
    values: dict[str, str]
    """All values as JSON in their order, `svg` without its text.

    They are texts, since the bytes that orjson returns take at least 4 kB of memory each.
    """

    @classmethod
    def of(cls, position: Position, ply: int, last: LastMove | None) -> SnapshotParts:
        """Return the snapshot of a position; `ply` is the table's."""
        fields = snapshot_fields(position, ply, last)
        svg, fields["svg"] = fields["svg"], None
        return cls(svg, {name: to_json(value) for name, value in fields.items()})

    def whole(self) -> bytes:
        """Return the whole snapshot as JSON."""
        return _json_object({**self.values, "svg": to_json(str(self.svg))}).encode()

    def diff(self, before: SnapshotParts) -> bytes:
        """Return as JSON what turns another snapshot into this one."""
        known = before.values
        values = {name: value for name, value in self.values.items() if value != known[name]}
        edits = {"svg": to_json(self.svg.edits(before.svg))}
        return _json_object({"values": _json_object(values), "edits": _json_object(edits)}).encode()


def _json_object(values: dict[str, str]) -> str:
    """Return an object of values that are JSON; names need no escapes."""
    members = ",".join([f'"{name}":{value}' for name, value in values.items()])
    return f"{{{members}}}"
