"""Bitboards of Toot's table: sets of cells.

A set of cells has a bit for each cell: a word holds three rows of 21 cells, and seven words hold
all 21 rows. A cell is its word and its bit.

    word 6   rows 19 to 21        bits 42 … 62   the third row of its word, a to u
    …                             bits 21 … 41   the second
    word 0   rows 1 to 3          bits  0 … 20   the first
"""

from typing import Any

from teahouse.core.bits import lowest_bit, popcount

BLUE, RED = 0, 1

SIDE = 21
WORDS = 7
WORD_SHIFT = 6
BIT_MASK = (1 << WORD_SHIFT) - 1
CELL_BITS = 9
CELL_MASK = (1 << CELL_BITS) - 1
OFF = WORDS << WORD_SHIFT  # no cell

FIRST_ROW = (1 << SIDE) - 1
FIRST_TWO_ROWS = (1 << 2 * SIDE) - 1
NOT_FIRST_COLUMN = (1 << 3 * SIDE) - 1 - (1 | 1 << SIDE | 1 << 2 * SIDE)
NOT_LAST_COLUMN = NOT_FIRST_COLUMN >> 1

# The cells after and before one, as `cells_after` and `cells_before` return them: those adjacent to
# it, and four each that are empty if the one to the east, west, north or south touches no other.
AFTER_EAST, AFTER_NORTH = 0, SIDE - 1
BEFORE_WEST, BEFORE_SOUTH = 62, 63 - SIDE
ADJACENT_AFTER = 1 << AFTER_EAST | 1 << AFTER_NORTH
ADJACENT_BEFORE = 1 << BEFORE_WEST | 1 << BEFORE_SOUTH
EAST_AFTER, EAST_BEFORE = 3 << AFTER_EAST | 2 << AFTER_NORTH, 2 << BEFORE_SOUTH
WEST_AFTER, WEST_BEFORE = 1 << AFTER_NORTH - 1, 3 << BEFORE_WEST - 1 | 1 << BEFORE_SOUTH - 1
NORTH_AFTER = 7 << AFTER_NORTH - 1 | 1 << AFTER_NORTH + SIDE
SOUTH_BEFORE = 7 << BEFORE_SOUTH - 1 | 1 << BEFORE_SOUTH - SIDE
# The first and last two columns of a word.
EDGE_COLUMNS = NOT_FIRST_COLUMN ^ (1 << 3 * SIDE) - 1
EDGE_COLUMNS |= EDGE_COLUMNS << 1 | EDGE_COLUMNS << SIDE - 2 | EDGE_COLUMNS << SIDE - 1
NOT_LOOSE = 7  # instead of a number of lone neighbours


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


def all_tiles(state: Any, word: int) -> int:
    """Return both players' tiles in a word, none outside the table."""
    return state.tiles[BLUE][word] | state.tiles[RED][word] if 0 <= word < WORDS else 0


def own_tiles(state: Any, player: int, word: int) -> int:
    """Return a player's tiles in a word, none outside the table."""
    return state.tiles[player][word] if 0 <= word < WORDS else 0


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


def stranded_cells(state: Any, word: int, tile: int) -> int:
    """Return the empty cells of a word that are adjacent to the tile on a cell and to no other."""
    at = tile >> WORD_SHIFT
    bit = 1 << (tile & BIT_MASK)
    near = neighbours(
        bit if at == word else 0,
        bit if at == word - 1 else 0,
        bit if at == word + 1 else 0,
    )
    return near & lone_cells(state, word)


def tile_targets(state: Any, word: int, tile: int) -> int:
    """Return the cells of a word for a new tile (T3), or for one that leaves its cell (T13)."""
    cells = free_cells(state, word)
    return cells if tile == OFF else cells & ~stranded_cells(state, word, tile)


def loose_cells(state: Any, word: int) -> int:
    """Return the cells of a word with at most three adjacent tiles (T11)."""
    tiles = all_tiles(state, word)
    north = shift_north(tiles, all_tiles(state, word - 1))
    south = shift_south(tiles, all_tiles(state, word + 1))
    return ~(shift_east(tiles) & shift_west(tiles) & north & south)


def is_loose(state: Any, cell: int) -> int:
    """Return 1 if the cell has at most three adjacent tiles, else 0."""
    return loose_cells(state, cell >> WORD_SHIFT) >> (cell & BIT_MASK) & 1


def cells_after(bits: int, above: int, bit: int) -> int:
    """Return the members of a word and the next one after a bit, from bit 0."""
    return bits >> bit + 1 | above << 62 - bit


def cells_before(bits: int, below: int, bit: int) -> int:
    """Return the members of a word and the previous one before a bit, up to bit 62."""
    return bits << 63 - bit | below >> bit


def lone_neighbours(state: Any, tile: int) -> int:
    """Return how many empty cells touch the tile on a cell and no other.

    For a tile that is not loose (T11), return `NOT_LOOSE`.
    """
    at = tile >> WORD_SHIFT & 7
    bit = tile & BIT_MASK
    if EDGE_COLUMNS >> bit & 1 or not 0 < at < WORDS - 1:
        count = 0
        for word in range(max(at - 1, 0), min(at + 2, WORDS)):
            count += popcount(stranded_cells(state, word, tile))
        return count if is_loose(state, tile) else NOT_LOOSE
    # Without branches, which would be hard to predict.
    blue, red = state.tiles[BLUE], state.tiles[RED]
    tiles = blue[at] | red[at]
    after = cells_after(tiles, blue[at + 1] | red[at + 1], bit)
    before = cells_before(tiles, blue[at - 1] | red[at - 1], bit)
    count = int((after & EAST_AFTER | before & EAST_BEFORE) == 0)
    count += int((after & WEST_AFTER | before & WEST_BEFORE) == 0)
    count += int(after & NORTH_AFTER == 0) + int(before & SOUTH_BEFORE == 0)
    missing = ~after & ADJACENT_AFTER | ~before & ADJACENT_BEFORE
    return count + NOT_LOOSE * int(missing == 0)
