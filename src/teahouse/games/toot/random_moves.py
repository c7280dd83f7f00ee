"""Toot's uniformly random moves: the move that an index into the list of `legal` names.

Moves are counted and found by population counts, without writing the list.
"""

from typing import Any

from teahouse.core.bits import nth_bit, popcount
from teahouse.core.random import bounded
from teahouse.games.toot.bitboards import (
    BIT_MASK,
    CELL_BITS,
    CELL_MASK,
    EMPTY,
    NO_PIECE,
    OFF,
    WORD_SHIFT,
    WORDS,
    empty_tiles,
    free_cells,
    lone_cells,
    loose_cells,
    lowest_cell,
    neighbours,
    player_tiles,
    shift_east,
    shift_north,
    shift_south,
    shift_west,
    three_rows,
    tile_targets,
)
from teahouse.games.toot.movegen import (
    ENTER,
    FIRST,
    FROM_SHIFT,
    FURTHER,
    KIND_SHIFT,
    PASS,
    PIECE_SHIFT,
    PLACE,
    RETURN,
    SACRIFICE,
    SECOND,
    STOP,
    count_reach,
    encode_piece_move,
    line_bits,
    reach,
)


def random_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """Return the move that `random` picks from the list of `legal`, without writing the list."""
    player = int(state.player)
    aside = state.captured[player] > 0
    placing = state.phase == FIRST and state.tiles_in_hand[player] > 0
    taking = state.phase == FIRST and (aside or state.sacrificed[player] == 0) and not placing
    entering = state.phase == SECOND and state.pieces_in_hand[player] > 0
    if entering and state.pieces_in_hand[player] > state.tiles_in_hand[player]:
        return ENTER << KIND_SHIFT
    steps = 0 if placing else _count_piece_moves(board, state, moves)
    free = _count_free_cells(state, moves) if placing or taking else 0
    pattern = 0
    total = steps + entering + (state.phase == FURTHER) + (free if placing else 0)
    if taking:
        pattern = _count_relocations(state, free, 0)
        total += pattern if aside else 0
        if state.sacrificed[player] == 0:
            total += _count_standing(state) * pattern + _count_relocations(state, free, 1)
    if total == 0:
        return PASS << KIND_SHIFT
    index = bounded(random, total) - entering
    if index < 0:
        return ENTER << KIND_SHIFT
    if index < steps:
        return _nth_piece_move(board, state, moves, index)
    if state.phase == FURTHER:
        return STOP << KIND_SHIFT
    if placing:
        return _nth_placement(state, moves, index)
    return _nth_relocation(board, state, free, pattern, index - steps)


def _count_piece_moves(board: Any, state: Any, moves: Any) -> int:
    """Return the number of piece moves, and write how many each piece has."""
    player = int(state.player)
    if state.phase == FURTHER:
        return popcount(_further_reach(board, state))
    own = state.piece_list[player]
    total = 0
    for index in range(len(own)):
        if own[index] == NO_PIECE:
            break
        count = count_reach(board, state, player, int(own[index]) >> 1)
        moves[index] = count
        total += count
    return total


def _further_reach(board: Any, state: Any) -> int:
    """Return where the piece that may jump again can jump (T7), as bits of its lines."""
    piece = int(state.active)
    at = line_bits(board, piece)
    return reach(board, state, int(state.player), piece) & ~(at << 1 | at >> 1)


def _nth_piece_move(board: Any, state: Any, moves: Any, index: int) -> int:
    """Return the piece move with an index, from what `_count_piece_moves` has written."""
    if state.phase == FURTHER:
        piece = int(state.active)
        bits = _further_reach(board, state)
    else:
        place = 0
        while index >= moves[place]:
            index -= moves[place]
            place += 1
        piece = int(state.piece_list[state.player][place]) >> 1
        bits = reach(board, state, int(state.player), piece)
    return encode_piece_move(board, piece, nth_bit(bits, index))


def _count_free_cells(state: Any, moves: Any) -> int:
    """Return the number of free cells adjacent to tiles, and write how many each word has."""
    first = len(state.piece_list[0])  # after what `_count_piece_moves` writes
    total = 0
    for word in range(WORDS):
        count = popcount(free_cells(state, word))
        moves[first + word] = count
        total += count
    return total


def _count_standing(state: Any) -> int:
    """Return the number of the player's first-life pieces on the table."""
    own = state.piece_list[int(state.player)]
    count = 0
    for index in range(len(own)):
        count += own[index] & 1 == 0 and own[index] != NO_PIECE
    return count


def _relocatable(state: Any, word: int, standing: int) -> int:
    """Return the player's empty tiles in a word, or those under first-life pieces."""
    player = int(state.player)
    if word < 0 or word >= WORDS:
        return 0
    if not standing:
        return empty_tiles(state, player, word)
    tiles = player_tiles(state, player, word) & ~three_rows(state, word, EMPTY)
    if tiles:
        own = state.piece_list[player]
        for index in range(len(own)):
            piece = int(own[index])
            if piece >> WORD_SHIFT + 1 == word:
                tiles ^= (piece & 1) << (piece >> 1 & BIT_MASK)
    return tiles


def _count_relocations(state: Any, free: int, standing: int) -> int:
    """Return the number of pairs of a relocatable tile and its target.

    Each loose tile goes to each free cell but those that touch no other tile (T13). A tile that is
    not loose has no adjacent free cells.
    """
    tiles = 0
    lone = 0
    before = 0
    bits = _relocatable(state, 0, standing)
    for word in range(WORDS):
        after = _relocatable(state, word + 1, standing)
        tiles += popcount(bits & loose_cells(state, word))
        lone += popcount(lone_cells(state, word) & neighbours(bits, before, after))
        before = bits
        bits = after
    return tiles * free - lone


def _nth_placement(state: Any, moves: Any, index: int) -> int:
    """Return the placement with an index, from what `_count_free_cells` has written."""
    first = len(state.piece_list[0])
    word = 0
    while index >= moves[first + word]:
        index -= moves[first + word]
        word += 1
    return PLACE << KIND_SHIFT | word << WORD_SHIFT | nth_bit(free_cells(state, word), index)


def _nth_relocation(board: Any, state: Any, free: int, pattern: int, index: int) -> int:
    """Return the relocation with an index, in the order of `list_relocations`."""
    player = int(state.player)
    standing = 0
    move = RETURN << KIND_SHIFT
    if state.captured[player] == 0 or index >= pattern:
        index -= pattern if state.captured[player] else 0
        standing = 1
        own = state.piece_list[player]
        for place in range(len(own)):
            if own[place] & 1 == 0 and own[place] != NO_PIECE:
                if index < pattern:
                    standing = 0
                    move = SACRIFICE << KIND_SHIFT | int(own[place]) >> 1 << PIECE_SHIFT
                    break
                index -= pattern
    found = _nth_tile(board, state, free, standing, index)
    tile = found & CELL_MASK
    index = found >> CELL_BITS
    move |= tile << FROM_SHIFT
    if standing:
        move = SACRIFICE << KIND_SHIFT | tile << PIECE_SHIFT | tile << FROM_SHIFT
    for word in range(WORDS):
        cells = tile_targets(state, word, tile)
        count = popcount(cells)
        if index < count:
            return move | word << WORD_SHIFT | nth_bit(cells, index)
        index -= count
    return move


def _nth_tile(board: Any, state: Any, free: int, standing: int, index: int) -> int:
    """Return the tile of the relocation with an index; above its bits, the index of the target."""
    before = 0
    lone = lone_cells(state, 0)
    for word in range(WORDS):
        after = lone_cells(state, word + 1) if word < WORDS - 1 else 0
        bits = _relocatable(state, word, standing) & loose_cells(state, word)
        left = shift_east(lone)
        right = shift_west(lone)
        below = shift_north(lone, before)
        above = shift_south(lone, after)
        while bits:
            bit = bits & -bits
            count = free - (bit & left != 0) - (bit & right != 0)
            count -= (bit & below != 0) + (bit & above != 0)
            if index < count:
                return index << CELL_BITS | lowest_cell(word, bits)
            index -= count
            bits ^= bit
        before = lone
        lone = after
    return OFF
