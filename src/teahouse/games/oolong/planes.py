"""Oolong for reinforcement learning: actions, observation planes and symmetries."""

from collections.abc import Iterator, Mapping
from typing import Any

from teahouse.core.planes import ActionRange, ObservationSpec, Plane, Symmetry
from teahouse.games.oolong.rules import (
    CLAIM,
    DECLINE,
    KIND_SHIFT,
    MOVE_BLACK,
    MOVE_GREEN,
    MOVE_TOKEN,
    NUMBER_MASK,
    NUMBER_SHIFT,
    PLACES,
    ROTATE,
    ROTATION,
    SERVE,
    SWAP,
    SWAP_CLAIMED,
    TOKENS,
    WAITER,
    WAITER_BLACK,
    WAITER_GREEN,
)

# A seat of the room is its table times nine plus its number at the table. Offsets of the actions by
# kind; serving starts at 0:
SEATS = PLACES * PLACES
SWAPS = PLACES * (PLACES - 1) // 2
FROM = SEATS
TO = FROM + SEATS
ROTATE_BY = TO + SEATS - 1  # by 1 to 7 eighths
SWAP_PAIR = ROTATE_BY + PLACES - 1
SEND = SWAP_PAIR + SWAPS
SKIP = SEND + PLACES

COMPASS = ((1, 1), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0), (0, 0))

OWN, OTHER, UNDER_WAITER, OWN_CLAIMS, OTHER_CLAIMS, MARKERS = range(6)
TRIGGERED = MARKERS + 7
CHOSEN = TRIGGERED + 1


def observation_spec(options: Mapping[str, Any]) -> ObservationSpec:
    """Return the actions and planes for these options."""
    actions = [ActionRange("serve the seat", SEATS)]
    planes = [
        Plane("your own tokens"),
        Plane("the other player's tokens"),
        Plane("the waiter's seat"),
        Plane("all seats of tables you have claimed"),
        Plane("all seats of tables the other player has claimed"),
    ]
    if options["specials"]:
        actions += [
            ActionRange("move the token on the seat", SEATS),
            ActionRange("move the chosen token to the seat", SEATS),
            ActionRange("rotate the waiter's table by 1 to 7 eighths", PLACES - 2),
            ActionRange("swap two tables: C with N … NW, N with NE … NW, and so on", SWAPS),
            ActionRange("send the waiter to the table", PLACES),
            ActionRange("decline", 1),
        ]
        planes += [
            Plane("tables whose marker lets you move a token"),
            Plane("tables whose marker lets the other player move a token"),
            Plane("tables with a marker ro"),
            Plane("tables with a marker su"),
            Plane("tables with a marker sc"),
            Plane("tables whose marker lets you send the waiter"),
            Plane("tables whose marker lets the other player send the waiter"),
            Plane("the table whose marker was triggered"),
            Plane("the seat of the token to be moved"),
        ]
    seats = [(one, other) for one in COMPASS for other in COMPASS]
    return ObservationSpec(
        actions=tuple(actions),
        planes=tuple(planes),
        shape=(PLACES, PLACES),
        grid="a map of the room with north in the first row: 3 × 3 tables of 3 × 3 seats;"
        " tables and seats are numbered in the order C N NE E SE S SW W NW",
        cell_coordinates=tuple(
            (3 * table[0] + seat[0], 3 * table[1] + seat[1]) for table, seat in seats
        ),
        # Each served token triggers at most one marker that is declined, and each marker is used
        # once, with two actions if it moves a token.
        max_game_length=2 * 2 * TOKENS + 2 * PLACES,
        symmetries=lambda: _symmetries(options["specials"]),
        max_parts=2 if options["specials"] else 1,
    )


def _symmetries(specials: bool) -> Iterator[Symmetry]:
    """Yield the rotations and reflections of the compass, for tables and seats alike."""
    for mirrored in (False, True):
        for eighths in range(8):
            outer = (-place if mirrored else place for place in range(8))
            moved = [0, *((place + eighths) % 8 + 1 for place in outer)]
            seats = tuple(PLACES * moved[table] + moved[s] for table in range(9) for s in range(9))
            actions = list(seats)
            if specials:
                actions += [FROM + seat for seat in seats]
                actions += [TO + seat for seat in seats]
                actions += [ROTATE_BY + (8 - turn if mirrored else turn) for turn in range(1, 8)]
                actions += [
                    SWAP_PAIR + _pair(*sorted((moved[table], moved[later])))
                    for table in range(PLACES)
                    for later in range(table + 1, PLACES)
                ]
                actions += [SEND + moved[table] for table in range(PLACES)]
                actions += [SKIP]
            name = f"rotation by {45 * eighths}°"
            yield Symmetry(f"reflection, {name}" if mirrored else name, seats, tuple(actions))


def _pair(table: int, later: int) -> int:
    """Return the index of a pair of tables."""
    return table * (2 * PLACES - 3 - table) // 2 + later - 1


def action(board: Any, state: Any, move: int, part: int) -> int:
    """Return the action of a part of a move."""
    kind = move >> KIND_SHIFT
    first = move >> NUMBER_SHIFT & NUMBER_MASK
    second = move & NUMBER_MASK
    if kind == SERVE:
        return first * PLACES + second
    if kind == MOVE_TOKEN:
        if part:
            return TO + first * PLACES + second
        seat = move >> 2 * NUMBER_SHIFT & NUMBER_MASK
        return FROM + (move >> 3 * NUMBER_SHIFT & NUMBER_MASK) * PLACES + seat
    if kind == ROTATION:
        return ROTATE_BY + second
    if kind == SWAP:
        return SWAP_PAIR + _pair(first, second)
    return SEND + second if kind == WAITER else SKIP


def move(board: Any, state: Any, draft: Any, action: int) -> int:
    """Return the move that an action completes, or -1 if more parts follow."""
    if action < FROM:
        return SERVE << KIND_SHIFT | _seat(action)
    if action < TO:
        return -1
    if action <= ROTATE_BY:
        origin = _seat(draft.chosen[0] - FROM)
        return MOVE_TOKEN << KIND_SHIFT | origin << 2 * NUMBER_SHIFT | _seat(action - TO)
    if action < SWAP_PAIR:
        return ROTATION << KIND_SHIFT | action - ROTATE_BY
    if action < SEND:
        table = 0
        later = action - SWAP_PAIR + 1
        while later >= PLACES:
            table += 1
            later -= PLACES - 1 - table
        return SWAP << KIND_SHIFT | table << NUMBER_SHIFT | later
    if action < SKIP:
        return WAITER << KIND_SHIFT | action - SEND
    return DECLINE << KIND_SHIFT


def _seat(number: int) -> int:
    """Return a seat of the room as the two numbers of a move."""
    table = number // PLACES
    return table << NUMBER_SHIFT | number - table * PLACES


def observe(board: Any, state: Any, draft: Any, viewer: int, offsets: Any, planes: Any) -> None:
    """Write the planes from a player's point of view."""
    for table in range(PLACES):
        own = state.tokens[viewer][table]
        other = state.tokens[1 - viewer][table]
        marker = int(state.markers[table])
        plane = -1
        if MOVE_BLACK <= marker <= MOVE_GREEN:
            plane = MARKERS + (marker - MOVE_BLACK ^ viewer)
        elif ROTATE <= marker <= SWAP_CLAIMED:
            plane = MARKERS + 2 + marker - ROTATE
        elif WAITER_BLACK <= marker <= WAITER_GREEN:
            plane = MARKERS + 5 + (marker - WAITER_BLACK ^ viewer)
        for seat in range(PLACES):
            place = offsets[table * PLACES + seat]
            planes[OWN][place] = own >> seat & 1
            planes[OTHER][place] = other >> seat & 1
            planes[OWN_CLAIMS][place] = board.size[own] >= CLAIM
            planes[OTHER_CLAIMS][place] = board.size[other] >= CLAIM
            if plane >= 0:
                planes[plane][place] = 1
            if state.pending == table + 1:
                planes[TRIGGERED][place] = 1
    planes[UNDER_WAITER][offsets[state.waiter_table * PLACES + state.waiter_seat]] = 1
    if draft.part:
        planes[CHOSEN][offsets[draft.chosen[0] - FROM]] = 1
