"""Oolong's equipment: places, tokens, markers, how a move is encoded, and sets of seats."""

from typing import Any

BLACK, GREEN = 0, 1

# Places, tables (by their place) and seats share one numbering, the centre first, then clockwise
# from the north: C N NE E SE S SW W NW. A set of them is nine bits.
PLACES = 9
CENTRE = 0
ALL = (1 << PLACES) - 1

TOKENS = 40  # of each colour
CLAIM = 5  # tokens of one colour that claim a table (O10)
WIN = 5  # claimed tables that win (O11)

# Markers; 0 is none. FACE_DOWN is added to a used one (O15).
MOVE_BLACK, MOVE_GREEN, ROTATE = 1, 2, 3
SWAP_UNCLAIMED, SWAP_CLAIMED, WAITER_BLACK, WAITER_GREEN = 4, 5, 6, 7
FACE_DOWN = 8
DECK = (
    *(MOVE_BLACK, MOVE_GREEN, ROTATE, ROTATE),
    *(SWAP_UNCLAIMED, SWAP_CLAIMED, WAITER_BLACK, WAITER_GREEN),
)
CODES = ("", "mb", "mg", "ro", "su", "sc", "wb", "wg")
THRESHOLDS = (0, 3, 3, 4, 4, 5, 5, 5)
TRIGGER = 2  # in ACTORS: the player who brought the token acts (O13)
ACTORS = (0, BLACK, GREEN, TRIGGER, TRIGGER, TRIGGER, BLACK, GREEN)

# A move is its kind and up to four numbers below 16:
#
#     bits 18 17 16   15 ... 12    11 ... 8    7 ... 4    3 ... 0
#     SERVE                                    table      seat
#     MOVE_TOKEN      from table   from seat   to table   to seat
#     ROTATION                                            eighths
#     SWAP                                     table      later table
#     WAITER                                              table
#     DECLINE
KIND_SHIFT = 16
NUMBER_SHIFT = 4
NUMBER_MASK = (1 << NUMBER_SHIFT) - 1
SERVE, MOVE_TOKEN, ROTATION, SWAP, WAITER, DECLINE = range(6)


def empty_seats(state: Any, table: int) -> int:
    """Return the seats of a table without a token."""
    return ALL ^ (state.tokens[BLACK][table] | state.tokens[GREEN][table])


def servable_seats(state: Any) -> int:
    """Return the seats of the waiter's table that may be served (O3, O4)."""
    return seats_around(state, state.waiter_table, state.waiter_seat)


def seats_around(state: Any, table: int, seat: int) -> int:
    """Return the seats of a table without a token, and without the one that the waiter is on."""
    return ALL & ~(state.tokens[BLACK][table] | state.tokens[GREEN][table] | 1 << seat)


def open_seats(state: Any, table: int, barred: int) -> int:
    """Return the seats of a table to which a token may be moved (O18); none if it is barred."""
    under = (table == state.waiter_table) << state.waiter_seat
    return empty_seats(state, table) & ~under & (barred >> table & 1) - 1


def encode_origin(table: int, seat: int) -> int:
    """Return the part of a token move that encodes where the token is."""
    return MOVE_TOKEN << KIND_SHIFT | (table << NUMBER_SHIFT | seat) << 2 * NUMBER_SHIFT
