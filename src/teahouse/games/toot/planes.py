"""Toot for reinforcement learning: actions, observation planes and symmetries."""

from collections.abc import Iterator, Mapping
from typing import Any

from teahouse.core.bits import popcount
from teahouse.core.planes import (
    ActionRange,
    ObservationSpec,
    Plane,
    Symmetry,
    fill_plane,
    mark_actions,
    mark_cells,
)
from teahouse.games.toot import LAST_CAPTURE
from teahouse.games.toot.bitboards import (
    BIT_MASK,
    CELL_MASK,
    OFF,
    SIDE,
    WORD_SHIFT,
    WORDS,
    cell_number,
    is_loose,
    loose_cells,
    tile_targets,
)
from teahouse.games.toot.links import (
    TILE_BITS,
    has_piece,
    is_lying,
    rank_at,
    rank_of,
    standing_pieces,
    tiles_in_word,
    vacant_ranks,
    walks_from,
)
from teahouse.games.toot.movegen import (
    ENTER,
    FIRST,
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
    jumps,
    piece_move,
)

# Cells are numbered row by row from a1. Offsets of the actions by kind; placing a tile starts at 0,
# and a piece moves left, right, down or up, which is 0 to 3:
CELLS = SIDE * SIDE
WORD_CELLS = CELLS // WORDS
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
        cell |= _cell(int(draft.chosen[draft.part - 1]) - TAKE) << FROM_SHIFT
        if draft.part == 1:
            return RETURN << KIND_SHIFT | cell
        return SACRIFICE << KIND_SHIFT | _cell(int(draft.chosen[0]) - LIFT) << PIECE_SHIFT | cell
    if action < TAKE:
        return _walk(state, action - WALK)
    if action < ENTERING:
        return -1
    if action == ENTERING:
        return ENTER << KIND_SHIFT
    return (STOP if action == STOPPING else PASS) << KIND_SHIFT


def _cell(number: int) -> int:
    """Return the cell with a number, which skips the spare bit of each word."""
    return number + number // (3 * SIDE)


def _walk(state: Any, number: int) -> int:
    """Return the step or jump of a piece in a direction; if there is none, one to its own tile."""
    player = int(state.player)
    origin = _cell(number // DIRECTIONS)
    direction = number % DIRECTIONS
    if has_piece(state, player, origin):
        rank = rank_of(state, player, origin)
        if _directions(walks_from(state, player, rank), rank) >> direction & 1:
            # Its links to the right, down and up are next to each other.
            walk = TILE_BITS * rank + (direction - 1 if direction else -TILE_BITS)
            return piece_move(state, player, 1 << walk)
    return JUMP << KIND_SHIFT | origin << FROM_SHIFT | origin


def _directions(links: int, rank: int) -> int:
    """Return the set of directions of a tile's links."""
    links = links << TILE_BITS >> TILE_BITS * rank
    return links & 1 | links >> TILE_BITS - 1


def mark_legal(board: Any, state: Any, draft: Any, moves: Any, mask: Any) -> int:
    """Mark the legal actions by sets of cells, without listing the moves."""
    if state.over:
        return 0
    player = int(state.player)
    if draft.part:
        chosen = int(draft.chosen[draft.part - 1])
        if chosen >= LIFT:
            return _mark_tiles(state, mask, _cell(chosen - LIFT), True)
        return _mark_targets(state, mask, _cell(chosen - TAKE))
    count = 0
    if state.phase == FIRST and state.tiles_in_hand[player]:
        return _mark_targets(state, mask, OFF)  # T3
    if state.phase == FURTHER:
        mark_actions(mask, STOPPING, 1, 1)  # T7
        return 1 + _mark_walk(state, mask, rank_of(state, player, int(state.active)))
    if state.phase == SECOND and state.pieces_in_hand[player]:
        mark_actions(mask, ENTERING, 1, 1)  # T4
        count = 1
        if state.pieces_in_hand[player] > state.tiles_in_hand[player]:  # T9
            return count
    pieces = int(state.pieces[player])
    while pieces:
        count += _mark_walk(state, mask, rank_at(pieces & -pieces))
        pieces &= pieces - 1
    if state.phase == FIRST:
        returns = state.captured[player] > 0
        if returns or state.sacrificed[player] == 0:
            tiles = _mark_tiles(state, mask, OFF, returns)
            count += tiles if returns else 0
            if state.sacrificed[player] == 0:
                count += _mark_lifts(state, mask, tiles)
    if count == 0:
        mark_actions(mask, PASSING, 1, 1)  # T14
        count = 1
    return count


def _mark_walk(state: Any, mask: Any, rank: int) -> int:
    """Mark the directions in which a piece can step or jump; return their number."""
    player = int(state.player)
    further = state.phase == FURTHER
    found = jumps(state, player, rank) if further else walks_from(state, player, rank)
    mark_actions(
        mask,
        WALK + DIRECTIONS * cell_number(int(state.cells[player][rank])),
        DIRECTIONS,
        _directions(found, rank),
    )
    return popcount(found)


def _loose_tiles(state: Any, vacant: int, word: int, piece: int) -> int:
    """Return the player's tiles in a word that may be taken: vacant ones, and that of a piece."""
    tiles = tiles_in_word(state, int(state.player), vacant, word)
    if piece >> WORD_SHIFT == word:
        tiles |= 1 << (piece & BIT_MASK)
    return tiles & loose_cells(state, word)


def _mark_tiles(state: Any, mask: Any, piece: int, legal: bool) -> int:
    """Return the number of tiles that may be taken (T11), with a lifted piece its own too (T12).

    Mark them if that is legal. A tile that may be taken always has a target (see `must_pass`).
    """
    count = 0
    vacant = vacant_ranks(state, int(state.player))
    for word in range(WORDS):
        tiles = _loose_tiles(state, vacant, word, piece)
        count += popcount(tiles)
        if legal:
            mark_actions(mask, TAKE + word * WORD_CELLS, WORD_CELLS, tiles)
    return count


def _mark_lifts(state: Any, mask: Any, tiles: int) -> int:
    """Mark the first-life pieces that can be sacrificed (T12); `tiles` empty ones may be taken."""
    player = int(state.player)
    pieces = standing_pieces(state, player)
    count = 0
    while pieces:
        piece = int(state.cells[player][rank_at(pieces & -pieces)])
        if tiles or is_loose(state, piece):
            mark_actions(mask, LIFT + cell_number(piece), 1, 1)
            count += 1
        pieces &= pieces - 1
    return count


def _mark_targets(state: Any, mask: Any, tile: int) -> int:
    """Mark the cells for a new tile (T3), or for one that leaves others behind it (T13)."""
    count = 0
    for word in range(WORDS):
        cells = tile_targets(state, word, tile)
        count += popcount(cells)
        mark_actions(mask, word * WORD_CELLS, WORD_CELLS, cells)
    return count


def mark_planes(board: Any, state: Any, draft: Any, viewer: int, offsets: Any, planes: Any) -> None:
    """Write the planes from a player's point of view; offsets are the cells' numbers."""
    for seat in range(2):
        player = seat ^ viewer
        for word in range(WORDS):
            tiles = state.tiles[player][word]
            mark_cells(planes, TILES + seat, word * WORD_CELLS, WORD_CELLS, tiles)
        pieces = int(state.pieces[player])
        while pieces:
            rank = rank_at(pieces & -pieces)
            plane = LYING + seat if is_lying(state, player, rank) else STANDING + seat
            mark_cells(planes, plane, cell_number(int(state.cells[player][rank])), 1, 1)
            pieces &= pieces - 1
        fill_plane(planes, HANDS + seat, state.tiles_in_hand[player])
        fill_plane(planes, HANDS + 2 + seat, state.pieces_in_hand[player])
        fill_plane(planes, HANDS + 4 + seat, state.captured[player])
        fill_plane(planes, HANDS + 6 + seat, state.sacrificed[player])
    if state.active != OFF:
        mark_cells(planes, AT, cell_number(int(state.active)), 1, 1)
    for part in range(draft.part):
        chosen = int(draft.chosen[part])
        if chosen < LIFT:
            mark_cells(planes, TAKEN, chosen - TAKE, 1, 1)
        else:
            mark_cells(planes, LIFTED, chosen - LIFT, 1, 1)
    fill_plane(planes, SECOND_PHASE, state.phase == SECOND)
    fill_plane(planes, FURTHER_PHASE, state.phase == FURTHER)
    fill_plane(planes, QUIET, state.quiet_turns)
    fill_plane(planes, PASSED, state.passes == 1)
    if board.last_capture:
        for seat in range(2):
            fill_plane(planes, LAST_CAPTOR + seat, state.last_captor >> (seat ^ viewer) & 1)
