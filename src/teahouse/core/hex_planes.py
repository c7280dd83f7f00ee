"""Planes of hexagonal boards (`core.hexgrid`), whose rows are consecutive cells of a plane."""

from typing import Any

from teahouse.core.hexgrid import row_length
from teahouse.core.planes import mark_cells

WORD = 63  # cells of a set


def hex_side(cells: int) -> int:
    """Return the side of the board with this many cells."""
    side = 1
    while 3 * side * (side - 1) + 1 < cells:
        side += 1
    return side


def mark_hex_cells(planes: Any, plane: int, offsets: Any, side: int, base: int, cells: int) -> None:
    """Mark the cells base + k of a plane whose bits k are set, for k below 63."""
    row = 0
    end = row_length(side, row)
    while cells:
        while end <= base:
            row += 1
            end += row_length(side, row)
        count = min(end - base, WORD)
        mark_cells(planes, plane, int(offsets[base]), count, cells & (1 << count) - 1)
        cells >>= count
        base += count
