"""Oolong's rules: the state's layout and the kernels. Rule numbers are those of rules.md."""

from collections.abc import Mapping
from math import comb
from typing import Any

import numpy as np

from teahouse.core.bits import nth_bit, popcount
from teahouse.core.game import Layout
from teahouse.core.random import advance, bounded
from teahouse.games.oolong.equipment import (
    ACTORS,
    ALL,
    BLACK,
    CENTRE,
    CLAIM,
    CODES,
    DECK,
    DECLINE,
    FACE_DOWN,
    GREEN,
    KIND_SHIFT,
    MOVE_GREEN,
    MOVE_TOKEN,
    NUMBER_MASK,
    NUMBER_SHIFT,
    PLACES,
    ROTATE,
    ROTATION,
    SERVE,
    SWAP,
    SWAP_CLAIMED,
    SWAP_UNCLAIMED,
    THRESHOLDS,
    TOKENS,
    TRIGGER,
    WAITER,
    WIN,
    empty_seats,
    encode_origin,
    open_seats,
    seats_around,
    servable_seats,
)
from teahouse.games.oolong.random_moves import random_move
from teahouse.games.oolong.stock import draw_markers, shuffle_markers

__all__ = ["layout", "legal", "play", "playout", "random_move", "start", "winners"]

# Each of a player's n tokens on unclaimed tables can move to each empty seat at most. Servings
# alternate, so at least 2n - 1 tokens are on the tables and at most 82 - 2n seats are empty.
MAX_TOKEN_MOVES = max(n * (82 - 2 * n) for n in range(TOKENS + 1))
MAX_TARGETS = PLACES * PLACES + PLACES


def layout(options: Mapping[str, Any]) -> Layout:
    """Return the layout of the board's constants and of the state."""
    board = np.zeros(
        1,
        [
            ("members", np.uint8, (ALL + 1, PLACES)),  # of each set of places
            ("size", np.uint8, ALL + 1),  # of each set of places
            ("markers", np.uint8, PLACES),  # at the start, by place
            ("shuffled", np.uint8),  # whether `start` shuffles the outer ones
            ("stock", np.uint8),  # sets of markers to draw from (O23)
            ("copies", np.uint8, FACE_DOWN),  # of each marker in the stock
            ("markers_stay", np.uint8),  # O17
            ("threshold", np.uint8, 2 * FACE_DOWN),  # by marker; 0 for none and those face down
            ("actor", np.uint8, FACE_DOWN),
            ("claim_probability", np.float64, (PLACES + 1, PLACES + 1)),  # of Black, by counts
        ],
    )
    for bits in range(ALL + 1):
        members = [place for place in range(PLACES) if bits >> place & 1]
        board["members"][0, bits, : len(members)] = members
        board["size"][0, bits] = len(members)
    if options["specials"]:
        given = options["markers"]
        board["markers"][0, 1:] = [*map(CODES.index, given.split(","))] if given else DECK
        board["shuffled"] = given is None
        board["copies"] = [options["stock"] * DECK.count(kind) for kind in range(FACE_DOWN)]
    board["stock"] = options["stock"]
    for black in range(PLACES + 1):
        for green in range(PLACES + 1 - black):
            empty = PLACES - black - green
            claiming = sum(comb(empty, more) for more in range(max(0, CLAIM - black), empty + 1))
            board["claim_probability"][0, black, green] = claiming / 2**empty
    board["markers_stay"] = options["markers_stay"]
    board["threshold"][0, :FACE_DOWN] = THRESHOLDS
    board["actor"] = ACTORS
    state = np.dtype(
        [
            ("tokens", np.uint16, (2, PLACES)),  # the seats of each player's tokens, by table
            ("claimed", np.uint16),  # the tables claimed by either player, for good (O10)
            ("markers", np.uint8, PLACES),  # by place
            ("waiter_table", np.uint8),
            ("waiter_seat", np.uint8),
            ("served", np.uint8),  # tokens on the tables; its lowest bit is the next to serve
            ("claims", np.uint8, 2),  # number of tables each player has claimed
            ("pending", np.uint8),  # 1 + the place of the triggered marker, 0 for a serving
            ("player", np.uint8),
            ("over", np.uint8),
        ]
    )
    # `legal` writes PLACES moves at a time and may write past the last one; the tail is for
    # `_list_token_moves`.
    return Layout(board, state, max_moves=MAX_TOKEN_MOVES + 1 + MAX_TARGETS)


def start(board: Any, state: Any, seed: int) -> None:
    """Set up empty tables, the markers and the waiter (O1, O2)."""
    for place in range(PLACES):
        state.tokens[BLACK][place] = 0
        state.tokens[GREEN][place] = 0
        state.markers[place] = board.markers[place]
    if board.shuffled:
        if board.stock == 1:
            shuffle_markers(state, seed)
        else:
            draw_markers(board, state, seed)
    state.claimed = 0
    state.waiter_table = CENTRE
    state.waiter_seat = CENTRE
    state.served = 0
    state.claims[BLACK] = 0
    state.claims[GREEN] = 0
    state.pending = 0
    state.player = BLACK
    state.over = 0


def legal(board: Any, state: Any, moves: Any) -> int:
    """Write the servings, or the answers to a triggered marker with declining last."""
    if state.over:
        return 0
    if state.pending:
        return _list_actions(board, state, moves)
    table = int(state.waiter_table)
    seats = servable_seats(state)
    if seats == 0:
        return _list_other_tables(board, state, moves)
    for index in range(PLACES):
        moves[index] = table << NUMBER_SHIFT | board.members[seats][index]
    return int(board.size[seats])


def play(board: Any, state: Any, move: int) -> None:
    """Serve, or resolve an action; then continue with the next decision or end the game."""
    kind = move >> KIND_SHIFT
    table = move >> NUMBER_SHIFT & NUMBER_MASK
    seat = move & NUMBER_MASK
    if kind == SERVE:
        _serve(board, state, table, seat)
        return
    _resolve_action(board, state, move)
    player = int(state.player)
    if kind == MOVE_TOKEN and _add_token(board, state, player, table, seat):
        _trigger_marker(board, state, player, table)  # O22
    _next_decision(state)


def playout(board: Any, state: Any, moves: Any, random: int) -> int:
    """Play random moves until the game is over; return their number.

    The waiter's place is kept in local variables: a serving depends on the one before, and would
    wait for a store and a load.
    """
    count = 0
    table = int(state.waiter_table)
    under = int(state.waiter_seat)
    while not state.over:
        random = advance(random)
        seats = seats_around(state, table, under)
        if state.pending or seats == 0:
            play(board, state, random_move(board, state, moves, random))
            table = int(state.waiter_table)
            under = int(state.waiter_seat)
        else:
            seat = nth_bit(seats, bounded(random, popcount(seats)))
            _serve(board, state, table, seat)
            under = table
            table = seat
        count += 1
    return count


def winners(board: Any, state: Any, scratch: Any) -> int:
    """Return the player with five tables (O11), or none after the last token (O12)."""
    return (state.claims[BLACK] >= WIN) << BLACK | (state.claims[GREEN] >= WIN) << GREEN


def _serve(board: Any, state: Any, table: int, seat: int) -> None:
    """Put the player's next token on a seat, and let the waiter follow it."""
    state.waiter_table = seat  # O8
    state.waiter_seat = table
    state.served += 1
    player = int(state.player)
    if _add_token(board, state, player, table, seat):
        _trigger_marker(board, state, player, table)
    _next_decision(state)


def _next_decision(state: Any) -> None:
    """Let the next player serve or end the game, unless a marker was triggered."""
    if state.pending == 0:
        state.player = state.served & 1  # O9
        if state.served == 2 * TOKENS:  # O12
            state.over = 1


def _add_token(board: Any, state: Any, player: int, table: int, seat: int) -> bool:
    """Put a token on a seat, check for a claim and a win; return whether to trigger a marker."""
    seats = state.tokens[player][table] | 1 << seat
    state.tokens[player][table] = seats
    count = popcount(seats)
    claims = count == CLAIM  # without a branch, which would be hard to predict
    state.claimed |= claims << table
    state.claims[player] += claims
    if state.claims[player] == WIN:  # O11
        state.over = 1
        return False
    return bool(count == board.threshold[state.markers[table]])  # O13


def _trigger_marker(board: Any, state: Any, player: int, table: int) -> None:
    """Let the player whom a table's marker names decide next, if there is a legal action."""
    marker = state.markers[table]
    actor = board.actor[marker]
    if actor == TRIGGER:
        actor = player
    if is_possible(board, state, marker, actor):
        state.pending = 1 + table
        state.player = actor


def is_possible(board: Any, state: Any, marker: int, actor: int) -> bool:
    """Return whether a marker's action has a legal move (O16)."""
    if marker <= MOVE_GREEN:
        sources = 0
        for table in range(PLACES):
            sources |= (state.tokens[actor][table] != 0) << table
        # A token goes to another unclaimed table, which has an empty seat. Where that is the
        # waiter's, each player has four tokens, which can go to the first table instead.
        unclaimed = ALL ^ state.claimed
        return sources & unclaimed != 0 and board.size[unclaimed] > 1
    if marker == SWAP_UNCLAIMED:
        return state.claims[BLACK] + state.claims[GREEN] <= PLACES - 2
    # A table always rotates and the waiter always moves. `sc` is triggered by claiming a table, and
    # nine claimed tables would have ended the game.
    return True


def _list_other_tables(board: Any, state: Any, moves: Any) -> int:
    """Write all servings at other tables than the waiter's (O5, O6, O7)."""
    count = 0
    for table in range(PLACES):
        seats = empty_seats(state, table) if table != state.waiter_table else 0
        for index in range(PLACES):
            moves[count + index] = table << NUMBER_SHIFT | board.members[seats][index]
        count += board.size[seats]
    return count


def _list_actions(board: Any, state: Any, moves: Any) -> int:
    """Write the moves of the triggered action, and declining (O14)."""
    marker = state.markers[state.pending - 1]
    if marker <= MOVE_GREEN:
        count = _list_token_moves(board, state, moves)
    elif marker == ROTATE:
        count = 7
        for index in range(count):
            moves[index] = ROTATION << KIND_SHIFT | index + 1
    elif marker <= SWAP_CLAIMED:
        count = _list_swaps(state, moves, marker == SWAP_CLAIMED)
    else:
        count = 0
        for table in range(PLACES):
            moves[count] = WAITER << KIND_SHIFT | table
            count += table != state.waiter_table  # O21
    moves[count] = DECLINE << KIND_SHIFT
    return count + 1


def _list_token_moves(board: Any, state: Any, moves: Any) -> int:
    """Write the moves of the player's tokens between unclaimed tables."""
    claimed = int(state.claimed)
    begin = len(moves) - MAX_TARGETS  # `max_moves` reserves the tail for the targets
    end = begin
    for table in range(PLACES):
        seats = open_seats(state, table, claimed)
        for index in range(PLACES):
            moves[end + index] = table << NUMBER_SHIFT | board.members[seats][index]
        end += popcount(seats)
    count = 0
    own_begin = begin
    for source in range(PLACES):
        own_end = own_begin + popcount(open_seats(state, source, claimed))
        own = 0 if claimed >> source & 1 else state.tokens[state.player][source]
        for token in range(popcount(own)):
            origin = encode_origin(source, board.members[own][token])
            count = _list_to_targets(moves, count, origin, begin, own_begin)
            count = _list_to_targets(moves, count, origin, own_end, end)
        own_begin = own_end
    return count


def _list_to_targets(moves: Any, count: int, origin: int, begin: int, end: int) -> int:
    """Append the moves of a token to the targets listed from `begin` to `end`."""
    count = max(count, 0)  # lets the compiler drop the handling of negative indices
    begin = max(begin, 0)
    for index in range(end - begin):
        moves[count + index] = origin | moves[begin + index]
    return count + end - begin


def _list_swaps(state: Any, moves: Any, one_claimed: int) -> int:
    """Write the pairs of unclaimed tables, or those of a claimed and an unclaimed one."""
    claimed = int(state.claimed)
    count = 0
    for table in range(PLACES):
        for later in range(table + 1, PLACES):
            moves[count] = SWAP << KIND_SHIFT | table << NUMBER_SHIFT | later
            count += (claimed >> table & 1) + (claimed >> later & 1) == one_claimed
    return count


def _resolve_action(board: Any, state: Any, move: int) -> None:
    """Take or decline the triggered action; lift a token that is moved."""
    place = state.pending - 1
    state.pending = 0
    kind = move >> KIND_SHIFT
    if kind == DECLINE:
        return  # O16
    state.markers[place] += FACE_DOWN  # O15
    first = move >> NUMBER_SHIFT & NUMBER_MASK
    second = move & NUMBER_MASK
    if kind == MOVE_TOKEN:
        source = move >> 3 * NUMBER_SHIFT & NUMBER_MASK
        seat = move >> 2 * NUMBER_SHIFT & NUMBER_MASK
        state.tokens[state.player][source] &= ~(1 << seat)
    elif kind == ROTATION:
        rotate_table(state, second)
    elif kind == SWAP:
        swap_tables(board, state, first, second)
    else:
        state.waiter_table = second  # O21


def rotate_table(state: Any, eighths: int) -> None:
    """Rotate the waiter's table clockwise, and the waiter with it (O19)."""
    table = int(state.waiter_table)
    for player in range(2):
        seats = state.tokens[player][table]
        outer = (seats >> 1) << eighths
        state.tokens[player][table] = seats & 1 | (outer & 255 | outer >> 8) << 1
    if state.waiter_seat != CENTRE:
        state.waiter_seat = (state.waiter_seat - 1 + eighths & 7) + 1


def swap_tables(board: Any, state: Any, table: int, other: int) -> None:
    """Swap the places of two tables with everything on them (O17, O20)."""
    for player in range(2):
        seats = state.tokens[player][table]
        state.tokens[player][table] = state.tokens[player][other]
        state.tokens[player][other] = seats
    differs = (state.claimed >> table ^ state.claimed >> other) & 1
    state.claimed ^= differs << table | differs << other
    if not board.markers_stay:
        marker = state.markers[table]
        state.markers[table] = state.markers[other]
        state.markers[other] = marker
    if state.waiter_table == table:
        state.waiter_table = other
    elif state.waiter_table == other:
        state.waiter_table = table
