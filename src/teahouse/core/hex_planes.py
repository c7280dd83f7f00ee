"""Planes of hexagonal boards (`core.hexgrid`), whose rows are consecutive cells of a plane."""

from typing import Any

from teahouse.core.hexgrid import row_length
from teahouse.core.planes import mark_cells

WORD = 63  # cells of a set


def mark_hex_cells(planes: Any, plane: int, offsets: Any, base: int, cells: int) -> None:
    """Mark the cells base + k of a plane whose bits k are set, for k below 63."""
    side = 1
    while 3 * side * (side - 1) + 1 < len(offsets):
        side += 1
    first = 0
    for row in range(2 * side - 1):
        begin = max(first, base)
        first += row_length(side, row)
        count = min(first, base + WORD) - begin
        if count > 0:
            bits = cells >> begin - base & (1 << count) - 1
            mark_cells(planes, plane, int(offsets[begin]), count, bits)
