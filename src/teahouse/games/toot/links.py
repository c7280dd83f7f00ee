"""Toot's tiles by rank, the links between them, and the pieces on them.

A player's tiles are ranked in the order of their cells. Two tiles of a colour are linked if a piece
can move from one to the other as soon as that one is empty: they are adjacent (T5), or on a line
with only tiles of the other colour between them (T6). Links change only where a tile is placed or
taken, so a piece's moves need no look at the table. Along a row, linked tiles are next to each
other in rank. Sets of tiles and of links have three bits for each rank:

    bit 3r       a tile; among links, the one between tiles r and r + 1 in a row
    bit 3r + 1   the link from tile r down its column
    bit 3r + 2   the link from tile r up its column

`links` has those in a row, and those in a column that lead to an empty tile. `column_links` has for
each tile the links in its column that lead to it, so that a piece that comes or goes toggles them.
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

MAX_TILES = 20
TILE_BITS = 3
IN_ROW, DOWN, UP = 1, 2, 4  # the bits of a tile's links
IN_COLUMN = DOWN | UP
EACH_TILE = (1 << TILE_BITS * MAX_TILES) // ((1 << TILE_BITS) - 1)
EACH_DOWN, EACH_UP = EACH_TILE * DOWN, EACH_TILE * UP

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
EACH_WORD = FIRST_ROW // 7


def first_rank(state: Any, player: int, word: int) -> int:
    """Return the number of a player's tiles in the words below."""
    return state.lower_tiles[player] >> COUNT_BITS * word & COUNT_MASK


def rank_of(state: Any, player: int, cell: int) -> int:
    """Return the rank of the player's tile on a cell: the number of tiles on lower cells."""
    word = cell >> WORD_SHIFT & 7
    lower = state.tiles[player][word] & (1 << (cell & BIT_MASK)) - 1
    return first_rank(state, player, word) + popcount(lower)


def rank_at(bit: int) -> int:
    """Return the rank of the tile that a single bit of a set of tiles or links belongs to."""
    return popcount(bit - 1 & EACH_UP)


def ranks_of(tiles: int) -> int:
    """Return a set of tiles with one bit for each rank."""
    return extract(tiles, EACH_TILE)


def vacant_ranks(state: Any, player: int) -> int:
    """Return the ranks of a player's tiles without a piece, and all above them."""
    return ~ranks_of(state.pieces[player])


def tiles_in_word(state: Any, player: int, ranks: int, word: int) -> int:
    """Return the cells of a word with those of a player's tiles whose ranks are in a set."""
    return deposit(ranks >> first_rank(state, player, word), state.tiles[player][word])


def standing_pieces(state: Any, player: int) -> int:
    """Return the tiles with the player's first-life pieces."""
    return state.pieces[player] & ~state.lying[player]


def has_tile(state: Any, player: int, cell: int) -> int:
    """Return 1 if the player has a tile on the cell, else 0."""
    return state.tiles[player][cell >> WORD_SHIFT] >> (cell & BIT_MASK) & 1


def has_piece(state: Any, player: int, cell: int) -> int:
    """Return 1 if the player has a piece on the cell, else 0."""
    rank = rank_of(state, player, cell)
    return has_tile(state, player, cell) & state.pieces[player] >> TILE_BITS * rank


def is_lying(state: Any, player: int, rank: int) -> int:
    """Return 1 if a piece on its second life is on the tile, else 0."""
    return state.lying[player] >> TILE_BITS * rank & 1


def walks(state: Any, player: int) -> int:
    """Return the links that pieces can go along, steps (T5) and jumps (T6), in order of pieces.

    In a row, a piece goes to an empty tile if just one of the two has a piece. The link comes
    before others of its tiles, as all of these are those of that piece.
    """
    pieces = state.pieces[player]
    return state.links[player] & (IN_COLUMN * pieces | pieces ^ pieces >> TILE_BITS)


def walks_from(state: Any, player: int, rank: int) -> int:
    """Return the links that the piece on a tile can go along."""
    bit = TILE_BITS * rank
    return walks(state, player) & ((IN_ROW | IN_COLUMN) << bit | IN_ROW << bit >> TILE_BITS)


def start_of(state: Any, player: int, walk: int) -> int:
    """Return the rank of the tile from which a piece goes along a link."""
    # In a row it may be the second tile: if that has a piece, the first has none.
    return rank_at(walk) + int(state.pieces[player] & walk << TILE_BITS != 0)


def end_of(state: Any, player: int, walk: int) -> int:
    """Return the rank of the tile to which a piece goes along a link."""
    # In a column it has the opposite link, which leads back. Branches would be hard to predict.
    pieces = state.pieces[player]
    in_row = (walk & pieces) << TILE_BITS | walk & pieces >> TILE_BITS
    opposite = EACH_UP if walk & EACH_DOWN else EACH_DOWN
    in_column = state.column_links[player][rank_at(walk)] & (0 if walk & EACH_TILE else opposite)
    return rank_at(in_row | in_column)


def move_piece(state: Any, player: int, start: int, end: int) -> None:
    """Move a piece from one tile to another, given by rank."""
    both = 1 << TILE_BITS * start | 1 << TILE_BITS * end
    state.lying[player] ^= both * is_lying(state, player, start)
    state.pieces[player] ^= both
    columns = state.column_links[player]
    state.links[player] ^= columns[start] ^ columns[end]


def add_piece(state: Any, player: int, cell: int, lying: int) -> None:
    """Put a piece on an empty tile."""
    rank = rank_of(state, player, cell)
    state.pieces[player] |= 1 << TILE_BITS * rank
    state.lying[player] |= lying << TILE_BITS * rank
    state.links[player] ^= state.column_links[player][rank]


def remove_piece(state: Any, player: int, rank: int) -> int:
    """Take a piece off its tile; return 1 if it was lying, else 0."""
    lying = is_lying(state, player, rank)
    state.pieces[player] ^= 1 << TILE_BITS * rank
    state.lying[player] ^= lying << TILE_BITS * rank
    state.links[player] ^= state.column_links[player][rank]
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
    lower = (1 << TILE_BITS * rank) - 1
    cells = state.cells[player]
    columns = state.column_links[player]
    for index in range(len(cells) - 1, 0, -1):
        source = index - (index > rank)
        columns[index] = _raise(columns[source], lower)
        cells[index] = cells[source]
    columns[0] = _raise(columns[0], lower)
    cells[rank] = cell
    state.links[player] = _raise(state.links[player], lower)
    state.pieces[player] = _raise(state.pieces[player], lower)
    state.lying[player] = _raise(state.lying[player], lower)
    word = cell >> WORD_SHIFT & 7
    state.tiles[player][word] ^= 1 << (cell & BIT_MASK)
    state.lower_tiles[player] += HIGHER_WORDS << COUNT_BITS * word & COUNTS_MASK
    _toggle_links(board, state, player, cell, rank)


def take_tile(board: Any, state: Any, player: int, cell: int) -> None:
    """Remove an empty tile: the ranks of tiles on higher cells go down."""
    rank = rank_of(state, player, cell)
    _toggle_links(board, state, player, cell, rank)
    lower = (1 << TILE_BITS * rank) - 1
    cells = state.cells[player]
    columns = state.column_links[player]
    last = len(cells) - 1
    for index in range(last):
        source = index + (index >= rank)
        columns[index] = _sink(columns[source], lower)
        cells[index] = cells[source]
    columns[last] = 0
    cells[last] = OFF
    state.links[player] = _sink(state.links[player], lower)
    state.pieces[player] = _sink(state.pieces[player], lower)
    state.lying[player] = _sink(state.lying[player], lower)
    word = cell >> WORD_SHIFT & 7
    state.tiles[player][word] ^= 1 << (cell & BIT_MASK)
    state.lower_tiles[player] -= HIGHER_WORDS << COUNT_BITS * word & COUNTS_MASK


def _raise(bits: int, lower: int) -> int:
    """Return a set after the ranks of all tiles but the lower ones went up."""
    return bits & lower | (bits & ~lower) << TILE_BITS


def _sink(bits: int, lower: int) -> int:
    """Return a set after the ranks of all tiles but the lower ones went down."""
    return bits & lower | bits >> TILE_BITS & ~lower


def _toggle_links(board: Any, state: Any, player: int, cell: int, rank: int) -> None:
    """Add or remove the links that a player's tile on a cell has, and those that jump over it."""
    row = 1 << row_of(board, cell)
    at = 1 << column_of(board, cell) | row << ACROSS
    own = _lines(board, state, player, cell)
    other = _lines(board, state, 1 - player, cell)
    ends = _ends(own, other, at)
    # In a column without an end in a direction, the end is the tile itself. Branches would be hard
    # to predict.
    left = int(ends & at - 1 & FIRST_ROW != 0)
    right = int(ends & -at & FIRST_ROW != 0)
    ends = ends >> ACROSS | row
    bit = TILE_BITS * rank
    lower = rank_of(state, player, _cell_in_column(board, cell, lowest_bit(ends)))
    upper = rank_of(state, player, _cell_in_column(board, cell, bit_length(ends) - 1))
    columns = state.column_links[player]
    columns[lower] ^= DOWN << bit
    columns[upper] ^= UP << bit
    columns[rank] = (UP << TILE_BITS * lower | DOWN << TILE_BITS * upper) & ~(IN_COLUMN << bit)
    toggled = columns[rank] | right << bit | left << bit >> TILE_BITS
    empty = ~(state.pieces[player] | 1 << bit)
    toggled |= (DOWN * (empty >> TILE_BITS * lower & 1)) << bit
    toggled |= (UP * (empty >> TILE_BITS * upper & 1)) << bit
    state.links[player] ^= toggled
    ends = _ends(other, own, at)
    beyond = TILE_BITS * rank_of(state, 1 - player, cell)
    state.links[1 - player] ^= int(popcount(ends & FIRST_ROW) == 2) << beyond >> TILE_BITS
    ends >>= ACROSS
    if ends & ends - 1:
        lower = rank_of(state, 1 - player, _cell_in_column(board, cell, lowest_bit(ends)))
        upper = rank_of(state, 1 - player, _cell_in_column(board, cell, bit_length(ends) - 1))
        columns = state.column_links[1 - player]
        columns[lower] ^= DOWN << TILE_BITS * upper
        columns[upper] ^= UP << TILE_BITS * lower
        empty = ~state.pieces[1 - player]
        state.links[1 - player] ^= (DOWN * (empty >> TILE_BITS * lower & 1)) << TILE_BITS * upper
        state.links[1 - player] ^= (UP * (empty >> TILE_BITS * upper & 1)) << TILE_BITS * lower


def _lines(board: Any, state: Any, player: int, cell: int) -> int:
    """Return a player's tiles in the row and the column of a cell."""
    tiles = state.tiles[player]
    column = column_of(board, cell)
    row = tiles[cell >> WORD_SHIFT & 7] >> (cell & BIT_MASK) - column & FIRST_ROW
    # The three rows of the words, three bits apart, are moved together at the end.
    rows = 0
    for word in range(WORDS):
        rows |= (tiles[word] >> column & ONE_COLUMN) << 3 * word
    rows = (
        rows & EACH_WORD | rows >> SIDE - 1 & EACH_WORD << 1 | rows >> 2 * SIDE - 2 & EACH_WORD << 2
    )
    return row | rows << ACROSS


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
