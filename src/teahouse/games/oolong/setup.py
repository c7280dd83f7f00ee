"""Setting up positions of Oolong: cups, the waiter, and markers face up or down.

Who is to move follows from the cups (O3).
"""

from teahouse.core.editor import Tool
from teahouse.core.position import Position
from teahouse.core.run_lengths import run_lengths
from teahouse.core.scene import Piece
from teahouse.games.oolong import equipment
from teahouse.games.oolong.notation import LETTERS, NAMES, seats_text

CUPS = {"black": "B", "green": "G", "remove": "."}
MARKER = " marker"
FACE_DOWN = "x"


def palette(position: Position) -> tuple[Tool, ...]:
    tools: tuple[Tool, ...] = (
        Tool("black", "Black cup", Piece("cup", 0)),
        Tool("green", "Green cup", Piece("cup", 1)),
        Tool("remove", "Remove"),
        Tool("move", "Move a cup", clicks=2),
        Tool("waiter", "Waiter", Piece("waiter")),
    )
    if any(position.game.board.markers):
        tools += (Tool("marker", "Turn a marker over"),)
    return (*tools, Tool("clear", "Clear the tables", clicks=0))


def edit(position: Position, tool: str, spots: tuple[str, ...]) -> str:
    tables = [list(text) for text in map(seats_text, *position.state_view.tokens)]
    _, markers, waiter, *_ = str(position).split(" ")
    if tool == "clear":
        tables = [["."] * equipment.PLACES for _ in tables]
    elif tool == "marker":
        markers = _turned(markers, spots[0])
    else:
        seats = [_seat(spot) for spot in spots]
        table, seat = seats[-1]
        if tool == "waiter":
            waiter = spots[0]
        elif tool == "move":
            cup = tables[seats[0][0]][seats[0][1]]
            if cup == "." or tables[table][seat] != ".":
                raise ValueError("a cup moves to an empty seat; choose the cup first")
            tables[seats[0][0]][seats[0][1]], tables[table][seat] = ".", cup
        else:
            tables[table][seat] = CUPS[tool]
    drawn = (run_lengths("".join(seats)) for seats in tables)
    black, green = (sum(seats.count(cup) for seats in tables) for cup in "BG")
    if black not in (green, green + 1):
        raise ValueError(
            f"black and green are poured in turn, black first, so {black} black and {green} green"
            " cups are impossible"
        )
    return f"{'/'.join(drawn)} {markers} {waiter} {LETTERS[black - green]}"


def _seat(spot: str) -> tuple[int, int]:
    """Return the table and the seat that a spot is."""
    table, dot, seat = spot.partition(".")
    if not dot:
        raise ValueError("choose a seat, not a whole table or a marker")
    return NAMES.index(table), NAMES.index(seat)


def _turned(markers: str, spot: str) -> str:
    """Return the markers with the one at a spot turned over."""
    codes = markers.split(",")
    if not spot.endswith(MARKER):
        raise ValueError("choose a marker")
    place = (NAMES.index(spot.removesuffix(MARKER)) - 1) % equipment.PLACES  # the centre comes last
    code = codes[place]
    codes[place] = code.removeprefix(FACE_DOWN) if FACE_DOWN in code else FACE_DOWN + code
    return ",".join(codes)
