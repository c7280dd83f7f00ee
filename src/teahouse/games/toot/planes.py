"""Toot for reinforcement learning: actions, observation planes and symmetries."""

from collections.abc import Iterator, Mapping
from typing import Any

from teahouse.core.planes import ActionRange, ObservationSpec, Plane, Symmetry, fill
from teahouse.games.toot import LAST_CAPTURE
from teahouse.games.toot.bitboards import (
    FIRST_ROW,
    NO_PIECE,
    OFF,
    SIDE,
    WORDS,
    cell_number,
    lowest_cell,
)
from teahouse.games.toot.movegen import (
    ACROSS,
    CELL_MASK,
    ENTER,
    FROM_SHIFT,
    FURTHER,
    JUMP,
    KIND_SHIFT,
    PASS,
    PIECE_SHIFT,
    PLACE,
    RETURN,
    SACRIFICE,
    SECOND,
    STEP,
    STOP,
    encode_landing,
    line_bits,
    reach,
)

# Cells are numbered row by row from a1. Offsets of the actions by kind; placing a tile starts at 0,
# and a piece moves left, right, down or up, which is 0 to 3:
CELLS = SIDE * SIDE
DIRECTIONS = 4
WALK = CELLS
TAKE = WALK + DIRECTIONS * CELLS
LIFT = TAKE + CELLS
ENTERING = LIFT + CELLS
STOPPING = ENTERING + 1
PASSING = STOPPING + 1

TILES, STANDING, LYING, AT, TAKEN, LIFTED = 0, 2, 4, 6, 7, 8
HANDS, SECOND_PHASE, FURTHER_PHASE, QUIET, PASSED = 9, 17, 18, 19, 20
LAST_CAPTOR = 21


def observation_spec(options: Mapping[str, Any]) -> ObservationSpec:
    """Return the actions and planes for these options."""
    tiles, pieces = options["tiles"], options["pieces"]
    both = ("your own", "the other player's")
    return ObservationSpec(
        actions=(
            ActionRange(
                "place a tile on the cell, from the hand or from where it was taken", CELLS
            ),
            ActionRange(
                "step or jump from the cell to the left, right, down, up", DIRECTIONS * CELLS
            ),
            ActionRange("take the tile on the cell for a return or a sacrifice", CELLS),
            ActionRange("lift the piece on the cell for a sacrifice", CELLS),
            ActionRange("enter a piece", 1),
            ActionRange("stop jumping", 1),
            ActionRange("pass", 1),
        ),
        planes=(
            *(Plane(f"{whose} tiles") for whose in both),
            *(Plane(f"{whose} standing pieces") for whose in both),
            *(Plane(f"{whose} lying pieces") for whose in both),
            Plane("the tile to enter on, or the piece that may jump again"),
            Plane("the tile to be moved"),
            Plane("the piece lifted for a sacrifice"),
            *(Plane(f"{whose} tiles in hand, on all cells", tiles) for whose in both),
            *(Plane(f"{whose} pieces in hand, on all cells", pieces) for whose in both),
            *(Plane(f"{whose} pieces captured once, on all cells", pieces) for whose in both),
            *(Plane(f"all cells, if {whose} sacrifice is used") for whose in both),
            Plane("all cells, if a tile was placed in this turn"),
            Plane("all cells, if a piece may jump again"),
            Plane("consecutive turns without progress, on all cells", options["quiet_limit"]),
            Plane("all cells, if the other player has passed and you must too"),
            *(
                Plane(f"all cells, if {whose} capture was the last one (T18)")
                for whose in both
                if options["most_pieces"] == LAST_CAPTURE
            ),
        ),
        shape=(SIDE, SIDE),
        grid="rows 1 to 21 from the first, columns a to u",
        cell_coordinates=tuple((row, column) for row in range(SIDE) for column in range(SIDE)),
        # Both players' pieces enter, are captured twice and return once, and two are sacrificed;
        # between these events there can be quiet turns (T17). A turn has at most three actions,
        # plus a further jump after each capture.
        max_game_length=3 * options["quiet_limit"] * (8 * pieces + 3) + 4 * pieces,
        symmetries=_symmetries,
        max_parts=3,
    )


def _symmetries() -> Iterator[Symmetry]:
    """Yield the rotations and reflections of the table."""
    last = SIDE - 1
    for mirrored in (False, True):
        for quarters in range(4):
            directions = [(-1, 0), (1, 0), (0, -1), (0, 1)]
            points = [(column, row) for row in range(SIDE) for column in range(SIDE)]
            moved_directions = list(directions)
            if mirrored:
                points = [(last - column, row) for column, row in points]
                moved_directions = [(-right, up) for right, up in moved_directions]
            for _ in range(quarters):
                points = [(row, last - column) for column, row in points]
                moved_directions = [(up, -right) for right, up in moved_directions]
            cells = [row * SIDE + column for column, row in points]
            actions = [
                *cells,
                *(
                    WALK + DIRECTIONS * cell + directions.index(direction)
                    for cell in cells
                    for direction in moved_directions
                ),
                *(TAKE + cell for cell in cells),
                *(LIFT + cell for cell in cells),
                *(ENTERING, STOPPING, PASSING),
            ]
            name = f"rotation by {90 * quarters}°"
            yield Symmetry(
                f"reflection, {name}" if mirrored else name, tuple(cells), tuple(actions)
            )


def action(board: Any, state: Any, move: int, part: int) -> int:
    """Return the action of a part of a move."""
    kind = move >> KIND_SHIFT
    cell = move & CELL_MASK
    origin = move >> FROM_SHIFT & CELL_MASK
    if STEP <= kind <= JUMP:
        direction = (move >> PIECE_SHIFT & 1) * 2 + (cell > origin)
        return WALK + cell_number(origin) * DIRECTIONS + direction
    if kind == ENTER:
        return ENTERING
    if kind == STOP:
        return STOPPING
    if kind == PASS:
        return PASSING
    if kind == SACRIFICE:
        if part == 0:
            return LIFT + cell_number(move >> PIECE_SHIFT & CELL_MASK)
        part -= 1
    if kind != PLACE and part == 0:
        return TAKE + cell_number(origin)
    return cell_number(cell)


def move(board: Any, state: Any, draft: Any, action: int) -> int:
    """Return the move that an action completes, or -1 if more parts follow."""
    if action < WALK:
        cell = _cell(action)
        if draft.part == 0:
            return PLACE << KIND_SHIFT | cell
        cell |= _cell(draft.chosen[draft.part - 1] - TAKE) << FROM_SHIFT
        if draft.part == 1:
            return RETURN << KIND_SHIFT | cell
        return SACRIFICE << KIND_SHIFT | _cell(draft.chosen[0] - LIFT) << PIECE_SHIFT | cell
    if action < TAKE:
        return _walk(board, state, action - WALK)
    if action < ENTERING:
        return -1
    if action == ENTERING:
        return ENTER << KIND_SHIFT
    return (STOP if action == STOPPING else PASS) << KIND_SHIFT


def _cell(number: int) -> int:
    """Return the cell with a number, which skips the spare bit of each word."""
    return number + number // (3 * SIDE)


def _walk(board: Any, state: Any, number: int) -> int:
    """Return the step or jump of a piece in a direction."""
    piece = _cell(number // DIRECTIONS)
    turned = number >> 1 & 1
    onward = number & 1
    cell = int(board.turned[piece]) if turned else piece
    at = line_bits(board, piece)
    reached = reach(board, state, int(state.player), piece)
    adjacent = at << 1 | at >> 1
    if turned:
        at >>= ACROSS
        reached >>= ACROSS
        adjacent >>= ACROSS
    at &= FIRST_ROW
    reached &= ~(2 * at - 1) if onward else at - 1
    reached &= FIRST_ROW
    landing = encode_landing(board, cell - board.column[cell], turned, reached, adjacent)
    return turned << PIECE_SHIFT | piece << FROM_SHIFT | landing


def observe(board: Any, state: Any, draft: Any, viewer: int, offsets: Any, planes: Any) -> None:
    """Write the planes from a player's point of view."""
    for seat in range(2):
        player = seat ^ viewer
        for word in range(WORDS):
            tiles = int(state.tiles[0][player][word])
            while tiles:
                planes[TILES + seat][offsets[cell_number(lowest_cell(board, word, tiles))]] = 1
                tiles &= tiles - 1
        own = state.piece_list[player]
        for index in range(len(own)):
            if own[index] != NO_PIECE:
                plane = LYING + seat if own[index] & 1 else STANDING + seat
                planes[plane][offsets[cell_number(int(own[index]) >> 1)]] = 1
        fill(planes[HANDS + seat], state.tiles_in_hand[player])
        fill(planes[HANDS + 2 + seat], state.pieces_in_hand[player])
        fill(planes[HANDS + 4 + seat], state.captured[player])
        fill(planes[HANDS + 6 + seat], state.sacrificed[player])
    if state.active != OFF:
        planes[AT][offsets[cell_number(int(state.active))]] = 1
    for part in range(draft.part):
        chosen = draft.chosen[part]
        if chosen < LIFT:
            planes[TAKEN][offsets[chosen - TAKE]] = 1
        else:
            planes[LIFTED][offsets[chosen - LIFT]] = 1
    fill(planes[SECOND_PHASE], state.phase == SECOND)
    fill(planes[FURTHER_PHASE], state.phase == FURTHER)
    fill(planes[QUIET], state.quiet_turns)
    fill(planes[PASSED], state.passes == 1)
    if board.last_capture:
        for seat in range(2):
            fill(planes[LAST_CAPTOR + seat], state.last_captor >> (seat ^ viewer) & 1)
