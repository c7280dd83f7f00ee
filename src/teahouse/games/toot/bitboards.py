"""Bitboards of Toot's table: sets of cells, and tiles and pieces on them.

A set of cells has a bit for each cell: a word holds three rows of 21 cells, and seven words hold
all 21 rows.

    word 6   rows 19 to 21        bits 42 … 62   the third row of its word, a to u
    …                             bits 21 … 41   the second
    word 0   rows 1 to 3          bits  0 … 20   the first

A cell is its word and its bit. Tiles and pieces are stored a second time transposed, with columns
for rows, so that every line through a cell is 21 adjacent bits.
"""

from typing import Any

from teahouse.core.bits import lowest_bit

BLUE, RED = 0, 1

SIDE = 21
WORDS = 7
WORD_SHIFT = 6
BIT_MASK = (1 << WORD_SHIFT) - 1
OFF = WORDS << WORD_SHIFT  # no cell

# A piece on the table is twice its cell, plus 1 if it lies: it is on its second life.
NO_PIECE = OFF << 1

FIRST_ROW = (1 << SIDE) - 1
FIRST_TWO_ROWS = (1 << 2 * SIDE) - 1
NOT_FIRST_COLUMN = (1 << 3 * SIDE) - 1 - (1 | 1 << SIDE | 1 << 2 * SIDE)
NOT_LAST_COLUMN = NOT_FIRST_COLUMN >> 1

# Masks of the population count: bits are added in pairs, then in fours, then in bytes.
PAIRS = 0x5555555555555555
FOURS = 0x3333333333333333
BYTES = 0x0F0F0F0F0F0F0F0F


def cell_at(column: int, row: int) -> int:
    """Return the cell in a column and a row, both from 0."""
    return row // 3 << WORD_SHIFT | row % 3 * SIDE + column


def cell_number(cell: int) -> int:
    """Return the cell's number among all 441, without the spare bit of each word."""
    return cell - (cell >> WORD_SHIFT)


def lowest_cell(word: int, bits: int) -> int:
    """Return the cell of the lowest bit set in a word."""
    return word << WORD_SHIFT | lowest_bit(bits)


def contains(words: Any, cell: int) -> int:
    """Return 1 if the cell's bit is set, else 0."""
    return words[cell >> WORD_SHIFT] >> (cell & BIT_MASK) & 1


def _toggle(words: Any, cell: int) -> None:
    """Flip the cell's bit."""
    words[cell >> WORD_SHIFT] ^= 1 << (cell & BIT_MASK)


def toggle_tile(board: Any, state: Any, player: int, cell: int) -> None:
    """Put a tile on an empty cell, or remove it."""
    _toggle(state.tiles[0][player], cell)
    _toggle(state.tiles[1][player], int(board.turned[cell]))


def add_piece(board: Any, state: Any, player: int, cell: int, lying: int) -> None:
    """Put a piece on an empty tile."""
    _toggle(state.pieces[0], cell)
    _toggle(state.pieces[1], int(board.turned[cell]))
    own = state.piece_list[player]  # sorted by cell
    piece = cell << 1 | lying
    for index in range(len(own)):
        other = int(own[index])
        own[index] = min(piece, other)
        piece = max(piece, other)


def remove_piece(board: Any, state: Any, player: int, cell: int) -> int:
    """Take a piece off its tile; return 1 if it was lying, else 0."""
    _toggle(state.pieces[0], cell)
    _toggle(state.pieces[1], int(board.turned[cell]))
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


def all_tiles(state: Any, word: int) -> int:
    """Return both players' tiles in a word, none outside the table."""
    if word < 0 or word >= WORDS:
        return 0
    return state.tiles[0][BLUE][word] | state.tiles[0][RED][word]


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


def byte_counts(bits: int) -> int:
    """Return the population count of each byte of a word."""
    bits -= bits >> 1 & PAIRS
    bits = (bits & FOURS) + (bits >> 2 & FOURS)
    return bits + (bits >> 4) & BYTES


def sum_bytes(counts: int) -> int:
    """Return the sum of a word's bytes, which must be below 256."""
    counts += counts >> 32
    counts += counts >> 16
    return counts + (counts >> 8) & 255
