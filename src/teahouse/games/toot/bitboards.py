"""Bitboards of Toot's table: sets of cells, and tiles and pieces on them.

A set of cells has a bit for each cell: a word holds three rows of 21 cells, and seven words hold
all 21 rows.

    word 6   rows 19 to 21        bits 42 … 62   the third row of its word, a to u
    …                             bits 21 … 41   the second
    word 0   rows 1 to 3          bits  0 … 20   the first

A cell is its word and its bit. The cells with a tile are such a set. Whose tiles these are, and
which of them have no piece, is stored by lines: a word for each row and one for each column.

    bits 42 … 62   tiles without a piece, of either player
    bits 21 … 41   Red's tiles
    bits  0 … 20   Blue's tiles
"""

from typing import Any

from teahouse.core.bits import lowest_bit

BLUE, RED = 0, 1

SIDE = 21
WORDS = 7
WORD_SHIFT = 6
BIT_MASK = (1 << WORD_SHIFT) - 1
CELL_BITS = 9
CELL_MASK = (1 << CELL_BITS) - 1
OFF = WORDS << WORD_SHIFT  # no cell

# A piece on the table is twice its cell, plus 1 if it lies: it is on its second life.
NO_PIECE = OFF << 1

FIRST_ROW = (1 << SIDE) - 1
FIRST_TWO_ROWS = (1 << 2 * SIDE) - 1
NOT_FIRST_COLUMN = (1 << 3 * SIDE) - 1 - (1 | 1 << SIDE | 1 << 2 * SIDE)
NOT_LAST_COLUMN = NOT_FIRST_COLUMN >> 1

ROW, COLUMN = 0, 1  # kinds of lines
# The first bit of a line's tiles without a piece; that of a player's tiles is player * SIDE.
EMPTY = 2 * SIDE


def cell_at(column: int, row: int) -> int:
    """Return the cell in a column and a row, both from 0."""
    return row // 3 << WORD_SHIFT | row % 3 * SIDE + column


def cell_number(cell: int) -> int:
    """Return the cell's number among all 441, without the spare bit of each word."""
    return cell - (cell >> WORD_SHIFT)


def lowest_cell(word: int, bits: int) -> int:
    """Return the cell of the lowest bit set in a word."""
    return word << WORD_SHIFT | lowest_bit(bits)


def row_of(board: Any, cell: int) -> int:
    """Return the row of a cell."""
    return int(board.row[cell & CELL_MASK])


def column_of(board: Any, cell: int) -> int:
    """Return the column of a cell."""
    return int(board.column[cell & CELL_MASK])


def toggle_tile(board: Any, state: Any, player: int, cell: int) -> None:
    """Put a tile on a cell without one, or remove a tile without a piece."""
    row = row_of(board, cell)
    column = column_of(board, cell)
    state.tiles[cell >> WORD_SHIFT & 7] ^= 1 << (cell & BIT_MASK)
    state.lines[ROW][row] ^= (1 << player * SIDE | 1 << EMPTY) << column
    state.lines[COLUMN][column] ^= (1 << player * SIDE | 1 << EMPTY) << row


def toggle_piece(board: Any, state: Any, cell: int) -> None:
    """Mark a tile as empty or as occupied by a piece."""
    row = row_of(board, cell)
    column = column_of(board, cell)
    state.lines[ROW][row] ^= 1 << EMPTY + column
    state.lines[COLUMN][column] ^= 1 << EMPTY + row


def add_piece(board: Any, state: Any, player: int, cell: int, lying: int) -> None:
    """Put a piece on an empty tile."""
    toggle_piece(board, state, cell)
    own = state.piece_list[player]  # sorted by cell
    piece = cell << 1 | lying
    for index in range(len(own)):
        other = int(own[index])
        own[index] = min(piece, other)
        piece = max(piece, other)


def remove_piece(board: Any, state: Any, player: int, cell: int) -> int:
    """Take a piece off its tile; return 1 if it was lying, else 0."""
    toggle_piece(board, state, cell)
    own = state.piece_list[player]
    last = len(own) - 1
    lying = 0
    found = 0
    for index in range(last):
        piece = int(own[index])
        found |= piece >> 1 == cell
        lying |= (piece >> 1 == cell) & piece
        own[index] = own[index + 1] if found else piece
    lying |= (own[last] >> 1 == cell) & own[last]
    own[last] = NO_PIECE
    return lying


def move_in_list(own: Any, origin: int, cell: int) -> None:
    """Replace a piece's cell in its player's list, which stays sorted."""
    old = origin << 1
    lying = 0
    for index in range(len(own)):
        lying |= own[index] == old + 1
    new = cell << 1 | lying
    below = 0  # the piece before, without the old one
    for index in range(len(own)):
        piece = int(own[index])
        if piece >= old:
            piece = int(own[index + 1]) if index + 1 < len(own) else NO_PIECE
        own[index] = min(max(below, new), piece)
        below = piece


def has_tile(state: Any, player: int, cell: int) -> int:
    """Return 1 if the player has a tile on the cell, else 0."""
    return player_tiles(state, player, cell >> WORD_SHIFT) >> (cell & BIT_MASK) & 1


def has_piece(state: Any, cell: int) -> int:
    """Return 1 if there is a piece on the cell, else 0."""
    word = cell >> WORD_SHIFT
    return (state.tiles[word] & ~three_rows(state, word, EMPTY)) >> (cell & BIT_MASK) & 1


def three_rows(state: Any, word: int, first: int) -> int:
    """Return 21 bits of each row of a word, from the row's bit `first`, as a set of cells."""
    rows = state.lines[ROW]
    word &= 7
    bits = rows[3 * word] >> first & FIRST_ROW
    bits |= (rows[3 * word + 1] >> first & FIRST_ROW) << SIDE
    return bits | (rows[3 * word + 2] >> first & FIRST_ROW) << 2 * SIDE


def player_tiles(state: Any, player: int, word: int) -> int:
    """Return a player's tiles in a word."""
    return three_rows(state, word, player * SIDE)


def empty_tiles(state: Any, player: int, word: int) -> int:
    """Return a player's tiles without a piece in a word."""
    return player_tiles(state, player, word) & three_rows(state, word, EMPTY)


def all_tiles(state: Any, word: int) -> int:
    """Return both players' tiles in a word, none outside the table."""
    return state.tiles[word] if 0 <= word < WORDS else 0


def shift_east(tiles: int) -> int:
    """Return the cells of a word to the east of these."""
    return (tiles & NOT_LAST_COLUMN) << 1


def shift_west(tiles: int) -> int:
    """Return the cells of a word to the west of these."""
    return (tiles & NOT_FIRST_COLUMN) >> 1


def shift_north(tiles: int, below: int) -> int:
    """Return the cells of a word to the north of these and of those in the word below."""
    return (tiles & FIRST_TWO_ROWS) << SIDE | below >> 2 * SIDE


def shift_south(tiles: int, above: int) -> int:
    """Return the cells of a word to the south of these and of those in the word above."""
    return tiles >> SIDE | (above & FIRST_ROW) << 2 * SIDE


def neighbours(bits: int, below: int, above: int) -> int:
    """Return the cells of a word adjacent to these and to those in the words below and above."""
    return shift_east(bits) | shift_west(bits) | shift_north(bits, below) | shift_south(bits, above)


def free_cells(state: Any, word: int) -> int:
    """Return the empty cells of a word that are adjacent to a tile."""
    tiles = all_tiles(state, word)
    return neighbours(tiles, all_tiles(state, word - 1), all_tiles(state, word + 1)) & ~tiles


def lone_cells(state: Any, word: int) -> int:
    """Return the empty cells of a word that are adjacent to exactly one tile."""
    tiles = all_tiles(state, word)
    east = shift_east(tiles)
    west = shift_west(tiles)
    north = shift_north(tiles, all_tiles(state, word - 1))
    south = shift_south(tiles, all_tiles(state, word + 1))
    return (east ^ west ^ north ^ south) & ~(east & west | north & south | tiles)


def tile_targets(state: Any, word: int, tile: int) -> int:
    """Return the cells of a word for a new tile (T3), or for one that leaves its cell (T13)."""
    cells = free_cells(state, word)
    if tile != OFF:
        at = tile >> WORD_SHIFT
        bit = 1 << (tile & BIT_MASK)
        near = neighbours(
            bit if at == word else 0,
            bit if at == word - 1 else 0,
            bit if at == word + 1 else 0,
        )
        cells &= ~(near & lone_cells(state, word))
    return cells


def loose_cells(state: Any, word: int) -> int:
    """Return the cells of a word with at most three adjacent tiles (T11)."""
    tiles = all_tiles(state, word)
    north = shift_north(tiles, all_tiles(state, word - 1))
    south = shift_south(tiles, all_tiles(state, word + 1))
    return ~(shift_east(tiles) & shift_west(tiles) & north & south)


def is_loose(state: Any, cell: int) -> int:
    """Return 1 if the cell has at most three adjacent tiles, else 0."""
    return loose_cells(state, cell >> WORD_SHIFT) >> (cell & BIT_MASK) & 1
