"""Oolong for reinforcement learning: actions, observation planes and symmetries."""

from collections.abc import Iterator, Mapping
from typing import Any

from teahouse.core.planes import (
    ActionRange,
    ObservationSpec,
    Plane,
    Symmetry,
    mark_actions,
    mark_cells,
)
from teahouse.games.oolong.equipment import (
    ALL,
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
    empty_seats,
    open_seats,
    servable_seats,
)

# A seat of the room is its table times nine plus its number at the table. Offsets of the actions by
# kind; serving starts at 0:
SEATS = PLACES * PLACES
SWAPS = PLACES * (PLACES - 1) // 2
TURNS = PLACES - 2  # eighths by which a table rotates, from 1
NORTH_WEST = PLACES - 1
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
            ActionRange("rotate the waiter's table by 1 to 7 eighths", TURNS),
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


def mark_legal(board: Any, state: Any, draft: Any, moves: Any, mask: Any) -> int:
    """Mark the legal actions by sets of seats and tables, without listing the moves."""
    if state.over:
        return 0
    if draft.part:
        return _mark_targets(board, state, mask, (draft.chosen[0] - FROM) // PLACES)
    if state.pending:
        mark_actions(mask, SKIP, 1, 1)  # O14
        return 1 + _mark_answers(board, state, mask)
    table = int(state.waiter_table)
    seats = servable_seats(state)
    if seats:
        mark_actions(mask, table * PLACES, PLACES, seats)
        return int(board.size[seats])
    count = 0
    for other in range(PLACES):
        seats = empty_seats(state, other) if other != table else 0
        mark_actions(mask, other * PLACES, PLACES, seats)
        count += board.size[seats]
    return count


def _mark_answers(board: Any, state: Any, mask: Any) -> int:
    """Mark the first actions that answer a triggered marker, all but declining."""
    marker = state.markers[state.pending - 1]
    if marker <= MOVE_GREEN:
        return _mark_tokens(board, state, mask)
    if marker == ROTATE:
        mark_actions(mask, ROTATE_BY + 1, TURNS, (1 << TURNS) - 1)
        return TURNS
    if marker <= SWAP_CLAIMED:
        return _mark_swaps(board, state, mask, int(marker == SWAP_CLAIMED))
    mark_actions(mask, SEND, PLACES, ALL ^ 1 << state.waiter_table)  # O21
    return PLACES - 1


def _mark_tokens(board: Any, state: Any, mask: Any) -> int:
    """Mark the player's tokens that can move to another table (O18)."""
    claimed = int(state.claimed)
    targets = 0
    for table in range(PLACES):
        targets |= (open_seats(state, table, claimed) != 0) << table
    count = 0
    for table in range(PLACES):
        barred = claimed >> table & 1 or targets & ~(1 << table) == 0
        tokens = 0 if barred else state.tokens[state.player][table]
        mark_actions(mask, FROM + table * PLACES, PLACES, tokens)
        count += board.size[tokens]
    return count


def _mark_targets(board: Any, state: Any, mask: Any, source: int) -> int:
    """Mark the seats to which a token of a table can move."""
    claimed = int(state.claimed)
    count = 0
    for table in range(PLACES):
        seats = open_seats(state, table, claimed | 1 << source)
        mark_actions(mask, TO + table * PLACES, PLACES, seats)
        count += board.size[seats]
    return count


def _mark_swaps(board: Any, state: Any, mask: Any, one_claimed: int) -> int:
    """Mark the pairs of unclaimed tables, or those of a claimed and an unclaimed one."""
    claimed = int(state.claimed)
    first = SWAP_PAIR
    count = 0
    for table in range(PLACES - 1):
        own = claimed >> table & 1
        others = claimed if own < one_claimed else ALL & ~claimed
        if own > one_claimed:
            others = 0
        others >>= table + 1
        mark_actions(mask, first, PLACES - 1 - table, others)
        count += board.size[others]
        first += PLACES - 1 - table
    return count


def mark_planes(board: Any, state: Any, draft: Any, viewer: int, offsets: Any, planes: Any) -> None:
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
        _mark_seats(planes, OWN, offsets, table, _map_seats(own))
        _mark_seats(planes, OTHER, offsets, table, _map_seats(other))
        if board.size[own] >= CLAIM:
            _mark_seats(planes, OWN_CLAIMS, offsets, table, ALL)
        if board.size[other] >= CLAIM:
            _mark_seats(planes, OTHER_CLAIMS, offsets, table, ALL)
        if plane >= 0:
            _mark_seats(planes, plane, offsets, table, ALL)
        if state.pending == table + 1:
            _mark_seats(planes, TRIGGERED, offsets, table, ALL)
    waiter = state.waiter_table * PLACES + state.waiter_seat
    mark_cells(planes, UNDER_WAITER, int(offsets[waiter]), 1, 1)
    if draft.part:
        mark_cells(planes, CHOSEN, int(offsets[draft.chosen[0] - FROM]), 1, 1)


def _map_seats(seats: int) -> int:
    """Return seats in the order of the map: NW N NE, W C E, SW S SE."""
    north = seats >> 8 & 1 | seats & 6
    middle = seats >> 7 & 1 | (seats & 1) << 1 | seats >> 1 & 4
    south = seats >> 6 & 1 | seats >> 4 & 2 | seats >> 2 & 4
    return north | middle << 3 | south << 6


def _mark_seats(planes: Any, plane: int, offsets: Any, table: int, seats: int) -> None:
    """Mark seats of a table, given in the order of the map."""
    corner = int(offsets[table * PLACES + NORTH_WEST])
    for row in range(3):
        mark_cells(planes, plane, corner + row * PLACES, 3, seats >> 3 * row & 7)
