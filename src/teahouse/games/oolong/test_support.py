"""Positions drawn as tables, for tests."""

import teahouse as th
from teahouse.games.oolong import EXAMPLE
from teahouse.games.oolong.board import MAP
from teahouse.games.oolong.notation import NAMES

BLACK, GREEN = 0, 1
FULL_BLACK = "BBB BBG GGG"  # complete, and claimed by Black
FULL_GREEN = "GGG GGB BBB"
ORDER = [seat for row in MAP for seat in row]  # how seats stand in a drawn table


def room(
    waiter: str, due: str = "", markers: str = EXAMPLE, stay: str = "false", **drawn: str
) -> th.Position:
    """Return the position with these tables, drawn row by row with dots for empty seats.

    `due` is the player to move and the place of a triggered marker. With EXAMPLE the markers are

        wg:5  mb:3  ro:4
        sc:5   -    mg:3
        wb:5  su:4  ro:4
    """
    seats = {name: drawn.get(name, "." * 9).replace(" ", "") for name in NAMES}
    tables = ["".join(seats[name][ORDER.index(seat)] for seat in NAMES) for name in NAMES]
    served = 81 - sum(table.count(".") for table in tables)
    body = "/".join(table.replace(".", "1") for table in tables)
    game = th.load("oolong", markers_stay=stay)
    return game.position(f"{body} {markers} {waiter} {due or 'bg'[served % 2]} {served}")


def table(position: th.Position, name: str) -> str:
    """Return a table drawn as in `room`."""
    empty = str.maketrans("OW", "..")  # W is the waiter at an empty seat
    on = {spot.name: spot.glyph.translate(empty) for spot in position.scene.spots}
    return " ".join("".join(on[f"{name}.{seat}"] for seat in row) for row in MAP)


def fields(position: th.Position) -> tuple[str, str, str]:
    """Return the markers, the waiter and the player to move from the position's text."""
    _, markers, waiter, due, _ = str(position).split(" ")
    return markers, waiter, due
