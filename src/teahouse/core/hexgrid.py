"""Hexagonal boards: rows a, b, c … from the bottom, cells 1, 2, 3 … from the left."""

from functools import cache
from itertools import pairwise

from teahouse.core.scene import Area, Caption, Label

# Opposite directions are adjacent: direction ^ 1 is the reverse.
DIRECTIONS = ("E", "W", "NE", "SW", "NW", "SE")

ROW_HEIGHT = 0.75**0.5  # distance of rows if the distance of neighbours is 1


@cache
def names(side: int) -> tuple[str, ...]:
    """Return the names of all cells, row by row from the bottom."""
    return tuple(
        f"{chr(ord('a') + row)}{number + 1}"
        for row in range(2 * side - 1)
        for number in range(row_length(side, row))
    )


@cache
def numbers(side: int) -> dict[str, int]:
    """Return the number of each cell by its name."""
    return {name: cell for cell, name in enumerate(names(side))}


def row_length(side: int, row: int) -> int:
    """Return the number of cells in a row."""
    return 2 * side - 1 - abs(side - 1 - row)


@cache
def rows(side: int) -> tuple[range, ...]:
    """Return the cells of each row from the bottom."""
    firsts = [sum(row_length(side, below) for below in range(row)) for row in range(2 * side)]
    return tuple(range(first, end) for first, end in pairwise(firsts))


@cache
def points(side: int) -> tuple[tuple[int, int], ...]:
    """Return each cell's (column, row) in doubled coordinates: neighbours in a row differ by 2."""
    return tuple(
        (2 * number + abs(side - 1 - row), row)
        for row in range(2 * side - 1)
        for number in range(row_length(side, row))
    )


@cache
def neighbours(side: int) -> tuple[tuple[int, ...], ...]:
    """Return each cell's neighbours in DIRECTIONS; the number of cells means off the board."""
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
def centres(side: int) -> tuple[tuple[float, float], ...]:
    """Return each cell's centre in board units, y downwards; neighbours are 1 apart."""
    return tuple((column / 2, -row * ROW_HEIGHT) for column, row in points(side))


@cache
def corners(side: int, margin: float) -> tuple[tuple[float, float], ...]:
    """Return the corners of a hexagon around all cells, at this distance from their centres."""
    centre, radius = centres(side)[len(points(side)) // 2], side - 1 + margin
    return tuple(
        (centre[0] + radius * x, centre[1] + radius * y)
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
    """Return captions: letters to the left of the rows, numbers below the lowest row."""
    captions = []
    for name, (x, y) in zip(names(side), centres(side), strict=True):
        if name[1:] == "1":
            captions.append(Caption(x - 0.76, y, name[0]))
        if name[0] == "a":
            captions.append(Caption(x, y + 0.77, name[1:]))
    return tuple(captions)


@cache
def row_letters(side: int) -> tuple[Label, ...]:
    """Return the letters of the rows on the text board, to their left."""
    rows = 2 * side - 1
    return tuple(Label(0, rows - 1 - row, chr(ord("a") + row)) for row in range(rows))


@cache
def areas(side: int) -> tuple[Area, ...]:
    """Return the background of pictures: a hexagon around all cells."""
    return (Area(corners(side, 1.1)),)


def grid(side: int) -> tuple[tuple[int, int], ...]:
    """Return each cell's (row, column) in a square array, whose columns run to the north-east."""
    return tuple((row, (column - row + side - 1) // 2) for column, row in points(side))


@cache
def symmetries(side: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return the name and the image of each cell for the 12 rotations and reflections."""
    index = {point: cell for cell, point in enumerate(points(side))}
    found = []
    for reflected in (False, True):
        for sixths in range(6):
            images = []
            for column, row in points(side):
                # Axial coordinates from the centre: steps to the east and to the north-east.
                north_east = row - (side - 1)
                east = (column - 2 * (side - 1) - north_east) // 2
                if reflected:
                    east, north_east = east + north_east, -north_east
                for _ in range(sixths):
                    east, north_east = east + north_east, -east
                images.append(index[2 * (side - 1) + 2 * east + north_east, side - 1 + north_east])
            name = f"rotation by {60 * sixths}°"
            found.append((f"reflection, {name}" if reflected else name, tuple(images)))
    return tuple(found)
