"""Oolong's uniformly random moves: the move that an index into the list of `legal` names.

Moves are counted and found by population counts, without writing the list.
"""

from typing import Any

from teahouse.core.bits import nth_bit, popcount
from teahouse.core.random import bounded
from teahouse.games.oolong.equipment import (
    ALL,
    DECLINE,
    KIND_SHIFT,
    MOVE_GREEN,
    NUMBER_SHIFT,
    PLACES,
    ROTATE,
    ROTATION,
    SWAP,
    SWAP_CLAIMED,
    WAITER,
    empty_seats,
    encode_origin,
    open_seats,
    servable_seats,
)


def random_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """Return the move that `random` picks from the list of `legal`, without writing the list."""
    if state.pending:
        return _random_action(state, random)
    seats = servable_seats(state)
    if seats == 0:
        return _random_other_table(state, random)
    seat = nth_bit(seats, bounded(random, popcount(seats)))
    return int(state.waiter_table) << NUMBER_SHIFT | seat


def _random_other_table(state: Any, random: int) -> int:
    """Return the move that `random` picks from the list of `_list_other_tables`."""
    here = popcount(empty_seats(state, state.waiter_table))
    index = bounded(random, PLACES * PLACES - state.served - here)
    for table in range(PLACES):
        seats = empty_seats(state, table) if table != state.waiter_table else 0
        if index < popcount(seats):
            return table << NUMBER_SHIFT | nth_bit(seats, index)
        index -= popcount(seats)
    return 0  # unreachable


def _random_action(state: Any, random: int) -> int:
    """Return the move that `random` picks from the list of `_list_actions`."""
    marker = state.markers[state.pending - 1]
    if marker <= MOVE_GREEN:
        return _random_token_move(state, random)
    if marker == ROTATE:
        index = bounded(random, 8)
        return ROTATION << KIND_SHIFT | index + 1 if index < 7 else DECLINE << KIND_SHIFT
    if marker <= SWAP_CLAIMED:
        return _random_swap(state, random, marker == SWAP_CLAIMED)
    index = bounded(random, PLACES)
    table = nth_bit(ALL & ~(1 << state.waiter_table), index)  # O21
    return WAITER << KIND_SHIFT | table if index < PLACES - 1 else DECLINE << KIND_SHIFT


def _random_token_move(state: Any, random: int) -> int:
    """Return the move that `random` picks from `_list_token_moves` and declining."""
    claimed = int(state.claimed)
    total = 0
    tokens = 0
    home = 0  # pairs of a token and an open seat of its own table
    for table in range(PLACES):
        own = popcount(_movable_tokens(state, table, claimed))
        seats = popcount(open_seats(state, table, claimed))
        total += seats
        tokens += own
        home += own * seats
    index = bounded(random, tokens * total - home + 1)
    for source in range(PLACES):
        own = _movable_tokens(state, source, claimed)
        targets = total - popcount(open_seats(state, source, claimed))
        if index < popcount(own) * targets:
            token = index // targets
            index -= token * targets
            origin = encode_origin(source, nth_bit(own, token))
            for table in range(PLACES):
                seats = open_seats(state, table, claimed | 1 << source)
                if index < popcount(seats):
                    return origin | table << NUMBER_SHIFT | nth_bit(seats, index)
                index -= popcount(seats)
        index -= popcount(own) * targets
    return DECLINE << KIND_SHIFT


def _movable_tokens(state: Any, table: int, claimed: int) -> int:
    """Return the seats of the player's tokens on a table, none if it is claimed."""
    return state.tokens[state.player][table] & (claimed >> table & 1) - 1


def _random_swap(state: Any, random: int, one_claimed: bool) -> int:
    """Return the move that `random` picks from `_list_swaps` and declining."""
    claimed = int(state.claimed)
    unclaimed = ALL ^ claimed
    count = popcount(unclaimed)
    count *= popcount(claimed) if one_claimed else count - 1
    index = bounded(random, (count if one_claimed else count // 2) + 1)
    for table in range(PLACES):
        partners = claimed if one_claimed and unclaimed >> table & 1 else unclaimed
        if not one_claimed and claimed >> table & 1:
            partners = 0
        partners &= -2 << table  # the later ones
        if index < popcount(partners):
            return SWAP << KIND_SHIFT | table << NUMBER_SHIFT | nth_bit(partners, index)
        index -= popcount(partners)
    return DECLINE << KIND_SHIFT
