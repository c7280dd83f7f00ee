"""Toot's moves: their encoding, and the lists that `legal` writes."""

from typing import Any

from teahouse.core.bits import popcount
from teahouse.games.toot.bitboards import (
    AFTER_EAST,
    AFTER_NORTH,
    BEFORE_SOUTH,
    BEFORE_WEST,
    BIT_MASK,
    CELL_BITS,
    CELL_MASK,
    OFF,
    SIDE,
    WORD_SHIFT,
    WORDS,
    all_tiles,
    cell_number,
    cells_after,
    cells_before,
    free_cells,
    is_loose,
    loose_cells,
    lowest_cell,
    own_tiles,
    shift_east,
    shift_north,
    shift_south,
    shift_west,
)
from teahouse.games.toot.links import (
    DOWN,
    EACH_TILE,
    IN_ROW,
    TILE_BITS,
    UP,
    end_of,
    rank_at,
    rank_of,
    ranks_of,
    standing_pieces,
    start_of,
    tiles_in_word,
    vacant_ranks,
    walks,
    walks_from,
)

# A move is its kind and up to three cells; a step or jump along a column has 1 for the first cell.
#
#    bits 29 28 27   26 … 18          17 … 9         8 … 0
#         kind       piece or 0, 1    from or tile   cell
FROM_SHIFT, PIECE_SHIFT, KIND_SHIFT = CELL_BITS, 2 * CELL_BITS, 3 * CELL_BITS
FROM_AND_CELL = (1 << PIECE_SHIFT) - 1
PLACE, ENTER, STEP, JUMP, STOP, RETURN, SACRIFICE, PASS = range(8)

# A mask for indices that spares the compiler the handling of negative ones.
NOT_NEGATIVE = (1 << 31) - 1

# The phases of a turn: its first decision, the second one after a tile, or a further jump.
FIRST, SECOND, FURTHER = range(3)


def jumps(state: Any, player: int, rank: int) -> int:
    """Return the links that a piece can jump along (T6), without those for a step."""
    cell = int(state.cells[player][rank])
    bit = cell & BIT_MASK
    tiles = own_tiles(state, player, cell >> WORD_SHIFT)
    after = cells_after(tiles, own_tiles(state, player, (cell >> WORD_SHIFT) + 1), bit)
    before = cells_before(tiles, own_tiles(state, player, (cell >> WORD_SHIFT) - 1), bit)
    steps = IN_ROW * (after >> AFTER_EAST & 1) | UP * (after >> AFTER_NORTH & 1)
    steps |= DOWN * (before >> BEFORE_SOUTH & 1)
    west = IN_ROW * (before >> BEFORE_WEST & 1)
    links = walks_from(state, player, rank)
    return links & ~(steps << TILE_BITS * rank | west << TILE_BITS * rank >> TILE_BITS)


def piece_move(state: Any, player: int, walk: int) -> int:
    """Return the step or jump along a link."""
    turned = int(walk & EACH_TILE == 0)
    origin = int(state.cells[player][start_of(state, player, walk)])
    cell = int(state.cells[player][end_of(state, player, walk)])
    distance = abs(cell_number(cell) - cell_number(origin))
    kind = STEP if distance == (SIDE if turned else 1) else JUMP
    return kind << KIND_SHIFT | turned << PIECE_SHIFT | origin << FROM_SHIFT | cell


def list_piece_moves(state: Any, moves: Any, count: int, only: int) -> int:
    """Append each piece's steps and jumps, first along its row; with `only`, one piece's jumps."""
    player = int(state.player)
    if only == OFF:
        rest = walks(state, player)
    else:
        rest = jumps(state, player, rank_of(state, player, only))
    while rest:
        moves[count & NOT_NEGATIVE] = piece_move(state, player, rest & -rest)
        count += 1
        rest &= rest - 1
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
            moves[end & NOT_NEGATIVE] = (
                cell_number(cell) + board.tile_offset[case]
            ) << FROM_SHIFT | cell
            end += 1
            cells &= cells - 1
    return end


def _list_to_targets(moves: Any, count: int, move: int, tile: int, begin: int, end: int) -> int:
    """Append the move of a tile to each listed target that touches another tile (T13)."""
    number = cell_number(tile)
    move |= tile << FROM_SHIFT
    for index in range(begin, end):
        target = moves[index & NOT_NEGATIVE]
        moves[count & NOT_NEGATIVE] = move | target & CELL_MASK
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
    vacant = vacant_ranks(state, player)
    for word in range(WORDS):
        empty = tiles_in_word(state, player, vacant, word) & loose_cells(state, word)
        while empty:
            tile = lowest_cell(word, empty)
            count = _list_to_targets(moves, count, RETURN << KIND_SHIFT, tile, begin, end)
            empty &= empty - 1
    if state.sacrificed[player]:
        return count
    length = count - first
    if state.captured[player] == 0:
        count = first  # the returns are only a template, overwritten by the sacrifices
    standing = standing_pieces(state, player)
    pieces = standing
    while pieces:
        piece = int(state.cells[player][rank_at(pieces & -pieces)])
        move = SACRIFICE << KIND_SHIFT | piece << PIECE_SHIFT
        count = _copy_relocations(moves, count, move, first, length)
        pieces &= pieces - 1
    while standing:
        piece = int(state.cells[player][rank_at(standing & -standing)])
        if is_loose(state, piece):  # from its own tile (T13)
            move = SACRIFICE << KIND_SHIFT | piece << PIECE_SHIFT
            count = _list_to_targets(moves, count, move, piece, begin, end)
        standing &= standing - 1
    return count


def count_piece_moves(state: Any, player: int) -> int:
    """Return the number of steps and jumps of all pieces of a player."""
    return popcount(walks(state, player))


def must_pass(state: Any) -> int:
    """Return 1 if the player whose turn begins has no legal move (T14), else 0."""
    player = int(state.player)
    if state.tiles_in_hand[player] or count_piece_moves(state, player):
        return 0
    # A tile that may be taken always has a target: the other tiles touch at least two free cells.
    standing = 0 if state.sacrificed[player] else standing_pieces(state, player)
    if standing or state.captured[player]:
        movable = vacant_ranks(state, player) | ranks_of(standing)
        for word in range(WORDS):
            if tiles_in_word(state, player, movable, word) & loose_cells(state, word):
                return 0
    return 1
