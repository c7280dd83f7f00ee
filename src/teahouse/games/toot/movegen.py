"""Toot's moves: their encoding, and the lists that `legal` writes."""

from typing import Any

from teahouse.core.bits import bit_length, lowest_bit, popcount
from teahouse.games.toot.bitboards import (
    BIT_MASK,
    CELL_BITS,
    CELL_MASK,
    COLUMN,
    EMPTY,
    FIRST_ROW,
    NO_PIECE,
    OFF,
    ROW,
    SIDE,
    WORDS,
    all_tiles,
    cell_number,
    column_of,
    empty_tiles,
    free_cells,
    is_loose,
    loose_cells,
    lowest_cell,
    row_of,
    shift_east,
    shift_north,
    shift_south,
    shift_west,
)

# A move is its kind and up to three cells; a step or jump along a column has 1 for the first cell.
#
#    bits 29 28 27   26 … 18          17 … 9         8 … 0
#         kind       piece or 0, 1    from or tile   cell
FROM_SHIFT, PIECE_SHIFT, KIND_SHIFT = CELL_BITS, 2 * CELL_BITS, 3 * CELL_BITS
FROM_AND_CELL = (1 << PIECE_SHIFT) - 1
PLACE, ENTER, STEP, JUMP, STOP, RETURN, SACRIFICE, PASS = range(8)

# The phases of a turn: its first decision, the second one after a tile, or a further jump.
FIRST, SECOND, FURTHER = range(3)

# The two lines through a cell share one word, far enough apart not to carry into each other: the
# row from bit 0, the column from this one.
ACROSS = 41
BOTH_ENDS = 1 | 1 << ACROSS


def line_bits(board: Any, piece: int) -> int:
    """Return a piece's cell as bits of its row and its column."""
    return 1 << column_of(board, piece) | 1 << row_of(board, piece) + ACROSS


def other_tiles(row: int, column: int, player: int) -> int:
    """Return the other player's tiles on a row and a column."""
    first = SIDE - player * SIDE
    return row >> first & FIRST_ROW | (column >> first & FIRST_ROW) << ACROSS


def own_empty_tiles(row: int, column: int, player: int) -> int:
    """Return the player's tiles without a piece on a row and a column."""
    first = player * SIDE
    return row >> first & row >> EMPTY | (column >> first & column >> EMPTY) << ACROSS


def reach(board: Any, state: Any, player: int, piece: int) -> int:
    """Return where a piece can step (T5) or jump (T6), as bits of its row and its column.

    In each of the four directions the target is the first cell without a tile of the other player;
    it can be reached if it holds an empty tile of the own colour.
    """
    row = state.lines[ROW][row_of(board, piece)]
    column = state.lines[COLUMN][column_of(board, piece)]
    other = other_tiles(row, column, player)
    at = line_bits(board, piece)
    # A carry runs through the other's tiles to the first cell after them. All else that the sum has
    # are tiles of the other player.
    after = other + (at << 1)
    # Before the piece the highest bit is the target.
    before = ~other & (at - BOTH_ENDS)
    ends = 1 << bit_length(before & FIRST_ROW) | 1 << bit_length(before >> ACROSS) + ACROSS
    return (after | ends >> 1) & own_empty_tiles(row, column, player)


def count_reach(board: Any, state: Any, player: int, piece: int) -> int:
    """Return the number of cells that a piece can reach.

    Those before it are counted by carries from all empty tiles: one arrives at the piece.
    """
    row = state.lines[ROW][row_of(board, piece)]
    column = state.lines[COLUMN][column_of(board, piece)]
    other = other_tiles(row, column, player)
    empty = own_empty_tiles(row, column, player)
    at = line_bits(board, piece)
    return popcount(other + (at << 1) & empty) + popcount(other + (empty << 1) & at)


def encode_piece_move(board: Any, piece: int, index: int) -> int:
    """Return the step or jump of a piece to the bit of `reach` with this index."""
    turned = int(index >= ACROSS)
    row = row_of(board, piece)
    column = column_of(board, piece)
    to_row = index - ACROSS if turned else row
    to_column = column if turned else index
    kind = STEP if abs(to_row - row + to_column - column) == 1 else JUMP
    to = board.first_cell[max(to_row, 0)] + to_column
    return kind << KIND_SHIFT | turned << PIECE_SHIFT | piece << FROM_SHIFT | to


def list_piece_moves(board: Any, state: Any, moves: Any, count: int, only: int) -> int:
    """Append each piece's steps and jumps, first along its row; with `only`, one piece's jumps."""
    count = max(count, 0)  # lets the compiler drop the handling of negative indices
    player = int(state.player)
    own = state.piece_list[player]
    for index in range(len(own)):
        piece = int(own[index]) >> 1
        if piece == OFF:
            break
        if only != OFF and only != piece:
            continue
        reached = reach(board, state, player, piece)
        if only != OFF:
            at = line_bits(board, piece)
            reached &= ~(at << 1 | at >> 1)
        while reached:
            moves[count] = encode_piece_move(board, piece, lowest_bit(reached))
            count += 1
            reached &= reached - 1
    return count


def list_placements(board: Any, state: Any, moves: Any) -> int:
    """Write a placement on each empty cell adjacent to a tile (T3)."""
    count = 0
    for word in range(WORDS):
        cells = free_cells(state, word)
        while cells:
            moves[count] = PLACE << KIND_SHIFT | lowest_cell(word, cells)
            count += 1
            cells &= cells - 1
    return count


def _list_targets(board: Any, state: Any, moves: Any, end: int) -> int:
    """Append each free cell with the number of its only adjacent tile, if there is just one.

    Return the end of the list.
    """
    end = max(end, 0)
    for word in range(WORDS):
        tiles = all_tiles(state, word)
        east = shift_east(tiles)
        west = shift_west(tiles)
        north = shift_north(tiles, all_tiles(state, word - 1))
        south = shift_south(tiles, all_tiles(state, word + 1))
        single = (east ^ west ^ north ^ south) & ~(east & west | north & south)
        vertical = north | south
        onward = west | south
        cells = (east | west | vertical) & ~tiles
        while cells:
            cell = lowest_cell(word, cells)
            bit = cell & BIT_MASK
            case = single >> bit & 1 | (vertical >> bit & 1) << 1 | (onward >> bit & 1) << 2
            moves[end] = (cell_number(cell) + board.tile_offset[case]) << FROM_SHIFT | cell
            end += 1
            cells &= cells - 1
    return end


def _list_to_targets(moves: Any, count: int, move: int, tile: int, begin: int, end: int) -> int:
    """Append the move of a tile to each listed target that touches another tile (T13)."""
    count = max(count, 0)
    number = cell_number(tile)
    for index in range(max(begin, 0), end):
        target = moves[index]
        moves[count] = move | tile << FROM_SHIFT | target & CELL_MASK
        count += target >> FROM_SHIFT != number
    return count


def _copy_relocations(moves: Any, count: int, move: int, first: int, length: int) -> int:
    """Append the tiles and targets of listed moves to another move."""
    count = max(count, 0)
    first = max(first, 0)
    for index in range(length):
        moves[count + index] = move | moves[first + index] & FROM_AND_CELL
    return count + length


def list_relocations(board: Any, state: Any, moves: Any, count: int) -> int:
    """Append the returns (T11) and the sacrifices (T12)."""
    player = int(state.player)
    begin = len(moves) - board.max_cells  # `max_moves` reserves the tail for the targets
    end = _list_targets(board, state, moves, begin)
    first = count
    for word in range(WORDS):
        empty = empty_tiles(state, player, word) & loose_cells(state, word)
        while empty:
            tile = lowest_cell(word, empty)
            count = _list_to_targets(moves, count, RETURN << KIND_SHIFT, tile, begin, end)
            empty &= empty - 1
    if state.sacrificed[player]:
        return count
    length = count - first
    if state.captured[player] == 0:
        count = first  # the returns are only a template, overwritten by the sacrifices
    own = state.piece_list[player]
    for index in range(len(own)):
        if own[index] & 1 == 0 and own[index] != NO_PIECE:
            move = SACRIFICE << KIND_SHIFT | int(own[index]) >> 1 << PIECE_SHIFT
            count = _copy_relocations(moves, count, move, first, length)
    for index in range(len(own)):
        piece = int(own[index]) >> 1
        if own[index] & 1 == 0 and own[index] != NO_PIECE and is_loose(state, piece):
            move = SACRIFICE << KIND_SHIFT | piece << PIECE_SHIFT
            count = _list_to_targets(
                moves, count, move, piece, begin, end
            )  # from its own tile (T13)
    return count


def can_move(board: Any, state: Any) -> int:
    """Return 1 if the player has a step or a jump, else 0."""
    player = int(state.player)
    own = state.piece_list[player]
    for index in range(len(own)):
        if own[index] == NO_PIECE:
            break
        if count_reach(board, state, player, int(own[index]) >> 1):
            return 1
    return 0


def must_pass(board: Any, state: Any) -> int:
    """Return 1 if the player whose turn begins has no legal move (T14), else 0."""
    player = int(state.player)
    if state.tiles_in_hand[player] or can_move(board, state):
        return 0
    # A tile that may be taken always has a target: the other tiles touch at least two free cells.
    standing = 0
    own = state.piece_list[player]
    for index in range(len(own)):
        if own[index] & 1 == 0 and own[index] != NO_PIECE and state.sacrificed[player] == 0:
            standing += 1
            if is_loose(state, int(own[index]) >> 1):
                return 0
    if standing or state.captured[player]:
        for word in range(WORDS):
            if empty_tiles(state, player, word) & loose_cells(state, word):
                return 0
    return 1
