"""Orochi's stones and their groups, the serpents, for display."""

from teahouse.core import hexgrid
from teahouse.core.position import Position
from teahouse.games.orochi import rules

COLOURS = ("white", "black")


def colour_at(position: Position, cell: int) -> int | None:
    """Return the colour of the stone on a cell, or None for an empty cell."""
    piece = position.state_view.cells[cell] & rules.PIECE_MASK
    return piece - 1 if piece else None


def same_neighbours(position: Position, cell: int) -> int:
    """Return the number of neighbours that have the colour of a stone (C4)."""
    colour = colour_at(position, cell)
    return sum(colour_at(position, near) == colour for near in _neighbours(position, cell))


def group_at(position: Position, cell: int) -> set[int]:
    """Return the cells of a stone's group."""
    colour = colour_at(position, cell)
    group, rest = {cell}, [cell]
    while rest:
        for near in _neighbours(position, rest.pop()):
            if near not in group and colour_at(position, near) == colour:
                group.add(near)
                rest.append(near)
    return group


def serpents(position: Position) -> tuple[set[int], set[int]]:
    """Return the largest group of each colour next to an empty cell (C8)."""
    largest: list[set[int]] = [set(), set()]
    seen: set[int] = set()
    cells = range(len(hexgrid.names(position.game.options["side"])))
    for empty in (cell for cell in cells if colour_at(position, cell) is None):
        for cell in _neighbours(position, empty):
            colour = colour_at(position, cell)
            if colour is None or cell in seen:
                continue
            group = group_at(position, cell)
            seen |= group
            largest[colour] = max(largest[colour], group, key=len)
    return largest[0], largest[1]


def _neighbours(position: Position, cell: int) -> list[int]:
    side = position.game.options["side"]
    outside = len(hexgrid.names(side))
    return [near for near in hexgrid.neighbours(side)[cell] if near < outside]
