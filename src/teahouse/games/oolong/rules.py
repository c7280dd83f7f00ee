"""Oolong's rules: the state's layout and all kernels. Rule numbers are those of rules.md."""

from collections.abc import Mapping
from math import comb
from typing import Any

import numpy as np

from teahouse.core.game import Layout
from teahouse.core.random import advance, below, generator

BLACK, GREEN = 0, 1

# Places, tables (by the place where they stand) and seats are numbered alike, the middle first,
# then clockwise from the north: C N NE E SE S SW W NW. A set of them is nine bits.
PLACES = 9
CENTRE = 0
ALL = (1 << PLACES) - 1

TOKENS = 40  # of each colour
CLAIM = 5  # tokens of one colour that claim a table (O10)
WIN = 5  # claimed tables that win (O11)

# Markers; 0 is none. FACE_DOWN is added to one that was used (O15).
MOVE_BLACK, MOVE_GREEN, ROTATE, SWAP_UNCLAIMED, SWAP_CLAIMED, WAITER_BLACK, WAITER_GREEN = range(
    1, 8
)
FACE_DOWN = 8
DECK = (
    *(MOVE_BLACK, MOVE_GREEN, ROTATE, ROTATE),
    *(SWAP_UNCLAIMED, SWAP_CLAIMED, WAITER_BLACK, WAITER_GREEN),
)
CODES = ("", "mb", "mg", "ro", "su", "sc", "wb", "wg")
THRESHOLDS = (0, 3, 3, 4, 4, 5, 5, 5)
TRIGGER = 2  # who acts, where it is neither BLACK nor GREEN: whoever brought the token
ACTORS = (0, BLACK, GREEN, TRIGGER, TRIGGER, TRIGGER, BLACK, GREEN)

# A move is its kind and up to four numbers below 16:
#
#     bits 18 17 16   15 ... 12    11 ... 8    7 ... 4    3 ... 0
#     SERVE                                    table      seat
#     MOVE_TOKEN      from table   from seat   to table   to seat
#     ROTATION                                            eighths
#     SWAP                                     table      later table
#     WAITER                                              table
#     DECLINE
KIND_SHIFT = 16
NUMBER_SHIFT = 4
NUMBER_MASK = (1 << NUMBER_SHIFT) - 1
SERVE, MOVE_TOKEN, ROTATION, SWAP, WAITER, DECLINE = range(6)

# Of a player's n tokens on unclaimed tables each can move to one of the empty seats at most. At
# least 2n - 1 tokens lie then, as servings alternate, so at most 82 - 2n seats are empty.
MAX_TOKEN_MOVES = max(n * (82 - 2 * n) for n in range(TOKENS + 1))


def layout(options: Mapping[str, Any]) -> Layout:
    """The board's tables and the state's fields for these options."""
    board = np.zeros(
        1,
        [
            ("members", np.uint8, (ALL + 1, PLACES)),  # for each set of nine its members,
            ("size", np.uint8, ALL + 1),  # and how many there are
            ("markers", np.uint8, PLACES),  # at the start, by place
            ("shuffled", np.uint8),  # whether the outer ones are shuffled
            ("markers_stay", np.uint8),  # O17
            ("threshold", np.uint8, 2 * FACE_DOWN),  # by marker; 0 for none and those face down
            ("actor", np.uint8, FACE_DOWN),
            ("claim_chance", np.float64, (PLACES + 1, PLACES + 1)),  # Black's, by both's tokens
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
    for black in range(PLACES + 1):
        for green in range(PLACES + 1 - black):
            empty = PLACES - black - green
            ways = sum(comb(empty, more) for more in range(max(0, CLAIM - black), empty + 1))
            board["claim_chance"][0, black, green] = ways / 2**empty
    board["markers_stay"] = options["markers_stay"]
    board["threshold"][0, :FACE_DOWN] = THRESHOLDS
    board["actor"] = ACTORS
    state = np.dtype(
        [
            ("tokens", np.uint16, (2, PLACES)),  # for each player and table, the seats with tokens
            ("markers", np.uint8, PLACES),  # by place
            ("waiter_table", np.uint8),
            ("waiter_seat", np.uint8),
            ("served", np.uint8),  # tokens on the tables; the lowest bit is who serves next
            ("claims", np.uint8, 2),  # claimed tables of each player
            ("acting", np.uint8),  # 1 + the place of the marker to decide on, 0 for a serving
            ("player", np.uint8),
            ("over", np.uint8),
        ]
    )
    # `legal` writes a whole set at a time, so its list needs room for one more.
    return Layout(board, state, max_moves=MAX_TOKEN_MOVES + 1 + PLACES)


def start(board: Any, state: Any, seed: int) -> None:
    """Empty tables, the waiter in the middle, the markers laid out (O1, O2)."""
    for place in range(PLACES):
        state.tokens[BLACK][place] = 0
        state.tokens[GREEN][place] = 0
        state.markers[place] = board.markers[place]
    if board.shuffled:
        random = generator(seed)
        for last in range(PLACES - 1, 1, -1):
            random = advance(random)
            chosen = 1 + below(random, last)
            marker = state.markers[last]
            state.markers[last] = state.markers[chosen]
            state.markers[chosen] = marker
    state.waiter_table = CENTRE
    state.waiter_seat = CENTRE
    state.served = 0
    state.claims[BLACK] = 0
    state.claims[GREEN] = 0
    state.acting = 0
    state.player = BLACK
    state.over = 0


def legal(board: Any, state: Any, moves: Any) -> int:
    """List the servings, or the ways to take an action and then to decline it."""
    if state.over:
        return 0
    if state.acting:
        return _list_actions(board, state, moves)
    table = int(state.waiter_table)
    seats = _free(state)
    if seats == 0:
        return _list_elsewhere(board, state, moves)
    for index in range(PLACES):
        moves[index] = table << NUMBER_SHIFT | board.members[seats][index]
    return int(board.size[seats])


def random_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """The move that `random` picks from the list that `legal` writes, mostly without writing it."""
    if state.acting:
        if state.markers[state.acting - 1] <= MOVE_GREEN:
            return _pick_token_move(board, state, random)
        return int(moves[below(random, _list_actions(board, state, moves))])
    seats = _free(state)
    if seats == 0:
        return _pick_elsewhere(board, state, random)
    index = below(random, board.size[seats])
    return state.waiter_table * (1 << NUMBER_SHIFT) | board.members[seats][index]


def play(board: Any, state: Any, move: int) -> None:
    """Serve, or decide on an action; then go on to the next decision or the end."""
    if move >> KIND_SHIFT == SERVE:
        table = move >> NUMBER_SHIFT
        seat = move & NUMBER_MASK
        player = int(state.player)
        state.waiter_table = seat  # O8
        state.waiter_seat = table
        state.served += 1
        _arrive(board, state, player, table, seat)
    else:
        _decide(board, state, move)
    if state.acting == 0:
        state.player = state.served & 1  # O9
        if state.served == 2 * TOKENS:  # O12: the last empty seat is of no use to anybody
            state.over = 1


def winners(board: Any, state: Any, scratch: Any) -> int:
    """Whoever has five tables (O11); nobody once the tokens are all served (O12)."""
    return (state.claims[BLACK] >= WIN) << BLACK | (state.claims[GREEN] >= WIN) << GREEN


def _empty(state: Any, table: int) -> int:
    """A table's seats without a token."""
    return ALL ^ (state.tokens[BLACK][table] | state.tokens[GREEN][table])


def _free(state: Any) -> int:
    """The seats of the waiter's table that may be served (O3, O4)."""
    return _empty(state, state.waiter_table) & ~(1 << state.waiter_seat)


def _claimed(board: Any, state: Any) -> int:
    """The tables claimed by either player; no token ever leaves them (O10)."""
    tables = 0
    for table in range(PLACES):
        most = max(board.size[state.tokens[BLACK][table]], board.size[state.tokens[GREEN][table]])
        tables |= (most >= CLAIM) << table
    return tables


def _arrive(board: Any, state: Any, player: int, table: int, seat: int) -> None:
    """A player's token comes to a seat: look for a claim, a win and a triggered marker."""
    seats = state.tokens[player][table] | 1 << seat
    state.tokens[player][table] = seats
    count = board.size[seats]
    if count == CLAIM:
        state.claims[player] += 1
        if state.claims[player] == WIN:  # O11
            state.over = 1
            return
    marker = state.markers[table]
    if count == board.threshold[marker]:  # O13
        actor = board.actor[marker]
        if actor == TRIGGER:
            actor = player
        if _possible(board, state, marker, actor):
            state.acting = 1 + table
            state.player = actor


def _possible(board: Any, state: Any, marker: int, actor: int) -> bool:
    """Whether there is a way to take a marker's action (O16)."""
    if marker <= MOVE_GREEN:
        claimed = _claimed(board, state)
        sources = 0
        targets = 0
        for table in range(PLACES):
            sources |= (state.tokens[actor][table] != 0) << table
            targets |= (_open(state, table, claimed) != 0) << table
        sources &= ~claimed
        # A token goes to another table, so one table alone will not do.
        return (
            sources != 0 and targets != 0 and not (sources == targets and board.size[sources] == 1)
        )
    if marker == SWAP_UNCLAIMED:
        return state.claims[BLACK] + state.claims[GREEN] <= PLACES - 2
    # All tables can rotate and the waiter can always go; and who triggers `sc` has just claimed a
    # table, while nine claimed tables would have ended the game.
    return True


def _open(state: Any, table: int, barred: int) -> int:
    """The seats of a table to which a token may be moved (O18): none if the table is barred."""
    under = (1 << state.waiter_seat) if table == state.waiter_table else 0
    return 0 if barred >> table & 1 else _empty(state, table) & ~under


def _list_elsewhere(board: Any, state: Any, moves: Any) -> int:
    """List all servings away from the waiter's table (O5, O6, O7)."""
    count = 0
    for table in range(PLACES):
        seats = _empty(state, table) if table != state.waiter_table else 0
        for index in range(PLACES):
            moves[count + index] = table << NUMBER_SHIFT | board.members[seats][index]
        count += board.size[seats]
    return count


def _pick_elsewhere(board: Any, state: Any, random: int) -> int:
    """Pick from what `_list_elsewhere` writes."""
    here = board.size[_empty(state, state.waiter_table)]
    index = below(random, PLACES * PLACES - state.served - here)
    for table in range(PLACES):
        seats = _empty(state, table) if table != state.waiter_table else 0
        if index < board.size[seats]:
            return table << NUMBER_SHIFT | board.members[seats][index]
        index -= board.size[seats]
    return 0  # never


def _list_actions(board: Any, state: Any, moves: Any) -> int:
    """List the ways to take the triggered action, and to decline it (O14)."""
    marker = state.markers[state.acting - 1]
    if marker <= MOVE_GREEN:
        count = _list_token_moves(board, state, moves)
    elif marker == ROTATE:
        count = 7
        for index in range(count):
            moves[index] = ROTATION << KIND_SHIFT | index + 1
    elif marker <= SWAP_CLAIMED:
        count = _list_swaps(board, state, moves, marker == SWAP_CLAIMED)
    else:
        count = 0
        for table in range(PLACES):
            moves[count] = WAITER << KIND_SHIFT | table
            count += table != state.waiter_table  # O21
    moves[count] = DECLINE << KIND_SHIFT
    return count + 1


def _list_token_moves(board: Any, state: Any, moves: Any) -> int:
    """List the moves of the player's tokens between unclaimed tables."""
    claimed = _claimed(board, state)
    count = 0
    for source in range(PLACES):
        own = 0 if claimed >> source & 1 else state.tokens[state.player][source]
        for token in range(board.size[own]):
            origin = _token(source, board.members[own][token])
            for table in range(PLACES):
                seats = _open(state, table, claimed | 1 << source)
                for index in range(PLACES):
                    moves[count + index] = (
                        origin | table << NUMBER_SHIFT | board.members[seats][index]
                    )
                count += board.size[seats]
    return count


def _token(table: int, seat: int) -> int:
    """The part of a move that says which token is moved."""
    return MOVE_TOKEN << KIND_SHIFT | (table << NUMBER_SHIFT | seat) << 2 * NUMBER_SHIFT


def _pick_token_move(board: Any, state: Any, random: int) -> int:
    """Pick from what `_list_token_moves` writes, and declining."""
    claimed = _claimed(board, state)
    every = 0
    for table in range(PLACES):
        every += board.size[_open(state, table, claimed)]
    count = 0
    for source in range(PLACES):
        own = 0 if claimed >> source & 1 else state.tokens[state.player][source]
        count += board.size[own] * (every - board.size[_open(state, source, claimed)])
    index = below(random, count + 1)
    for source in range(PLACES):
        own = 0 if claimed >> source & 1 else state.tokens[state.player][source]
        ways = every - board.size[_open(state, source, claimed)]
        for token in range(board.size[own]):
            if index < ways:
                origin = _token(source, board.members[own][token])
                for table in range(PLACES):
                    seats = _open(state, table, claimed | 1 << source)
                    if index < board.size[seats]:
                        return origin | table << NUMBER_SHIFT | board.members[seats][index]
                    index -= board.size[seats]
            index -= ways
    return DECLINE << KIND_SHIFT


def _list_swaps(board: Any, state: Any, moves: Any, one_claimed: int) -> int:
    """List the pairs of unclaimed tables, or those of a claimed and an unclaimed one."""
    claimed = _claimed(board, state)
    count = 0
    for table in range(PLACES):
        for later in range(table + 1, PLACES):
            moves[count] = SWAP << KIND_SHIFT | table << NUMBER_SHIFT | later
            count += (claimed >> table & 1) + (claimed >> later & 1) == one_claimed
    return count


def _decide(board: Any, state: Any, move: int) -> None:
    """Take the triggered action or decline it; a moved token may trigger the next one (O22)."""
    place = state.acting - 1
    state.acting = 0
    kind = move >> KIND_SHIFT
    if kind == DECLINE:
        return  # O16
    state.markers[place] += FACE_DOWN  # O15
    first = move >> NUMBER_SHIFT & NUMBER_MASK
    second = move & NUMBER_MASK
    if kind == MOVE_TOKEN:
        source = move >> 3 * NUMBER_SHIFT & NUMBER_MASK
        seat = move >> 2 * NUMBER_SHIFT & NUMBER_MASK
        player = int(state.player)
        state.tokens[player][source] &= ~(1 << seat)
        _arrive(board, state, player, first, second)
    elif kind == ROTATION:
        _rotate(state, second)
    elif kind == SWAP:
        _swap(board, state, first, second)
    else:
        state.waiter_table = second  # O21


def _rotate(state: Any, eighths: int) -> None:
    """Turn the waiter's table clockwise, and him with it (O19)."""
    table = int(state.waiter_table)
    for player in range(2):
        seats = state.tokens[player][table]
        outer = (seats >> 1) << eighths
        state.tokens[player][table] = seats & 1 | (outer & 255 | outer >> 8) << 1
    if state.waiter_seat != CENTRE:
        state.waiter_seat = (state.waiter_seat - 1 + eighths & 7) + 1


def _swap(board: Any, state: Any, table: int, other: int) -> None:
    """Let two tables change places with all that is theirs (O17, O20)."""
    for player in range(2):
        seats = state.tokens[player][table]
        state.tokens[player][table] = state.tokens[player][other]
        state.tokens[player][other] = seats
    if not board.markers_stay:
        marker = state.markers[table]
        state.markers[table] = state.markers[other]
        state.markers[other] = marker
    if state.waiter_table == table:
        state.waiter_table = other
    elif state.waiter_table == other:
        state.waiter_table = table
