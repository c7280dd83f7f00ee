"""Oolong's room: where tables, seats and cards lie, what stands there, and what it is called."""

import math
from typing import Any

from teahouse.core.scene import Piece
from teahouse.games.oolong import rules
from teahouse.games.oolong.notation import NAMES, token

# In pictures seats lie on a circle a unit apart, and tables around the one in the middle.
SEAT_RING = 0.5 / math.sin(math.pi / 8)
SEAT = 0.5
TABLE = SEAT_RING + SEAT + 0.06
TABLE_RING = 1.01 * TABLE / math.sin(math.pi / 8)
CARD_RING = TABLE_RING / 2
CARD = 0.47
MIDDLE_CARD_RING, MIDDLE_CARD = 3.1, 0.38  # the same for a marker that came to the middle
ROOM = TABLE_RING + TABLE + 0.45
NAME_RING = TABLE_RING + TABLE + 0.24

WORDS = {
    "C": "middle",
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
CUPS = {".": (), "B": (Piece("cup", rules.BLACK),), "G": (Piece("cup", rules.GREEN),)}
SIGNS = ("", "move", "move", "rotate", "swap", "swap-claimed", "waiter-goes", "waiter-goes")
CARDS = {
    rules.MOVE_BLACK: "Black moves a black cup",
    rules.MOVE_GREEN: "Green moves a green cup",
    rules.ROTATE: "turn the waiter's table",
    rules.SWAP_UNCLAIMED: "swap two unclaimed tables",
    rules.SWAP_CLAIMED: "swap a claimed and an unclaimed table",
    rules.WAITER_BLACK: "Black sends the waiter",
    rules.WAITER_GREEN: "Green sends the waiter",
}


def around(name: str, radius: float, turn: float = 0.0) -> tuple[float, float]:
    """The point at this distance from the middle in a direction of the compass."""
    if name == "C":
        return 0.0, 0.0
    angle = math.radians(45 * (NAMES.index(name) - 1) + turn)
    return radius * math.sin(angle), -radius * math.cos(angle)


def place(table: str, seat: str) -> tuple[float, float]:
    """Where a seat is."""
    (x, y), (right, down) = around(table, TABLE_RING), around(seat, SEAT_RING)
    return x + right, y + down


def card_place(table: str) -> tuple[float, float]:
    """Where the card of a table lies: towards the middle, or beside it."""
    if table == "C":
        return around("NE", MIDDLE_CARD_RING, -22.5)
    return around(table, CARD_RING)


def card(marker: int) -> Piece:
    """A marker as the card that it is."""
    kind = marker % rules.FACE_DOWN
    actor = rules.ACTORS[kind]
    return Piece(
        "card",
        None if actor == rules.TRIGGER else actor,
        sign=SIGNS[kind],
        count=rules.THRESHOLDS[kind],
        turned=marker >= rules.FACE_DOWN,
    )


def standing(state: Any, table: str, seat: str) -> tuple[Piece, ...]:
    """What is on a seat."""
    cups = CUPS[token(state, table, seat)]
    at = (NAMES.index(table), NAMES.index(seat))
    return (*cups, WAITER) if at == (state.waiter_table, state.waiter_seat) else cups
