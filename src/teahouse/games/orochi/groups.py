"""Orochi's stones and their groups, the serpents, for display."""

from functools import cache

from teahouse.core import hexgrid
from teahouse.core.position import Position
from teahouse.games.orochi import rules

COLOURS = ("white", "black")


def stones(position: Position) -> list[int]:
    """Return what is on each cell: 0, or a colour plus 1."""
    white, black = position.state_view.pieces
    cells = range(len(hexgrid.names(position.game.options["side"])))
    return [rules.contains(white, cell) + 2 * rules.contains(black, cell) for cell in cells]


def colour_at(position: Position, cell: int) -> int | None:
    """Return the colour of the stone on a cell, or None for an empty cell."""
    for colour, cells in enumerate(position.state_view.pieces):
        if rules.contains(cells, cell):
            return colour
    return None


def is_over_connected(position: Position, cell: int) -> bool:
    """Return whether a cell has an over-connected stone (C4)."""
    return rules.contains(position.state_view.over_connected, cell) == 1


def same_neighbours(position: Position, cell: int) -> int:
    """Return the number of neighbours that have the colour of a stone (C4)."""
    pieces = stones(position)
    near = _neighbours(position.game.options["side"])[cell]
    return sum(pieces[one] == pieces[cell] for one in near)


def group_at(position: Position, cell: int) -> set[int]:
    """Return the cells of a stone's group."""
    return _group(stones(position), _neighbours(position.game.options["side"]), cell)


def serpents(position: Position) -> tuple[set[int], set[int]]:
    """Return the largest group of each colour next to an empty cell (C8)."""
    pieces, neighbours = stones(position), _neighbours(position.game.options["side"])
    largest: list[set[int]] = [set(), set()]
    seen: set[int] = set()
    for empty, piece in enumerate(pieces):
        for cell in () if piece else neighbours[empty]:
            if pieces[cell] and cell not in seen:
                group = _group(pieces, neighbours, cell)
                seen |= group
                colour = pieces[cell] - 1
                largest[colour] = max(largest[colour], group, key=len)
    return largest[0], largest[1]


@cache
def _neighbours(side: int) -> list[list[int]]:
    """Return each cell's neighbours on the board."""
    outside = len(hexgrid.names(side))
    return [[one for one in near if one < outside] for near in hexgrid.neighbours(side)]


def _group(pieces: list[int], neighbours: list[list[int]], cell: int) -> set[int]:
    group, rest = {cell}, [cell]
    while rest:
        for near in neighbours[rest.pop()]:
            if near not in group and pieces[near] == pieces[cell]:
                group.add(near)
                rest.append(near)
    return group
