"""Toot's rules: the state's layout, and playing a move. Rule numbers are those of rules.md."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teahouse.core.bits import nth_bit, popcount
from teahouse.core.game import Layout
from teahouse.core.random import advance, bounded
from teahouse.games.toot import LAST_CAPTURE
from teahouse.games.toot.bitboards import (
    BLUE,
    CELL_BITS,
    CELL_MASK,
    OFF,
    RED,
    SIDE,
    WORD_SHIFT,
    WORDS,
    cell_at,
    cell_number,
    column_of,
)
from teahouse.games.toot.links import (
    EACH_TILE,
    TILE_BITS,
    add_piece,
    end_of,
    first_tile,
    move_piece,
    place_tile,
    rank_at,
    rank_of,
    remove_piece,
    start_of,
    take_tile,
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
    count_piece_moves,
    list_piece_moves,
    list_placements,
    list_relocations,
    must_pass,
)
from teahouse.games.toot.random_moves import random_move, takes_tile, turn_walks

__all__ = ["layout", "legal", "play", "playout", "random_move", "start"]


def layout(options: Mapping[str, Any]) -> Layout:
    """Return the layout of the board's constants and of the state."""
    tiles, pieces = options["tiles"], options["pieces"]
    max_cells = 4 * 2 * tiles
    board = np.zeros(
        1,
        [
            ("row", np.int8, 1 << CELL_BITS),
            ("column", np.int8, 1 << CELL_BITS),
            ("first_cell", np.int16, SIDE),  # of each row
            ("tile_offset", np.int16, 8),  # from a cell to its only adjacent tile, by case
            ("tiles", np.uint8),
            ("pieces", np.uint8),
            ("most_pieces", np.uint8),  # whether they decide a game without progress (T17)
            ("last_capture", np.uint8),  # whether it decides between equally many pieces (T18)
            ("max_cells", np.uint8),  # upper bound of free cells adjacent to tiles
            ("quiet_limit", np.uint8),  # turns without progress that end the game (T17, T19)
        ],
    )
    for row in range(SIDE):
        for column in range(SIDE):
            board["row"][0, cell_at(column, row)] = row
            board["column"][0, cell_at(column, row)] = column
        board["first_cell"][0, row] = cell_at(0, row)
    board["tile_offset"] = [SIDE**2, -1, SIDE**2, -SIDE, SIDE**2, 1, SIDE**2, SIDE]
    board["tiles"] = tiles
    board["pieces"] = pieces
    board["max_cells"] = max_cells
    board["quiet_limit"] = options["quiet_limit"]
    board["most_pieces"] = options["most_pieces"] is not False
    board["last_capture"] = options["most_pieces"] == LAST_CAPTURE
    tile_set = np.int32 if TILE_BITS * tiles < 32 else np.int64
    # Cells are signed: compared with other integers, unsigned ones are converted to floats.
    state = np.dtype(
        [
            ("tiles", np.int64, (2, WORDS)),  # cells with each player's tiles
            ("lower_tiles", np.int64, 2),  # a byte for each word: the tiles in the words below
            ("links", tile_set, 2),  # between each player's tiles, see `links`
            ("column_links", tile_set, (2, tiles)),  # that lead to each tile
            ("pieces", tile_set, 2),  # each player's tiles with a piece
            ("lying", tile_set, 2),  # those with a piece on its second life
            ("cells", np.int16, (2, tiles)),  # of each player's tiles, sorted; then OFF
            ("active", np.int16),  # the tile to enter on, the piece that may jump again, or OFF
            ("phase", np.uint8),
            ("tiles_in_hand", np.uint8, 2),
            ("pieces_in_hand", np.uint8, 2),
            ("captured", np.uint8, 2),  # once; these may return (T11)
            ("remaining", np.uint8, 2),  # pieces in hand, on the table and captured once (T16)
            ("sacrificed", np.uint8, 2),
            ("quiet_turns", np.uint8),  # consecutive turns without progress (T17)
            ("passes", np.uint8),  # consecutive passes; 0 if the next player need not pass
            ("last_captor", np.uint8),  # bit set of the player who captured last, if that counts
            ("player", np.uint8),
            ("over", np.uint8),
            ("winners", np.uint8),
        ]
    )
    # Sacrifices and returns outnumber all other moves: each standing piece goes with any empty tile
    # or its own, a return with any empty tile, and each remaining tile has four sides.
    relocations = max(
        standing * (tiles - standing + 1) + (tiles - standing if standing < pieces else 0)
        for standing in range(pieces + 1)
    )
    max_moves = relocations * 4 * (2 * tiles - 1) + 4 * pieces + 1
    return Layout(board, state, max_moves=max_moves + max_cells)


def start(board: Any, state: Any, seed: int) -> None:
    """Set up the two lettered tiles with Blue to place a tile (T1, T2)."""
    for player in range(2):
        for word in range(WORDS):
            state.tiles[player][word] = 0
        for index in range(len(state.cells[player])):
            state.cells[player][index] = OFF
            state.column_links[player][index] = 0
        state.links[player] = 0
        state.lower_tiles[player] = 0
        state.pieces[player] = 0
        state.lying[player] = 0
    first_tile(state, BLUE, 3 << WORD_SHIFT | 2 * SIDE + 10)  # k12
    first_tile(state, RED, 3 << WORD_SHIFT | SIDE + 10)  # k11
    for player in range(2):
        state.tiles_in_hand[player] = board.tiles - 1
        state.pieces_in_hand[player] = board.pieces
        state.captured[player] = 0
        state.remaining[player] = board.pieces
        state.sacrificed[player] = 0
    state.active = OFF
    state.phase = FIRST
    state.quiet_turns = 0
    state.passes = 0
    state.last_captor = 0
    state.player = BLUE
    state.over = 0
    state.winners = 0


def legal(board: Any, state: Any, moves: Any) -> int:
    """Write the legal moves, pieces and tiles in the order of their cells."""
    count = 0
    if state.over:
        return count
    player = int(state.player)
    if state.phase == FURTHER:
        count = list_piece_moves(state, moves, count, int(state.active))
        moves[count] = STOP << KIND_SHIFT  # T7
        return count + 1
    if state.phase == FIRST and state.tiles_in_hand[player]:
        count = list_placements(board, state, moves)
    else:
        if state.phase == SECOND and state.pieces_in_hand[player]:
            moves[count] = ENTER << KIND_SHIFT  # T4
            count += 1
            if state.pieces_in_hand[player] > state.tiles_in_hand[player]:  # T9
                return count
        count = list_piece_moves(state, moves, count, OFF)  # T5, T6, T10
        if state.phase == FIRST and (state.captured[player] or state.sacrificed[player] == 0):
            count = list_relocations(board, state, moves, count)
    if count == 0:
        moves[count] = PASS << KIND_SHIFT  # T14
        count += 1
    return count


def play(board: Any, state: Any, move: int) -> None:
    """Play a move, and end the turn or the game where the rules say so."""
    kind = move >> KIND_SHIFT
    player = int(state.player)
    cell = move & CELL_MASK
    origin = move >> FROM_SHIFT & CELL_MASK
    if STEP <= kind <= JUMP:
        start = rank_of(state, player, origin)
        end = rank_of(state, player, cell)
        move_piece(state, player, start, end)
        crossed = (
            _crossed_pieces(state, player, min(start, end), max(start, end)) if kind == JUMP else 0
        )
        _after_walk(board, state, player, crossed, cell, move >> PIECE_SHIFT & 1)
    elif kind == ENTER:
        _enter(board, state, player)
    elif kind == STOP:
        _end_turn(board, state, player, 1)
    elif kind == PASS:
        _pass(board, state, player)
    else:
        if kind == SACRIFICE:
            piece = rank_of(state, player, move >> PIECE_SHIFT & CELL_MASK)
            remove_piece(state, player, piece)
            state.sacrificed[player] = 1
        if kind != PLACE:
            take_tile(board, state, player, origin)
        place_tile(board, state, player, cell)  # one call for all kinds, so that it is inlined
        _after_tile(board, state, player, kind, cell)


def playout(board: Any, state: Any, moves: Any, random: int) -> int:
    """Play random moves until the game is over; return their number."""
    count = 0
    while not state.over:
        random = advance(random)
        if takes_tile(state):
            play(board, state, random_move(board, state, moves, random))
        else:
            play_without_tile(board, state, random)
        count += 1
    return count


def play_without_tile(board: Any, state: Any, random: int) -> None:
    """Play the move that `random_move` returns, if it is not about a tile.

    Most moves are steps and jumps. They are played by the ranks of their tiles, without a move that
    has to be encoded and decoded.
    """
    player = int(state.player)
    entering = state.phase == SECOND and state.pieces_in_hand[player] > 0
    links = turn_walks(state)
    if entering and state.pieces_in_hand[player] > state.tiles_in_hand[player]:
        links = 0  # T9
    steps = popcount(links)
    index = bounded(random, steps + entering + (state.phase == FURTHER)) - entering
    if 0 <= index < steps:
        walk = 1 << nth_bit(links, index)
        start = start_of(state, player, walk)
        end = end_of(state, player, walk)
        move_piece(state, player, start, end)
        crossed = _crossed_pieces(state, player, min(start, end), max(start, end))
        cell = int(state.cells[player][end])
        _after_walk(board, state, player, crossed, cell, int(walk & EACH_TILE == 0))
    elif entering:
        _enter(board, state, player)
    elif state.phase == FURTHER:
        _end_turn(board, state, player, 1)
    else:
        _pass(board, state, player)


def _enter(board: Any, state: Any, player: int) -> None:
    """Put a piece from the hand on the tile just placed (T4)."""
    add_piece(state, player, int(state.active), 0)
    state.pieces_in_hand[player] -= 1
    _end_turn(board, state, player, 1)


def _after_tile(board: Any, state: Any, player: int, kind: int, cell: int) -> None:
    """Continue after a tile from the hand, or put a piece on one that was moved (T11, T12)."""
    if kind != PLACE:
        state.captured[player] -= kind == RETURN
        add_piece(state, player, cell, 1)
        _end_turn(board, state, player, 1)
        return
    state.tiles_in_hand[player] -= 1
    if state.pieces_in_hand[player]:
        state.phase = SECOND
        state.active = cell
    elif count_piece_moves(state, player):
        state.phase = SECOND
    else:
        _end_turn(board, state, player, 0)  # T8


def _after_walk(board: Any, state: Any, player: int, crossed: int, cell: int, turned: int) -> None:
    """Capture what a step or jump to a cell has crossed, or end the turn."""
    if crossed and _capture(board, state, 1 - player, crossed, cell, turned):
        _after_capture(board, state, player, cell)
    else:
        _end_turn(board, state, player, state.phase == FURTHER)


def _crossed_pieces(state: Any, player: int, lower: int, upper: int) -> int:
    """Return the other player's pieces between two linked tiles, in a column also those beside."""
    other = player ^ 1
    below = int(state.cells[player][lower])
    above = int(state.cells[player][upper])
    # A step crosses nothing: in a row there are no tiles between its ranks, in a column there may
    # be some beside it. A branch would be hard to predict.
    far = cell_number(above) - cell_number(below) != SIDE
    first = 1 << TILE_BITS * rank_of(state, other, below)
    last = 1 << TILE_BITS * rank_of(state, other, below + (above - below) * far)
    return state.pieces[other] & last - first


def _capture(board: Any, state: Any, other: int, pieces: int, cell: int, turned: int) -> int:
    """Remove those of the other player's pieces that a jump crosses; return their number (T15)."""
    captured = 0
    while pieces:
        rank = rank_at(pieces & -pieces)
        pieces &= pieces - 1
        # Along a row all tiles between the two cells are crossed.
        if turned and column_of(board, int(state.cells[other][rank])) != column_of(board, cell):
            continue
        lying = remove_piece(state, other, rank)
        state.remaining[other] -= lying
        state.captured[other] += 1 - lying
        captured += 1
    return captured


def _after_capture(board: Any, state: Any, player: int, piece: int) -> None:
    """Continue after a capture: end the game (T16), or offer a further jump (T7)."""
    state.quiet_turns = 0
    state.last_captor = board.last_capture << player
    if state.remaining[1 - player] <= 1:
        state.phase = FIRST
        state.active = OFF
        state.over = 1
        state.winners = 1 << player
        return
    state.phase = FURTHER
    state.active = piece


def _pass(board: Any, state: Any, player: int) -> None:
    """Pass; end the game after two passes in a row (T14)."""
    second = state.passes == 1
    _end_turn(board, state, player, 0)
    if second:
        state.passes = 2
        adjudicate(board, state)
    elif not state.over:
        state.passes = must_pass(state)


def _end_turn(board: Any, state: Any, player: int, progress: int) -> None:
    """Pass the turn to the other player, or end the game for lack of progress (T17)."""
    state.player = 1 - player
    state.phase = FIRST
    state.active = OFF
    state.quiet_turns = 0 if progress else state.quiet_turns + 1
    if state.quiet_turns == board.quiet_limit:
        adjudicate(board, state)


def adjudicate(board: Any, state: Any) -> None:
    """End the game as a draw, or by the pieces left (T17) and the last capture (T18)."""
    state.over = 1
    state.winners = 0
    if board.most_pieces:
        if state.remaining[BLUE] == state.remaining[RED]:
            state.winners = state.last_captor
        else:
            state.winners = 1 << (state.remaining[RED] > state.remaining[BLUE])
