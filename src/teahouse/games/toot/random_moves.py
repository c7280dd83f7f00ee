"""Toot's uniformly random moves: the move that an index into the list of `legal` names.

Moves are counted and found by population counts, without writing the list.
"""

from typing import Any

from teahouse.core.bits import nth_bit, popcount
from teahouse.core.random import bounded
from teahouse.games.toot.bitboards import (
    CELL_BITS,
    CELL_MASK,
    OFF,
    WORD_SHIFT,
    WORDS,
    free_cells,
    lone_cells,
    loose_cells,
    lowest_cell,
    neighbours,
    shift_east,
    shift_north,
    shift_south,
    shift_west,
    stranded_cells,
    tile_targets,
)
from teahouse.games.toot.links import (
    rank_at,
    rank_of,
    ranks_of,
    standing_pieces,
    tiles_in_word,
    vacant_ranks,
    walks,
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
    jumps,
    piece_move,
)

# Numbers of free cells, at most 160, in one word: a count for each word, with a spare bit on top.
COUNT_BITS = 9
COUNT_MASK = (1 << COUNT_BITS) - 1
ALL_COUNTS = (1 << WORDS * COUNT_BITS) - 1
EACH_COUNT = ALL_COUNTS // COUNT_MASK
HIGHEST_BITS = EACH_COUNT << COUNT_BITS - 1


def random_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """Return the move that `random` picks from the list of `legal`, without writing the list."""
    player = int(state.player)
    aside = state.captured[player] > 0
    placing = state.phase == FIRST and state.tiles_in_hand[player] > 0
    taking = state.phase == FIRST and (aside or state.sacrificed[player] == 0) and not placing
    entering = state.phase == SECOND and state.pieces_in_hand[player] > 0
    if entering and state.pieces_in_hand[player] > state.tiles_in_hand[player]:
        return ENTER << KIND_SHIFT
    links = 0 if placing else _walks(state)
    steps = popcount(links)
    counts = _count_free_cells(state) if placing or taking else 0
    free = counts >> COUNT_BITS * (WORDS - 1)
    pattern = 0
    total = steps + entering + (state.phase == FURTHER) + (free if placing else 0)
    if taking:
        pattern = _count_relocations(state, free, 0)
        total += pattern if aside else 0
        if state.sacrificed[player] == 0:
            standing = popcount(standing_pieces(state, player))
            total += standing * pattern + _count_relocations(state, free, 1)
    if total == 0:
        return PASS << KIND_SHIFT
    index = bounded(random, total) - entering
    if index < 0:
        return ENTER << KIND_SHIFT
    if index < steps:
        return piece_move(state, player, 1 << nth_bit(links, index))
    if state.phase == FURTHER:
        return STOP << KIND_SHIFT
    if placing:
        return PLACE << KIND_SHIFT | _nth_target(state, counts, OFF, index)
    return _nth_relocation(state, counts, pattern, index - steps)


def _walks(state: Any) -> int:
    """Return the links that pieces can go along, or the active one can jump along (T7)."""
    player = int(state.player)
    if state.phase == FURTHER:
        return jumps(state, player, rank_of(state, player, int(state.active)))
    return walks(state, player)


def may_only_walk(state: Any, player: int) -> bool:
    """Return whether steps and jumps are the only moves of a player who begins a turn."""
    others = state.phase | state.tiles_in_hand[player] | state.captured[player]
    return bool(others == 0 and state.sacrificed[player])


def _count_free_cells(state: Any) -> int:
    """Return how many free cells adjacent to tiles there are up to each word, COUNT_BITS each."""
    total = 0
    counts = 0
    for word in range(WORDS):
        total += popcount(free_cells(state, word))
        counts |= total << COUNT_BITS * word
    return counts


def _nth_target(state: Any, counts: int, tile: int, index: int) -> int:
    """Return the target of a tile with an index, from the counts of `_count_free_cells`."""
    if tile != OFF:
        at = tile >> WORD_SHIFT
        for word in range(max(at - 1, 0), min(at + 2, WORDS)):
            from_word = EACH_COUNT << COUNT_BITS * word & ALL_COUNTS
            counts -= popcount(stranded_cells(state, word, tile)) * from_word
    # The highest bit of a count stays where the index is not below it.
    word = popcount((index * EACH_COUNT | HIGHEST_BITS) - counts & HIGHEST_BITS)
    index -= counts << COUNT_BITS >> COUNT_BITS * word & COUNT_MASK
    return word << WORD_SHIFT | nth_bit(tile_targets(state, word, tile), index)


def _relocatable(state: Any, standing: int) -> int:
    """Return the ranks of the player's empty tiles, or of those under first-life pieces."""
    player = int(state.player)
    if standing:
        return ranks_of(standing_pieces(state, player))
    return vacant_ranks(state, player)


def _count_relocations(state: Any, free: int, standing: int) -> int:
    """Return the number of pairs of a relocatable tile and its target.

    Each loose tile goes to each free cell but those that touch no other tile (T13). A tile that is
    not loose has no adjacent free cells.
    """
    player = int(state.player)
    ranks = _relocatable(state, standing)
    tiles = 0
    lone = 0
    before = 0
    bits = tiles_in_word(state, player, ranks, 0)
    for word in range(WORDS):
        after = tiles_in_word(state, player, ranks, word + 1) if word < WORDS - 1 else 0
        tiles += popcount(bits & loose_cells(state, word))
        lone += popcount(lone_cells(state, word) & neighbours(bits, before, after))
        before = bits
        bits = after
    return tiles * free - lone


def _nth_relocation(state: Any, counts: int, pattern: int, index: int) -> int:
    """Return the relocation with an index, in the order of `list_relocations`."""
    player = int(state.player)
    standing = 0
    move = RETURN << KIND_SHIFT
    if state.captured[player] == 0 or index >= pattern:
        index -= pattern if state.captured[player] else 0
        standing = 1
        pieces = standing_pieces(state, player)
        while pieces:
            if index < pattern:
                standing = 0
                piece = int(state.cells[player][rank_at(pieces & -pieces)])
                move = SACRIFICE << KIND_SHIFT | piece << PIECE_SHIFT
                break
            index -= pattern
            pieces &= pieces - 1
    free = counts >> COUNT_BITS * (WORDS - 1)
    found = _nth_tile(state, free, standing, index)
    tile = found & CELL_MASK
    index = found >> CELL_BITS
    move |= tile << FROM_SHIFT
    if standing:
        move = SACRIFICE << KIND_SHIFT | tile << PIECE_SHIFT | tile << FROM_SHIFT
    return move | _nth_target(state, counts, tile, index)


def _nth_tile(state: Any, free: int, standing: int, index: int) -> int:
    """Return the tile of the relocation with an index; above its bits, the index of the target."""
    player = int(state.player)
    ranks = _relocatable(state, standing)
    before = 0
    lone = lone_cells(state, 0)
    for word in range(WORDS):
        after = lone_cells(state, word + 1) if word < WORDS - 1 else 0
        bits = tiles_in_word(state, player, ranks, word) & loose_cells(state, word)
        left = shift_east(lone)
        right = shift_west(lone)
        below = shift_north(lone, before)
        above = shift_south(lone, after)
        while bits:
            bit = bits & -bits
            count = free - (bit & left != 0) - (bit & right != 0)
            count -= int(bit & below != 0) + int(bit & above != 0)
            if index < count:
                return index << CELL_BITS | lowest_cell(word, bits)
            index -= count
            bits ^= bit
        before = lone
        lone = after
    return OFF
