"""Oolong's geometry and pieces: coordinates of tables, seats and cards, and what is on them."""

import math
from typing import Any

from teahouse.core.scene import Piece
from teahouse.games.oolong import equipment
from teahouse.games.oolong.notation import NAMES, token

# In pictures the outer seats of a table lie on a circle one unit apart, and the outer tables on a
# circle around the centre table.
SEAT_RING = 0.5 / math.sin(math.pi / 8)
SEAT = 0.5
TABLE = SEAT_RING + SEAT + 0.06
TABLE_RING = 1.01 * TABLE / math.sin(math.pi / 8)
CARD_RING = TABLE_RING / 2
CARD = 0.47
CENTRE_CARD_RING, CENTRE_CARD = 3.1, 0.38  # for a marker swapped to the centre table
ROOM = TABLE_RING + TABLE + 0.56

WORDS = {
    "C": "centre",
    "N": "north",
    "NE": "north-east",
    "E": "east",
    "SE": "south-east",
    "S": "south",
    "SW": "south-west",
    "W": "west",
    "NW": "north-west",
}
WAITER = Piece("waiter")
CUPS = {".": (), "B": (Piece("cup", equipment.BLACK),), "G": (Piece("cup", equipment.GREEN),)}
CARD_SYMBOLS = ("", "move", "move", "rotate", "swap", "swap-claimed", "waiter-goes", "waiter-goes")
CARD_LABELS = {
    equipment.MOVE_BLACK: "Black moves a black cup",
    equipment.MOVE_GREEN: "Green moves a green cup",
    equipment.ROTATE: "rotate the waiter's table",
    equipment.SWAP_UNCLAIMED: "swap two unclaimed tables",
    equipment.SWAP_CLAIMED: "swap a claimed and an unclaimed table",
    equipment.WAITER_BLACK: "Black sends the waiter",
    equipment.WAITER_GREEN: "Green sends the waiter",
}


def around(name: str, radius: float, turn: float = 0.0) -> tuple[float, float]:
    """Return the point at a distance from the centre in a compass direction."""
    if name == "C":
        return 0.0, 0.0
    angle = math.radians(45 * (NAMES.index(name) - 1) + turn)
    return radius * math.sin(angle), -radius * math.cos(angle)


def seat_point(table: str, seat: str) -> tuple[float, float]:
    """Return the coordinates of a seat."""
    (x, y), (right, down) = around(table, TABLE_RING), around(seat, SEAT_RING)
    return x + right, y + down


def card_point(table: str) -> tuple[float, float]:
    """Return the coordinates of a table's marker card."""
    if table == "C":
        return around("NE", CENTRE_CARD_RING, -22.5)
    return around(table, CARD_RING)


def name_point(table: str) -> tuple[float, float]:
    """Return the centre of an outer table's name, whose letters just clear the table's rim."""
    right, down = around(table, 1.0)
    return around(table, TABLE_RING + TABLE + 0.08 + 0.13 * (len(table) * abs(right) + abs(down)))


def card(marker: int) -> Piece:
    """Return a marker as a card."""
    kind = marker % equipment.FACE_DOWN
    actor = equipment.ACTORS[kind]
    return Piece(
        "card",
        None if actor == equipment.TRIGGER else actor,
        sign=CARD_SYMBOLS[kind],
        count=equipment.THRESHOLDS[kind],
        turned=marker >= equipment.FACE_DOWN,
    )


def pieces_at(state: Any, table: str, seat: str) -> tuple[Piece, ...]:
    """Return the pieces on a seat, from the bottom up."""
    cups = CUPS[token(state, table, seat)]
    at = (NAMES.index(table), NAMES.index(seat))
    return (*cups, WAITER) if at == (state.waiter_table, state.waiter_seat) else cups
