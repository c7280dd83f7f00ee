"""Toot's uniformly random moves: the move that an index into the list of `legal` names.

Moves are counted and found by population counts, without writing the list.
"""

from typing import Any

from teahouse.core.bits import lowest_bit, nth_bit, popcount
from teahouse.core.random import bounded
from teahouse.games.toot.bitboards import (
    CELL_BITS,
    CELL_MASK,
    NOT_LOOSE,
    OFF,
    WORD_SHIFT,
    WORDS,
    free_cells,
    lone_neighbours,
    stranded_cells,
    tile_targets,
)
from teahouse.games.toot.links import (
    EACH_TILE,
    TILE_BITS,
    rank_at,
    rank_of,
    standing_pieces,
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
    links = 0 if placing else turn_walks(state)
    steps = popcount(links)
    counts = _count_free_cells(state) if placing or taking else 0
    free = counts >> COUNT_BITS * (WORDS - 1)
    lone = 0
    pattern = 0
    total = steps + entering + (state.phase == FURTHER) + (free if placing else 0)
    if taking:
        lone = _lone_counts(state, player)
        pattern = _count_relocations(lone, EACH_TILE & ~state.pieces[player], free)
        total += pattern if aside else 0
        if state.sacrificed[player] == 0:
            standing = standing_pieces(state, player)
            total += popcount(standing) * pattern + _count_relocations(lone, standing, free)
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
    return _nth_relocation(state, counts, lone, pattern, index - steps)


def turn_walks(state: Any) -> int:
    """Return the links that pieces can go along, or the active one can jump along (T7)."""
    player = int(state.player)
    if state.phase == FURTHER:
        return jumps(state, player, rank_of(state, player, int(state.active)))
    return walks(state, player)


def takes_tile(state: Any) -> bool:
    """Return whether the player may place or relocate a tile."""
    player = state.player
    # All at once: branches would be hard to predict.
    return bool(
        state.phase == FIRST
        and state.tiles_in_hand[player] | state.captured[player] | (state.sacrificed[player] == 0)
    )


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


def _lone_counts(state: Any, player: int) -> int:
    """Return `lone_neighbours` of each of a player's tiles, in the three bits of its rank."""
    cells = state.cells[player]
    bits = TILE_BITS * len(cells)
    counts = EACH_TILE * NOT_LOOSE >> bits << bits
    for rank in range(len(cells)):
        cell = int(cells[rank])
        lone = NOT_LOOSE if cell == OFF else lone_neighbours(state, cell)
        counts |= lone << TILE_BITS * rank
    return counts


def _loose_tiles(lone: int, tiles: int) -> int:
    """Return those of a set of tiles that are loose, from `_lone_counts`."""
    return tiles & ~(lone & lone >> 1 & lone >> 2)


def _count_relocations(lone: int, tiles: int, free: int) -> int:
    """Return the number of pairs of a tile of a set and its target, from `_lone_counts`.

    Each loose tile goes to each free cell but those that touch no other tile (T13).
    """
    loose = _loose_tiles(lone, tiles)
    lone &= loose * NOT_LOOSE
    fewer = popcount(lone & EACH_TILE) + 2 * popcount(lone & EACH_TILE << 1)
    return popcount(loose) * free - fewer - 4 * popcount(lone & EACH_TILE << 2)


def _nth_relocation(state: Any, counts: int, lone: int, pattern: int, index: int) -> int:
    """Return the relocation with an index, in the order of `list_relocations`."""
    player = int(state.player)
    tiles = EACH_TILE & ~state.pieces[player]
    own_tile = False  # whether the tile under the sacrificed piece is taken
    move = RETURN << KIND_SHIFT
    if state.captured[player] == 0 or index >= pattern:
        index -= pattern if state.captured[player] else 0
        own_tile = True
        pieces = standing_pieces(state, player)
        while pieces:
            if index < pattern:
                own_tile = False
                piece = int(state.cells[player][rank_at(pieces & -pieces)])
                move = SACRIFICE << KIND_SHIFT | piece << PIECE_SHIFT
                break
            index -= pattern
            pieces &= pieces - 1
    if own_tile:
        tiles = standing_pieces(state, player)
    found = _nth_tile(state, lone, tiles, counts >> COUNT_BITS * (WORDS - 1), index)
    tile = found & CELL_MASK
    index = found >> CELL_BITS
    if own_tile:
        move = SACRIFICE << KIND_SHIFT | tile << PIECE_SHIFT
    return move | tile << FROM_SHIFT | _nth_target(state, counts, tile, index)


def _nth_tile(state: Any, lone: int, tiles: int, free: int, index: int) -> int:
    """Return the tile of the relocation with an index; above its bits, the index of the target."""
    loose = _loose_tiles(lone, tiles)
    while loose:
        count = free - (lone >> lowest_bit(loose) & NOT_LOOSE)
        if index < count:
            cell = int(state.cells[state.player][rank_at(loose & -loose)])
            return index << CELL_BITS | cell
        index -= count
        loose &= loose - 1
    return OFF
