"""Toot's tiles by rank, the links between them, and the pieces on them.

A player's tiles are ranked in the order of their cells. A set of them has a bit for each rank.

Two tiles of a colour are linked if a piece can move from one to the other as soon as that one is
empty: they are adjacent (T5), or on a line with only tiles of the other colour between them (T6).
Links change only where a tile is placed or taken, so a piece's moves need no look at the table. The
links of a tile are two sets of tiles in one word:

    bits 32 … 51   linked tiles in the same column, by rank
    bits  0 … 19   linked tiles in the same row
"""

from typing import Any

from teahouse.core.bits import bit_length, deposit, extract, lowest_bit, popcount
from teahouse.games.toot.bitboards import (
    BIT_MASK,
    FIRST_ROW,
    OFF,
    SIDE,
    WORD_SHIFT,
    WORDS,
    column_of,
    row_of,
)

COLUMN_SHIFT = 32
RANK_MASK = COLUMN_SHIFT - 1

# `lower_tiles` has a byte for each word: a tile counts in all words above its own.
COUNT_BITS = 8
COUNT_MASK = (1 << COUNT_BITS) - 1
COUNTS_MASK = (1 << WORDS * COUNT_BITS) - 1
HIGHER_WORDS = COUNTS_MASK // COUNT_MASK - 1

# The two lines through a cell share one word, far enough apart not to carry into each other: the
# row from bit 0, the column from this one.
ACROSS = 41
BOTH_ENDS = 1 | 1 << ACROSS
ONE_COLUMN = 1 | 1 << SIDE | 1 << 2 * SIDE


def first_rank(state: Any, player: int, word: int) -> int:
    """Return the number of a player's tiles in the words below."""
    return state.lower_tiles[player] >> COUNT_BITS * word & COUNT_MASK


def rank_of(state: Any, player: int, cell: int) -> int:
    """Return the rank of the player's tile on a cell: the number of tiles on lower cells."""
    word = cell >> WORD_SHIFT & 7
    lower = state.tiles[player][word] & (1 << (cell & BIT_MASK)) - 1
    return first_rank(state, player, word) + popcount(lower)


def tiles_in_word(state: Any, player: int, ranks: int, word: int) -> int:
    """Return the cells of a word with those of a player's tiles that are in a set."""
    return deposit(ranks >> first_rank(state, player, word), state.tiles[player][word])


def empty_tiles(state: Any, player: int, word: int) -> int:
    """Return the cells of a word with a player's tiles without a piece."""
    occupied = tiles_in_word(state, player, state.pieces[player], word)
    return state.tiles[player][word] & ~occupied


def standing_pieces(state: Any, player: int) -> int:
    """Return the tiles with the player's first-life pieces."""
    return state.pieces[player] & ~state.lying[player]


def has_tile(state: Any, player: int, cell: int) -> int:
    """Return 1 if the player has a tile on the cell, else 0."""
    return state.tiles[player][cell >> WORD_SHIFT] >> (cell & BIT_MASK) & 1


def has_piece(state: Any, player: int, cell: int) -> int:
    """Return 1 if the player has a piece on the cell, else 0."""
    rank = rank_of(state, player, cell)
    return has_tile(state, player, cell) & state.pieces[player] >> rank


def reach(state: Any, player: int, rank: int) -> int:
    """Return where a piece can step (T5) or jump (T6): the links of its tile to empty ones."""
    occupied = int(state.pieces[player])
    return state.links[player][rank] & ~(occupied | occupied << COLUMN_SHIFT)


def add_piece(state: Any, player: int, cell: int, lying: int) -> None:
    """Put a piece on an empty tile."""
    rank = rank_of(state, player, cell)
    state.pieces[player] |= 1 << rank
    state.lying[player] |= lying << rank


def remove_piece(state: Any, player: int, rank: int) -> int:
    """Take a piece off its tile; return 1 if it was lying, else 0."""
    lying = state.lying[player] >> rank & 1
    state.pieces[player] ^= 1 << rank
    state.lying[player] ^= lying << rank
    return lying


def first_tile(state: Any, player: int, cell: int) -> None:
    """Put a player's first tile on an empty table; a tile of the other player may touch it."""
    word = cell >> WORD_SHIFT & 7
    state.cells[player][0] = cell
    state.tiles[player][word] = 1 << (cell & BIT_MASK)
    state.lower_tiles[player] = HIGHER_WORDS << COUNT_BITS * word & COUNTS_MASK


def place_tile(board: Any, state: Any, player: int, cell: int) -> None:
    """Put an empty tile on a free cell: the ranks of tiles on higher cells go up."""
    rank = rank_of(state, player, cell)
    lower = (1 << rank) - 1
    lower |= lower << COLUMN_SHIFT
    cells = state.cells[player]
    links = state.links[player]
    for index in range(len(links)):
        links[index] += links[index] & ~lower
    for index in range(len(cells) - 1, 0, -1):
        links[index] = links[index - 1] if index > rank else links[index]
        cells[index] = cells[index - 1] if index > rank else cells[index]
    links[rank] = 0
    cells[rank] = cell
    state.pieces[player] += state.pieces[player] & ~lower
    state.lying[player] += state.lying[player] & ~lower
    word = cell >> WORD_SHIFT & 7
    state.tiles[player][word] ^= 1 << (cell & BIT_MASK)
    state.lower_tiles[player] += HIGHER_WORDS << COUNT_BITS * word & COUNTS_MASK
    _toggle_links(board, state, player, cell, rank)


def take_tile(board: Any, state: Any, player: int, cell: int) -> None:
    """Remove an empty tile: the ranks of tiles on higher cells go down."""
    rank = rank_of(state, player, cell)
    _toggle_links(board, state, player, cell, rank)
    lower = (1 << rank) - 1
    lower |= lower << COLUMN_SHIFT
    cells = state.cells[player]
    links = state.links[player]
    last = len(cells) - 1
    for index in range(last):
        links[index] = links[index + 1] if index >= rank else links[index]
        cells[index] = cells[index + 1] if index >= rank else cells[index]
    links[last] = 0
    cells[last] = OFF
    for index in range(last):
        links[index] -= (links[index] & ~lower) >> 1
    state.pieces[player] -= (state.pieces[player] & ~lower) >> 1
    state.lying[player] -= (state.lying[player] & ~lower) >> 1
    word = cell >> WORD_SHIFT & 7
    state.tiles[player][word] ^= 1 << (cell & BIT_MASK)
    state.lower_tiles[player] -= HIGHER_WORDS << COUNT_BITS * word & COUNTS_MASK


def _toggle_links(board: Any, state: Any, player: int, cell: int, rank: int) -> None:
    """Add or remove the links that a player's tile on a cell has, and those that jump over it."""
    row = 1 << row_of(board, cell)
    at = 1 << column_of(board, cell) | row << ACROSS
    own = _lines(board, state, player, cell)
    other = _lines(board, state, 1 - player, cell)
    ends = _ends(own, other, at)
    # Along a row, linked tiles are next to each other in rank. In a column without an end in a
    # direction, the end is the tile itself. Branches would be hard to predict.
    left = int(ends & at - 1 & FIRST_ROW != 0)
    right = int(ends & -at & FIRST_ROW != 0)
    ends = ends >> ACROSS | row
    lower = rank_of(state, player, _cell_in_column(board, cell, lowest_bit(ends)))
    upper = rank_of(state, player, _cell_in_column(board, cell, bit_length(ends) - 1))
    links = state.links[player]
    links[rank - left] ^= left << rank
    links[rank + right] ^= right << rank
    links[lower] ^= (1 << COLUMN_SHIFT) << rank
    links[upper] ^= (1 << COLUMN_SHIFT) << rank
    in_row = right << rank + 1 | left << rank >> 1
    in_column = 1 << lower ^ 1 << upper  # with the bit that the tile itself got as an end
    links[rank] ^= in_column << COLUMN_SHIFT | in_row
    ends = _ends(other, own, at)
    links = state.links[1 - player]
    if popcount(ends & FIRST_ROW) == 2:
        upper = rank_of(state, 1 - player, cell)
        _toggle_link(links, upper - 1, upper, 0)
    ends >>= ACROSS
    if ends & ends - 1:
        lower = rank_of(state, 1 - player, _cell_in_column(board, cell, lowest_bit(ends)))
        upper = rank_of(state, 1 - player, _cell_in_column(board, cell, bit_length(ends) - 1))
        _toggle_link(links, lower, upper, COLUMN_SHIFT)


def _lines(board: Any, state: Any, player: int, cell: int) -> int:
    """Return a player's tiles in the row and the column of a cell."""
    tiles = state.tiles[player]
    column = column_of(board, cell)
    bits = tiles[cell >> WORD_SHIFT & 7] >> (cell & BIT_MASK) - column & FIRST_ROW
    for word in range(WORDS):
        bits |= extract(tiles[word], ONE_COLUMN << column) << ACROSS + 3 * word
    return bits


def _ends(own: int, other: int, at: int) -> int:
    """Return the first own tile in each of the four directions, if only others are before it."""
    # A carry runs through the other's tiles to the first cell after them. All else that the sum has
    # are tiles of the other player.
    after = other + (at << 1)
    # Before the cell the highest bit is the end.
    before = ~other & (at - BOTH_ENDS)
    ends = 1 << bit_length(before & FIRST_ROW) | 1 << bit_length(before >> ACROSS) + ACROSS
    return (after | ends >> 1) & own


def _cell_in_column(board: Any, cell: int, row: int) -> int:
    """Return the cell in the column of a cell and in a row."""
    return int(board.first_cell[row]) + column_of(board, cell)


def _toggle_link(links: Any, rank: int, other: int, line: int) -> None:
    """Add or remove the link between two tiles in a row, or in a column."""
    links[rank] ^= 1 << other + line
    links[other] ^= 1 << rank + line
