"""Orochi's stones and their groups, the serpents, for display."""

from collections.abc import Sequence
from functools import cache, lru_cache

from teahouse.core import hexgrid
from teahouse.core.position import Position
from teahouse.games.orochi import rules

COLOURS = ("white", "black")


def stones(position: Position) -> tuple[int, ...]:
    """Return what is on each cell: 0, or a colour plus 1."""
    white, black = map(tuple, position.state_view.pieces)
    return _stones(white, black, len(hexgrid.names(position.game.options["side"])))


@lru_cache(maxsize=256)  # a position is described in several ways
def _stones(white: tuple[int, ...], black: tuple[int, ...], cells: int) -> tuple[int, ...]:
    pairs = zip(_bits(white, cells), _bits(black, cells), strict=True)
    return tuple([one + 2 * other for one, other in pairs])


def over_connected(position: Position) -> list[int]:
    """Return 1 for each cell with an over-connected stone, else 0 (C4)."""
    cells = len(hexgrid.names(position.game.options["side"]))
    return _bits(position.state_view.over_connected, cells)


def _bits(words: Sequence[int], cells: int) -> list[int]:
    """Return 1 for each cell in a set, else 0."""
    found = 0
    for word in reversed(words):
        found = found << rules.WORD | word
    return [*map(int, reversed(f"{found:0{cells}b}"))]


def colour_at(position: Position, cell: int) -> int | None:
    """Return the colour of the stone on a cell, or None for an empty cell."""
    for colour, cells in enumerate(position.state_view.pieces):
        if rules.contains(cells, cell):
            return colour
    return None


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
    return _serpents(stones(position), position.game.options["side"])


@lru_cache(maxsize=256)
def _serpents(pieces: tuple[int, ...], side: int) -> tuple[set[int], set[int]]:
    neighbours = _neighbours(side)
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


def _group(pieces: Sequence[int], neighbours: list[list[int]], cell: int) -> set[int]:
    group, rest = {cell}, [cell]
    while rest:
        for near in neighbours[rest.pop()]:
            if near not in group and pieces[near] == pieces[cell]:
                group.add(near)
                rest.append(near)
    return group
