"""Exact values of all positions on small boards, one bit each, built by layers of empty cells.

The index of a position is a number in base 3: a digit for each cell, 0 empty, 1 white, 2 black. Its
bit says whether White wins if White is to move, or has to replace a piece (C5). The positions in
which Black is to move are the same ones with the colours swapped.

A placement leads to the layer with one empty cell less, and replacements stay in their layer and
always lower the number of equal neighbours, so each layer follows from the one below it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teahouse.core import hexgrid
from teahouse.games.orochi.rules import (
    WHITE,
    add_piece,
    clear,
    contains,
    find_over_connected,
)
from teahouse.games.orochi.rules import legal as legal
from teahouse.games.orochi.rules import play as play
from teahouse.games.orochi.rules import winners as winners

MAX_SIDE = 3  # the next board has 3**37 positions
UNKNOWN = 2


def positions(options: Mapping[str, Any]) -> int:
    """Return the number of positions of the tablebase; 0 if there is none for these options."""
    side = options["side"]
    if side > MAX_SIDE or options["opening"] != "two":
        return 0
    return int(3 ** len(hexgrid.names(side)))


def workspace(options: Mapping[str, Any]) -> np.ndarray:
    """Return the record in which `build` keeps where it is, with its constants and buffers.

    Boards are bit sets, a row after the other with one empty column between them, so that the
    neighbours of all pieces of a colour are six shifts.
    """
    side = options["side"]
    size = len(hexgrid.names(side))
    half = size // 2 + 1
    work = np.zeros(
        1,
        [
            ("place", np.int64, size),  # each cell's bit
            ("power", np.int64, 2 * side * (2 * side - 1)),  # each bit's power of 3
            ("stride", np.int64),  # bits of a row
            ("empty", np.int64),  # the layer
            ("holes", np.int64),  # the empty cells of the next group of positions, as a bit set
            ("pieces", np.int64, size),  # the bits of a group's pieces
            ("hole", np.int64, size),  # the bits of its empty cells
            ("rank", np.int64, 2 * side * (2 * side - 1)),  # the number of a bit in `pieces`
            ("low", np.int64, 1 << half),  # sums of powers, for the lower half of the pieces
            ("high", np.int64, 1 << half),  # and for the upper one
            ("value", np.uint8, 1 << size - 1),  # values of a group's positions
            ("stack", np.int64, 4 * size),  # replacements being searched
        ],
    )
    work["stride"] = 2 * side
    work["empty"] = 1
    work["holes"] = 1
    for cell, (column, row) in enumerate(hexgrid.points(side)):
        bit = row * 2 * side + (column - row + side - 1) // 2
        work["place"][0, cell] = bit
        work["power"][0, bit] = 3**cell
    return work


def build(board: Any, work: Any, table: Any, budget: int) -> int:
    """Fill in about `budget` positions of the table; return their number, 0 at the end."""
    size = len(work.place)
    done = 0
    while done < budget and work.empty <= size:
        done += _fill_group(work, table)
        lowest = work.holes & -work.holes
        carried = work.holes + lowest
        work.holes = carried | ((work.holes ^ carried) >> 2) // lowest
        if work.holes >> size:  # that was the last group of the layer
            work.empty += 1
            work.holes = (1 << work.empty) - 1
    return done


def probe(board: Any, table: Any, state: Any) -> int:
    """Return the player who wins a position that is not over."""
    index = 0
    own = state.pieces[state.player]
    other = state.pieces[1 - state.player]
    for cell in range(len(board.cell) - 1, -1, -1):
        index = 3 * index + contains(own, cell) + 2 * contains(other, cell)
    white = table[index >> 3] >> (index & 7) & 1
    return int(state.player) if white else 1 - int(state.player)


def set_position(board: Any, state: Any, index: int) -> None:
    """Set the state to the position of an index, with White to move."""
    clear(state)
    state.empty = 0
    for cell in range(len(board.cell)):
        piece = index % 3
        index //= 3
        if piece == 0:
            state.empty += 1
        else:
            add_piece(board, state, piece - 1, cell)
    forced = find_over_connected(state)
    state.player = WHITE
    state.over = state.empty == 0 or (state.empty == 1 and not forced)


def _fill_group(work: Any, table: Any) -> int:
    """Fill in all positions with the same empty cells; return their number."""
    occupied, base = _begin_group(work)
    size = len(work.place)
    count = size - work.empty
    split = count // 2
    white = 0
    forced = False
    for number in range(1 << count):  # bit k: whether piece k is white
        index = 2 * base - work.low[number & (1 << split) - 1] - work.high[number >> split]
        work.value[number] = _settled_value(work, table, white, occupied, index, base)
        forced |= work.value[number] == UNKNOWN
        white = white - occupied & occupied  # the next subset
    for number in range(1 << count):
        if forced and work.value[number] == UNKNOWN:
            _search_replacements(work, occupied, number)
        if work.value[number]:
            index = 2 * base - work.low[number & (1 << split) - 1] - work.high[number >> split]
            table[index >> 3] |= 1 << (index & 7)
    return 1 << count


def _begin_group(work: Any) -> Any:
    """Write the lists of a group; return its pieces as a bit set, and the sum of their powers."""
    occupied = 0
    base = 0
    count = 0
    holes = 0
    for cell in range(len(work.place)):
        bit = work.place[cell]
        if work.holes >> cell & 1:
            work.hole[holes] = bit
            holes += 1
        else:
            work.pieces[count] = bit
            work.rank[bit] = count
            occupied |= 1 << bit
            base += work.power[bit]
            count += 1
    split = count // 2
    work.low[0] = 0
    for piece in range(split):
        for subset in range(1 << piece):
            work.low[subset + (1 << piece)] = work.low[subset] + work.power[work.pieces[piece]]
    work.high[0] = 0
    for piece in range(count - split):
        power = work.power[work.pieces[split + piece]]
        for subset in range(1 << piece):
            work.high[subset + (1 << piece)] = work.high[subset] + power
    return occupied, base


def _settled_value(work: Any, table: Any, white: int, occupied: int, index: int, base: int) -> int:
    """Return whether White wins, or UNKNOWN if a piece has to be replaced first (C5)."""
    stride = work.stride
    black = occupied ^ white
    white_four, white_three = _crowded(white, stride)
    black_four, black_three = _crowded(black, stride)
    if white_four & white | black_four & black:
        return UNKNOWN
    if work.empty == 1:
        last = _around(1 << work.hole[0], stride)  # C9: White placed last and loses a tie
        return int(_largest_group(white, last, stride) > _largest_group(black, last, stride))
    white_three &= white
    black_three &= black
    for hole in range(work.empty):
        cell = 1 << work.hole[hole]
        power = work.power[work.hole[hole]]
        around = _around(cell, stride)
        after = index + power
        stays = white_four & cell | around & white_three
        if _placed_value(work, table, after, stays, base + power):
            return 1
        after += power
        stays = black_four & cell | around & black_three
        if _placed_value(work, table, after, stays, base + power):
            return 1
    return 0


def _placed_value(work: Any, table: Any, index: int, stays: int, base: int) -> int:
    """Return whether White wins after a placement; `stays` if something is over-connected."""
    # White goes on also at the end of the game (C7), and with the second of two pieces (C1).
    if stays or work.empty == 2 or work.empty == len(work.place) - 1:
        return int(table[index >> 3] >> (index & 7) & 1)
    swapped = 3 * base - index
    return 1 - int(table[swapped >> 3] >> (swapped & 7) & 1)


def _search_replacements(work: Any, occupied: int, number: int) -> None:
    """Find whether White wins a position in which pieces have to be replaced, depth-first."""
    stack = work.stack  # for each depth: position, white pieces, choices left, choice taken
    count = len(work.place) - work.empty
    stride = work.stride
    white = 0
    for piece in range(count):
        white |= (number >> piece & 1) << work.pieces[piece]
    depth = 0
    stack[0] = number
    stack[1] = white
    stack[2] = -1
    while depth >= 0:
        number = stack[4 * depth]
        white = stack[4 * depth + 1]
        if stack[4 * depth + 2] < 0:  # seen for the first time
            black = occupied ^ white
            white_four, _ = _crowded(white, stride)
            black_four, _ = _crowded(black, stride)
            stack[4 * depth + 2] = white_four & white | black_four & black
        else:
            child = number ^ 1 << stack[4 * depth + 3]
            if work.value[child]:
                work.value[number] = 1
                depth -= 1
                continue
        while stack[4 * depth + 2]:
            choice = stack[4 * depth + 2] & -stack[4 * depth + 2]
            piece = work.rank[_bit_number(choice)]
            child = number ^ 1 << piece
            stack[4 * depth + 3] = piece
            if work.value[child] != 0:
                break
            stack[4 * depth + 2] ^= choice
        if not stack[4 * depth + 2]:
            work.value[number] = 0
            depth -= 1
        elif work.value[child] == 1:
            work.value[number] = 1
            depth -= 1
        else:
            stack[4 * depth + 2] &= stack[4 * depth + 2] - 1
            depth += 1
            stack[4 * depth] = child
            stack[4 * depth + 1] = white ^ choice
            stack[4 * depth + 2] = -1


def _crowded(pieces: int, stride: int) -> Any:
    """Return the cells with four or more neighbours in a bit set, and those with three.

    The six neighbours are added bit by bit: two full adders, then one for their results.
    """
    east, west = pieces << 1, pieces >> 1
    north_east, south_west = pieces << stride, pieces >> stride
    north_west, south_east = pieces << stride - 1, pieces >> stride - 1
    ones = east ^ west ^ north_east
    twos = east & west | north_east & (east ^ west)
    other_ones = south_west ^ north_west ^ south_east
    other_twos = south_west & north_west | south_east & (south_west ^ north_west)
    carry = ones & other_ones
    two = twos ^ other_twos ^ carry
    four = twos & other_twos | carry & (twos ^ other_twos)
    return four, (ones ^ other_ones) & two & ~four


def _around(pieces: int, stride: int) -> int:
    """Return the neighbours of a bit set."""
    rows = pieces << stride | pieces >> stride | pieces << stride - 1 | pieces >> stride - 1
    return pieces << 1 | pieces >> 1 | rows


def _largest_group(pieces: int, last: int, stride: int) -> int:
    """Return the size of the largest group that has a piece in `last` (C8)."""
    largest = 0
    rest = pieces & last
    while rest:
        group = rest & -rest
        grown = (group | _around(group, stride)) & pieces
        while grown != group:
            group = grown
            grown = (group | _around(group, stride)) & pieces
        rest &= ~group
        largest = max(largest, _bit_count(group))
    return largest


def _bit_count(bits: int) -> int:
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


def _bit_number(bit: int) -> int:
    return _bit_count(bit - 1)
