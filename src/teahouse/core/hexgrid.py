"""Hex boards: rows lettered from the bottom, cells numbered from the left of each row."""

from functools import cache
from itertools import pairwise

from teahouse.core.scene import Caption

# Pairs of opposite directions stand side by side: direction ^ 1 points back.
DIRECTIONS = ("E", "W", "NE", "SW", "NW", "SE")

ROW_HEIGHT = 0.75**0.5  # between the middles of two rows, where neighbours are a unit apart


@cache
def names(side: int) -> tuple[str, ...]:
    """Every cell's name, row by row from the bottom, each row from the left."""
    return tuple(
        f"{chr(ord('a') + row)}{number + 1}"
        for row in range(2 * side - 1)
        for number in range(row_length(side, row))
    )


def row_length(side: int, row: int) -> int:
    """How many cells a row has."""
    return 2 * side - 1 - abs(side - 1 - row)


@cache
def rows(side: int) -> tuple[range, ...]:
    """Return the cells of each row from the bottom."""
    firsts = [sum(row_length(side, below) for below in range(row)) for row in range(2 * side)]
    return tuple(range(first, end) for first, end in pairwise(firsts))


@cache
def points(side: int) -> tuple[tuple[int, int], ...]:
    """Every cell's place as (column, row); neighbours in a row are two columns apart."""
    return tuple(
        (2 * number + abs(side - 1 - row), row)
        for row in range(2 * side - 1)
        for number in range(row_length(side, row))
    )


@cache
def neighbours(side: int) -> tuple[tuple[int, ...], ...]:
    """For each cell the six cells in DIRECTIONS; the number of cells stands for off the board."""
    steps = {"E": (2, 0), "W": (-2, 0), "NE": (1, 1), "SW": (-1, -1), "NW": (-1, 1), "SE": (1, -1)}
    index = {point: cell for cell, point in enumerate(points(side))}
    return tuple(
        tuple(
            index.get((column + steps[direction][0], row + steps[direction][1]), len(index))
            for direction in DIRECTIONS
        )
        for column, row in points(side)
    )


@cache
def middles(side: int) -> tuple[tuple[float, float], ...]:
    """Every cell's middle in a picture, neighbours a unit apart, y downwards."""
    return tuple((column / 2, -row * ROW_HEIGHT) for column, row in points(side))


@cache
def corners(side: int, margin: float) -> tuple[tuple[float, float], ...]:
    """The corners of a hexagon that holds all cells, with a margin around them."""
    middle, reach = middles(side)[len(points(side)) // 2], side - 1 + margin
    return tuple(
        (middle[0] + reach * x, middle[1] + reach * y)
        for x, y in (
            (-1.0, 0.0),
            (-0.5, -ROW_HEIGHT),
            (0.5, -ROW_HEIGHT),
            (1.0, 0.0),
            (0.5, ROW_HEIGHT),
            (-0.5, ROW_HEIGHT),
        )
    )


@cache
def coordinates(side: int) -> tuple[Caption, ...]:
    """The letter before each row, and below the lowest one the number of each of its cells."""
    captions = []
    for name, (x, y) in zip(names(side), middles(side), strict=True):
        if name[1:] == "1":
            captions.append(Caption(x - 0.76, y, name[0]))
        if name[0] == "a":
            captions.append(Caption(x, y + 0.77, name[1:]))
    return tuple(captions)


def grid(side: int) -> tuple[tuple[int, int], ...]:
    """Every cell's row and column on a square grid, whose columns lead to the north-east."""
    return tuple((row, (column - row + side - 1) // 2) for column, row in points(side))


@cache
def symmetries(side: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The twelve turns and mirrorings of the board: a name, and the cell that each cell becomes."""
    index = {point: cell for cell, point in enumerate(points(side))}
    found = []
    for mirrored in (False, True):
        for sixths in range(6):
            moved = []
            for column, row in points(side):
                # Steps to the east and to the north-east, counted from the middle.
                north_east = row - (side - 1)
                east = (column - 2 * (side - 1) - north_east) // 2
                if mirrored:
                    east, north_east = east + north_east, -north_east
                for _ in range(sixths):
                    east, north_east = east + north_east, -east
                moved.append(index[2 * (side - 1) + 2 * east + north_east, side - 1 + north_east])
            name = f"turned by {sixths} sixths"
            found.append((f"mirrored, {name}" if mirrored else name, tuple(moved)))
    return tuple(found)
