"""Toot's rules: the state's layout and all kernels. Rule numbers are those of rules.md."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teahouse.core.game import Layout
from teahouse.core.random import below

BLUE, RED = 0, 1

# A set of cells is a bit for each: a word holds three rows of 21 cells, seven words hold all 21.
#
#    word 6   rows 19 to 21        bits 42 … 62   the third row of its word, a to u
#    …                             bits 21 … 41   the second
#    word 0   rows 1 to 3          bits  0 … 20   the first
#
# A cell is its word and its bit. Tiles and pieces are kept a second time on the turned table, whose
# rows are the columns, so that each line through a cell is 21 bits side by side.
SIDE = 21
WORDS = 7
WORD_SHIFT = 6
BIT_MASK = (1 << WORD_SHIFT) - 1
OFF = WORDS << WORD_SHIFT  # no cell

# A piece on the table is twice its cell, and 1 more if it lies: it is on its second life.
NO_PIECE = OFF << 1

FIRST_ROW = (1 << SIDE) - 1
FIRST_TWO_ROWS = (1 << 2 * SIDE) - 1
NOT_FIRST_COLUMN = (1 << 3 * SIDE) - 1 - (1 | 1 << SIDE | 1 << 2 * SIDE)
NOT_LAST_COLUMN = NOT_FIRST_COLUMN >> 1

# The two lines through a cell are held in one word, far enough apart not to meet: the row from bit
# 0, the column from this one.
ACROSS = 41
BOTH_ENDS = 1 | 1 << ACROSS

# Bits are counted in pairs, then in fours, then in bytes.
PAIRS = 0x5555555555555555
FOURS = 0x3333333333333333
BYTES = 0x0F0F0F0F0F0F0F0F

# Five bits of the product with a power of 2 below 2**32 tell which power it is.
DE_BRUIJN = 0x077CB531

# A move is its kind and up to three cells; a step or jump has 1 for the first in a column.
#
#    bits 29 28 27   26 … 18          17 … 9         8 … 0
#         kind       piece or 0, 1    from or tile   cell
CELL_BITS = 9
CELL_MASK = (1 << CELL_BITS) - 1
FROM_SHIFT, PIECE_SHIFT, KIND_SHIFT = CELL_BITS, 2 * CELL_BITS, 3 * CELL_BITS
FROM_AND_CELL = (1 << PIECE_SHIFT) - 1
PLACE, ENTER, STEP, JUMP, STOP, RETURN, SACRIFICE, PASS = range(8)

# What is due in a turn: its first decision, the second after a tile, or a further jump.
FIRST, SECOND, FURTHER = range(3)

QUIET_TURNS = 60


def layout(options: Mapping[str, Any]) -> Layout:
    """The board's tables and the state's fields for these options."""
    tiles, pieces = options["tiles"], options["pieces"]
    max_cells = 4 * 2 * tiles
    board = np.zeros(
        1,
        [
            ("turned", np.uint16, OFF),  # the cell with row and column exchanged
            ("column", np.uint8, OFF),
            ("power", np.uint8, 32),  # of a single bit, by DE_BRUIJN
            ("ways", np.int16, 8),  # to the only tile beside a cell: see _note_cells
            ("tiles", np.uint8),
            ("pieces", np.uint8),
            ("most_pieces", np.uint8),
            ("max_cells", np.uint8),  # that can lie beside tiles
        ],
    )
    for row in range(SIDE):
        for column in range(SIDE):
            board["turned"][0, cell_at(column, row)] = cell_at(row, column)
            board["column"][0, cell_at(column, row)] = column
    for power in range(32):
        board["power"][0, DE_BRUIJN << power >> 27 & 31] = power
    board["ways"] = [SIDE**2, -1, SIDE**2, -SIDE, SIDE**2, 1, SIDE**2, SIDE]
    board["tiles"] = tiles
    board["pieces"] = pieces
    board["max_cells"] = max_cells
    board["most_pieces"] = options["most_pieces"]
    state = np.dtype(
        [
            ("tiles", np.int64, (2, 2, WORDS)),  # each player's, as they lie and turned
            ("pieces", np.int64, (2, WORDS)),  # both players', likewise; the tile tells whose
            ("own", np.uint16, (2, pieces)),  # each player's from the lowest cell, then NO_PIECE
            ("at", np.uint16),  # the tile to enter on, the piece that may jump on, or OFF
            ("due", np.uint8),
            ("tiles_in_hand", np.uint8, 2),
            ("pieces_in_hand", np.uint8, 2),
            ("aside", np.uint8, 2),  # captured once, may return
            ("left", np.uint8, 2),  # in hand, on the table and put aside
            ("sacrificed", np.uint8, 2),
            ("quiet", np.uint8),  # turns in a row without progress (T17)
            ("passes", np.uint8),  # turns in a row passed, 0 if the next player need not pass
            ("player", np.uint8),
            ("over", np.uint8),
            ("winners", np.uint8),
        ]
    )
    # Most moves are sacrifices and returns: with so many pieces standing, each goes with any empty
    # tile or its own, and each return with any empty tile; every tile left has four sides.
    takes = max(
        standing * (tiles - standing + 1) + (tiles - standing if standing < pieces else 0)
        for standing in range(pieces + 1)
    )
    max_moves = takes * 4 * (2 * tiles - 1) + 4 * pieces + 1
    return Layout(board, state, max_moves=max_moves + max_cells)


def cell_at(column: int, row: int) -> int:
    """The cell in this column and row, both from 0."""
    return row // 3 << WORD_SHIFT | row % 3 * SIDE + column


def start(board: Any, state: Any, seed: int) -> None:
    """The two lettered tiles on the table, Blue to place a tile (T1, T2)."""
    for word in range(WORDS):
        for player in range(2):
            state.tiles[0][player][word] = 0
            state.tiles[1][player][word] = 0
        state.pieces[0][word] = 0
        state.pieces[1][word] = 0
    _flip_tile(board, state, BLUE, 3 << WORD_SHIFT | 2 * SIDE + 10)  # k12
    _flip_tile(board, state, RED, 3 << WORD_SHIFT | SIDE + 10)  # k11
    for player in range(2):
        state.tiles_in_hand[player] = board.tiles - 1
        state.pieces_in_hand[player] = board.pieces
        state.aside[player] = 0
        state.left[player] = board.pieces
        state.sacrificed[player] = 0
        for index in range(len(state.own[player])):
            state.own[player][index] = NO_PIECE
    state.at = OFF
    state.due = FIRST
    state.quiet = 0
    state.passes = 0
    state.player = BLUE
    state.over = 0
    state.winners = 0


def legal(board: Any, state: Any, moves: Any) -> int:
    """List the moves for what is due: pieces and tiles from the lowest cell, left to right."""
    count = 0
    if state.over:
        return count
    player = int(state.player)
    if state.due == FURTHER:
        count = _list_pieces(board, state, moves, count, int(state.at))
        moves[count] = STOP << KIND_SHIFT  # T7
        return count + 1
    if state.due == FIRST and state.tiles_in_hand[player]:
        count = _list_cells(board, state, moves)
    else:
        if state.due == SECOND and state.pieces_in_hand[player]:
            moves[count] = ENTER << KIND_SHIFT  # T4
            count += 1
            if state.pieces_in_hand[player] > state.tiles_in_hand[player]:  # T9
                return count
        count = _list_pieces(board, state, moves, count, OFF)  # T5, T6, T10
        if state.due == FIRST and (state.aside[player] or state.sacrificed[player] == 0):
            count = _list_takes(board, state, moves, count)
    if count == 0:
        moves[count] = PASS << KIND_SHIFT  # T14
        count += 1
    return count


def _power(board: Any, bit: int) -> int:
    """Which power of 2 below 2**32 this is."""
    return board.power[bit * DE_BRUIJN >> 27 & 31]


def _first(board: Any, word: int, bits: int) -> int:
    """The cell of the lowest bit in a word of the table."""
    bit = bits & -bits
    upper = bit >> 32
    return word << WORD_SHIFT | (32 if upper else 0) + _power(board, upper | bit & 0xFFFFFFFF)


def _has(words: Any, cell: int) -> int:
    """1 if the cell's bit is set."""
    return words[cell >> WORD_SHIFT] >> (cell & BIT_MASK) & 1


def _flip(words: Any, cell: int) -> None:
    """Set the cell's bit where it was not, or clear it."""
    words[cell >> WORD_SHIFT] ^= 1 << (cell & BIT_MASK)


def _flip_tile(board: Any, state: Any, player: int, cell: int) -> None:
    """Put a tile on an empty cell, or take it away."""
    _flip(state.tiles[0][player], cell)
    _flip(state.tiles[1][player], int(board.turned[cell]))


def _put_piece(board: Any, state: Any, player: int, cell: int, lying: int) -> None:
    """Put a piece on an empty tile."""
    _flip(state.pieces[0], cell)
    _flip(state.pieces[1], int(board.turned[cell]))
    own = state.own[player]
    piece = cell << 1 | lying
    for index in range(len(own)):
        other = int(own[index])
        own[index] = min(piece, other)
        piece = max(piece, other)


def _lift_piece(board: Any, state: Any, player: int, cell: int) -> int:
    """Take a piece off its tile; 1 if it was lying."""
    _flip(state.pieces[0], cell)
    _flip(state.pieces[1], int(board.turned[cell]))
    own = state.own[player]
    last = len(own) - 1
    lying = 0
    found = 0
    for index in range(last):
        piece = int(own[index])
        found |= piece >> 1 == cell
        lying |= (piece >> 1 == cell) & piece
        own[index] = own[index + 1] if found else piece
    lying |= (own[last] >> 1 == cell) & own[last]
    own[last] = NO_PIECE
    return lying


def _at(board: Any, piece: int) -> int:
    """A piece's cell as bits of its lines."""
    return 1 << board.column[piece] | 1 << board.column[board.turned[piece]] + ACROSS


def _reach(board: Any, state: Any, player: int, piece: int) -> int:
    """Where a piece can step (T5) or jump (T6), as bits of its row and its column.

    Each of the four ways leads to the first cell without a tile of the other player; it can be
    reached if it holds an empty tile of the own colour.
    """
    turned = int(board.turned[piece])
    row = piece >> WORD_SHIFT
    column = turned >> WORD_SHIFT
    row_shift = (piece & BIT_MASK) - board.column[piece]
    column_shift = (turned & BIT_MASK) - board.column[turned]
    other = state.tiles[0][player ^ 1][row] >> row_shift & FIRST_ROW
    other |= (state.tiles[1][player ^ 1][column] >> column_shift & FIRST_ROW) << ACROSS
    empty = (state.tiles[0][player][row] & ~state.pieces[0][row]) >> row_shift & FIRST_ROW
    empty |= (
        (state.tiles[1][player][column] & ~state.pieces[1][column]) >> column_shift & FIRST_ROW
    ) << ACROSS
    at = _at(board, piece)
    passed = other | (at << 1) - BOTH_ENDS
    after = (passed + BOTH_ENDS) & ~passed
    # Before the piece it is the highest bit that counts: all below it are filled.
    before = ~other & (at - BOTH_ENDS)
    before |= before >> 1
    before |= before >> 2
    before |= before >> 4
    before |= before >> 8
    before |= before >> 5
    return (after | before & ~(before >> 1)) & empty


def _list_pieces(board: Any, state: Any, moves: Any, count: int, only: int) -> int:
    """Add each piece's steps and jumps along its row, then its column; or one piece's jumps."""
    count = max(count, 0)  # tells the compiler that no index is negative
    player = int(state.player)
    own = state.own[player]
    for index in range(len(own)):
        piece = int(own[index]) >> 1
        if piece == OFF:
            break
        if only != OFF and only != piece:
            continue
        at = _at(board, piece)
        beside = at << 1 | at >> 1
        reached = _reach(board, state, player, piece)
        if only != OFF:
            reached &= ~beside
        for turned in range(2):
            cell = int(board.turned[piece]) if turned else piece
            line = cell - board.column[cell]
            bits = reached >> ACROSS if turned else reached & FIRST_ROW
            steps = beside >> ACROSS if turned else beside
            move = turned << PIECE_SHIFT | piece << FROM_SHIFT
            first = bits & -bits
            second = bits ^ first
            moves[count] = move | _landing(board, line, turned, first, steps)
            count += first != 0
            moves[count] = move | _landing(board, line, turned, second, steps)
            count += second != 0
    return count


def _landing(board: Any, line: int, turned: int, bit: int, steps: int) -> int:
    """The kind and the cell of a step or jump onto one bit of a line."""
    to = line + _power(board, bit)
    return (STEP if bit & steps else JUMP) << KIND_SHIFT | (board.turned[to] if turned else to)


def _both(state: Any, word: int) -> int:
    """The tiles of both players in a word, none off the table."""
    if word < 0 or word >= WORDS:
        return 0
    return state.tiles[0][BLUE][word] | state.tiles[0][RED][word]


def _left(tiles: int) -> int:
    """The cells of a word with a tile to the left."""
    return (tiles & NOT_LAST_COLUMN) << 1


def _right(tiles: int) -> int:
    """The cells of a word with a tile to the right."""
    return (tiles & NOT_FIRST_COLUMN) >> 1


def _below(tiles: int, below: int) -> int:
    """The cells of a word with a tile below, which may be in the word below."""
    return (tiles & FIRST_TWO_ROWS) << SIDE | below >> 2 * SIDE


def _above(tiles: int, above: int) -> int:
    """The cells of a word with a tile above, which may be in the word above."""
    return tiles >> SIDE | (above & FIRST_ROW) << 2 * SIDE


def _list_cells(board: Any, state: Any, moves: Any) -> int:
    """Put a tile on each empty cell beside a tile (T3)."""
    count = 0
    for word in range(WORDS):
        tiles = _both(state, word)
        across = _below(tiles, _both(state, word - 1)) | _above(tiles, _both(state, word + 1))
        cells = (_left(tiles) | _right(tiles) | across) & ~tiles
        while cells:
            moves[count] = PLACE << KIND_SHIFT | _first(board, word, cells)
            count += 1
            cells &= cells - 1
    return count


def _note_cells(board: Any, state: Any, moves: Any, noted: int) -> int:
    """Note each empty cell beside a tile, with that tile if it is the only one; where they end."""
    noted = max(noted, 0)
    for word in range(WORDS):
        tiles = _both(state, word)
        left = _left(tiles)
        right = _right(tiles)
        below = _below(tiles, _both(state, word - 1))
        above = _above(tiles, _both(state, word + 1))
        once = (left ^ right ^ below ^ above) & ~(left & right | below & above)
        across = below | above
        onward = right | above
        cells = (left | right | across) & ~tiles
        while cells:
            cell = _first(board, word, cells)
            bit = cell & BIT_MASK
            way = once >> bit & 1 | (across >> bit & 1) << 1 | (onward >> bit & 1) << 2
            moves[noted] = (_number(cell) + board.ways[way]) << FROM_SHIFT | cell
            noted += 1
            cells &= cells - 1
    return noted


def _number(cell: int) -> int:
    """The cell's number among all 441, which leaves out the spare bit of each word."""
    return cell - (cell >> WORD_SHIFT)


def _list_noted(moves: Any, count: int, move: int, tile: int, noted: int, end: int) -> int:
    """Add the move of a tile to each noted cell that touches another one (T13)."""
    count = max(count, 0)
    number = _number(tile)
    for index in range(max(noted, 0), end):
        note = moves[index]
        moves[count] = move | tile << FROM_SHIFT | note & CELL_MASK
        count += note >> FROM_SHIFT != number
    return count


def _loose(state: Any, word: int) -> int:
    """The cells of a word with at most three adjacent tiles (T11)."""
    tiles = _both(state, word)
    below = _below(tiles, _both(state, word - 1))
    above = _above(tiles, _both(state, word + 1))
    return ~(_left(tiles) & _right(tiles) & below & above)


def _is_loose(state: Any, cell: int) -> int:
    """1 if the cell has at most three adjacent tiles."""
    return _loose(state, cell >> WORD_SHIFT) >> (cell & BIT_MASK) & 1


def _list_takes(board: Any, state: Any, moves: Any, count: int) -> int:
    """Add the returns (T11) and the sacrifices (T12)."""
    player = int(state.player)
    noted = len(moves) - board.max_cells  # the end of the list is never reached
    end = _note_cells(board, state, moves, noted)
    first = count
    for word in range(WORDS):
        empty = state.tiles[0][player][word] & ~state.pieces[0][word] & _loose(state, word)
        while empty:
            tile = _first(board, word, empty)
            count = _list_noted(moves, count, RETURN << KIND_SHIFT, tile, noted, end)
            empty &= empty - 1
    if state.sacrificed[player]:
        return count
    length = count - first
    if state.aside[player] == 0:
        count = first  # the returns are the pattern only: the first sacrifices replace them
    own = state.own[player]
    for index in range(len(own)):
        if own[index] & 1 == 0 and own[index] != NO_PIECE:
            move = SACRIFICE << KIND_SHIFT | int(own[index]) >> 1 << PIECE_SHIFT
            for place in range(length):
                moves[count + place] = move | moves[first + place] & FROM_AND_CELL
            count += length
    for index in range(len(own)):
        piece = int(own[index]) >> 1
        if own[index] & 1 == 0 and own[index] != NO_PIECE and _is_loose(state, piece):
            move = SACRIFICE << KIND_SHIFT | piece << PIECE_SHIFT
            count = _list_noted(moves, count, move, piece, noted, end)  # from its own tile (T13)
    return count


def random_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """The move that `random` picks from the list that `legal` writes, without writing it."""
    player = int(state.player)
    aside = state.aside[player] > 0
    placing = state.due == FIRST and state.tiles_in_hand[player] > 0
    taking = state.due == FIRST and (aside or state.sacrificed[player] == 0) and not placing
    entering = state.due == SECOND and state.pieces_in_hand[player] > 0
    if entering and state.pieces_in_hand[player] > state.tiles_in_hand[player]:
        return ENTER << KIND_SHIFT
    steps = 0 if placing else _count_steps(board, state, moves)
    free = _count_free(state) if placing or taking else 0
    pattern = 0
    total = steps + entering + (state.due == FURTHER) + (free if placing else 0)
    if taking:
        pattern = _count_takes(state, free, 0)
        total += pattern if aside else 0
        if state.sacrificed[player] == 0:
            total += _count_standing(state) * pattern + _count_takes(state, free, 1)
    if total == 0:
        return PASS << KIND_SHIFT
    index = below(random, total) - entering
    if index < 0:
        return ENTER << KIND_SHIFT
    if index < steps:
        return _find_step(board, state, moves, index)
    if state.due == FURTHER:
        return STOP << KIND_SHIFT
    return _find_cell(board, state, free, pattern, index - steps)


def _count_steps(board: Any, state: Any, moves: Any) -> int:
    """How many moves `_list_pieces` adds, noting how many they are up to each piece."""
    player = int(state.player)
    own = state.own[player]
    count = 0
    for index in range(len(own)):
        piece = int(state.at) if state.due == FURTHER else int(own[index]) >> 1
        if piece == OFF:
            break
        bits = _reach(board, state, player, piece)
        if state.due == FURTHER:
            at = _at(board, piece)
            bits &= ~(at << 1 | at >> 1)
        for _ in range(4):
            count += bits != 0
            bits &= bits - 1
        moves[index] = count
        if state.due == FURTHER:
            break
    return count


def _find_step(board: Any, state: Any, moves: Any, index: int) -> int:
    """The step or jump with this index, after `_count_steps`."""
    player = int(state.player)
    place = 0
    before = 0
    while moves[place] <= index:
        before = moves[place]
        place += 1
    piece = int(state.at) if state.due == FURTHER else int(state.own[player][place]) >> 1
    at = _at(board, piece)
    beside = at << 1 | at >> 1
    bits = _reach(board, state, player, piece)
    if state.due == FURTHER:
        bits &= ~beside
    for _ in range(index - before):
        bits &= bits - 1
    bit = bits & -bits
    turned = int(bit >> ACROSS != 0)
    cell = int(board.turned[piece]) if turned else piece
    landing = _landing(
        board,
        cell - board.column[cell],
        turned,
        bit >> ACROSS if turned else bit,
        beside >> ACROSS if turned else beside,
    )
    return turned << PIECE_SHIFT | piece << FROM_SHIFT | landing


def _bytes(bits: int) -> int:
    """The number of bits in each byte of a word."""
    bits -= bits >> 1 & PAIRS
    bits = (bits & FOURS) + (bits >> 2 & FOURS)
    return bits + (bits >> 4) & BYTES


def _sum(counts: int) -> int:
    """The sum of a word's bytes, if it is below 256."""
    counts += counts >> 32
    counts += counts >> 16
    return counts + (counts >> 8) & 255


def _free(state: Any, word: int) -> int:
    """The empty cells of a word beside a tile."""
    tiles = _both(state, word)
    across = _below(tiles, _both(state, word - 1)) | _above(tiles, _both(state, word + 1))
    return (_left(tiles) | _right(tiles) | across) & ~tiles


def _lone(state: Any, word: int) -> int:
    """The empty cells of a word beside a single tile."""
    tiles = _both(state, word)
    left = _left(tiles)
    right = _right(tiles)
    below = _below(tiles, _both(state, word - 1))
    above = _above(tiles, _both(state, word + 1))
    return (left ^ right ^ below ^ above) & ~(left & right | below & above | tiles)


def _beside(bits: int, below: int, above: int) -> int:
    """The cells of a word beside those of a set: its bits there, in the word below and above."""
    return _left(bits) | _right(bits) | _below(bits, below) | _above(bits, above)


def _count_free(state: Any) -> int:
    """How many cells are beside tiles."""
    counts = 0
    for word in range(WORDS):
        counts += _bytes(_free(state, word))
    return _sum(counts)


def _count_standing(state: Any) -> int:
    """How many pieces the player has on their first life on the table."""
    own = state.own[int(state.player)]
    count = 0
    for index in range(len(own)):
        count += own[index] & 1 == 0 and own[index] != NO_PIECE
    return count


def _tiles(state: Any, word: int, standing: int) -> int:
    """The player's empty tiles in a word, or those of pieces on their first life; none off it."""
    player = int(state.player)
    if word < 0 or word >= WORDS:
        return 0
    tiles = state.tiles[0][player][word]
    if not standing:
        return tiles & ~state.pieces[0][word]
    tiles &= state.pieces[0][word]
    if tiles:
        own = state.own[player]
        for index in range(len(own)):
            piece = int(own[index])
            if piece >> WORD_SHIFT + 1 == word:
                tiles ^= (piece & 1) << (piece >> 1 & BIT_MASK)
    return tiles


def _count_takes(state: Any, free: int, standing: int) -> int:
    """How many ways there are to take a tile, empty or of a standing piece, to a free cell.

    Each loose tile goes to each free cell but those that touch no other tile (T13). A tile that is
    not loose has no free cells beside it.
    """
    tiles = 0
    lone = 0
    before = 0
    bits = _tiles(state, 0, standing)
    for word in range(WORDS):
        after = _tiles(state, word + 1, standing)
        tiles += _bytes(bits & _loose(state, word))
        lone += _bytes(_lone(state, word) & _beside(bits, before, after))
        before = bits
        bits = after
    return _sum(tiles) * free - _sum(lone)


def _find_cell(board: Any, state: Any, free: int, pattern: int, index: int) -> int:
    """The placement, return or sacrifice with this index: see `_list_takes` for their order."""
    player = int(state.player)
    move = PLACE << KIND_SHIFT
    tile = OFF
    if state.tiles_in_hand[player] == 0:
        standing = 0
        move = RETURN << KIND_SHIFT
        if state.aside[player] == 0 or index >= pattern:
            index -= pattern if state.aside[player] else 0
            standing = 1
            own = state.own[player]
            for place in range(len(own)):
                if own[place] & 1 == 0 and own[place] != NO_PIECE:
                    if index < pattern:
                        standing = 0
                        move = SACRIFICE << KIND_SHIFT | int(own[place]) >> 1 << PIECE_SHIFT
                        break
                    index -= pattern
        found = _find_tile(board, state, free, standing, index)
        tile = found & CELL_MASK
        index = found >> CELL_BITS
        move |= tile << FROM_SHIFT
        if standing:
            move = SACRIFICE << KIND_SHIFT | tile << PIECE_SHIFT | tile << FROM_SHIFT
    for word in range(WORDS):
        cells = _free(state, word)
        if tile != OFF:
            at = tile >> WORD_SHIFT
            bit = 1 << (tile & BIT_MASK)
            near = _beside(
                bit if at == word else 0,
                bit if at == word - 1 else 0,
                bit if at == word + 1 else 0,
            )
            cells &= ~(near & _lone(state, word))
        count = _sum(_bytes(cells))
        if index < count:
            for _ in range(index):
                cells &= cells - 1
            return move | _first(board, word, cells)
        index -= count
    return move


def _find_tile(board: Any, state: Any, free: int, standing: int, index: int) -> int:
    """The tile of the take with this index; above its bits the index among the tile's cells."""
    before = 0
    lone = _lone(state, 0)
    for word in range(WORDS):
        after = _lone(state, word + 1) if word < WORDS - 1 else 0
        bits = _tiles(state, word, standing) & _loose(state, word)
        left = _left(lone)
        right = _right(lone)
        below = _below(lone, before)
        above = _above(lone, after)
        while bits:
            bit = bits & -bits
            count = free - (bit & left != 0) - (bit & right != 0)
            count -= (bit & below != 0) + (bit & above != 0)
            if index < count:
                return index << CELL_BITS | _first(board, word, bits)
            index -= count
            bits ^= bit
        before = lone
        lone = after
    return OFF


def play(board: Any, state: Any, move: int) -> None:
    """Play a move, and end the turn or the game where that is due."""
    kind = move >> KIND_SHIFT
    player = int(state.player)
    cell = move & CELL_MASK
    origin = move >> FROM_SHIFT & CELL_MASK
    if STEP <= kind <= JUMP:
        if _move_piece(board, state, origin, cell, move >> PIECE_SHIFT & 1):
            _go_on(board, state, cell)
        else:
            _end_turn(board, state, state.due == FURTHER)
    elif kind == PLACE:
        _flip_tile(board, state, player, cell)
        state.tiles_in_hand[player] -= 1
        if state.pieces_in_hand[player]:
            state.due = SECOND
            state.at = cell
        elif _can_move(board, state):
            state.due = SECOND
        else:
            _end_turn(board, state, 0)  # T8
    elif kind == ENTER:
        _put_piece(board, state, player, int(state.at), 0)
        state.pieces_in_hand[player] -= 1
        _end_turn(board, state, 1)
    elif kind == STOP:
        _end_turn(board, state, 1)
    elif kind == PASS:
        _pass(board, state)
    else:
        if kind == SACRIFICE:
            _lift_piece(board, state, player, move >> PIECE_SHIFT & CELL_MASK)
            state.sacrificed[player] = 1
        else:
            state.aside[player] -= 1
        _flip_tile(board, state, player, origin)
        _flip_tile(board, state, player, cell)
        _put_piece(board, state, player, cell, 1)
        _end_turn(board, state, 1)


def _move_piece(board: Any, state: Any, origin: int, cell: int, turned: int) -> int:
    """Step or jump, capturing what is jumped over; how many pieces that is (T6, T15)."""
    player = int(state.player)
    _put_piece(board, state, player, cell, _lift_piece(board, state, player, origin))
    captured = 0
    one = int(board.turned[origin]) if turned else origin
    end = int(board.turned[cell]) if turned else cell
    for between in range(min(one, end) + 1, max(one, end)):  # cells of a line are in sequence
        over = int(board.turned[between]) if turned else between
        if _has(state.pieces[0], over):
            captured += 1
            lying = _lift_piece(board, state, 1 - player, over)
            state.left[1 - player] -= lying
            state.aside[1 - player] += 1 - lying
    return captured


def _go_on(board: Any, state: Any, piece: int) -> None:
    """After a capture: the end (T16), or the choice of a further jump (T7)."""
    state.quiet = 0
    if state.left[1 - state.player] <= 1:
        state.due = FIRST
        state.at = OFF
        state.over = 1
        state.winners = 1 << state.player
        return
    state.due = FURTHER
    state.at = piece


def _can_move(board: Any, state: Any) -> int:
    """1 if the player has a step or a jump."""
    player = int(state.player)
    own = state.own[player]
    for index in range(len(own)):
        if own[index] == NO_PIECE:
            break
        if _reach(board, state, player, int(own[index]) >> 1):
            return 1
    return 0


def _must_pass(board: Any, state: Any) -> int:
    """1 if the player whose turn begins has nothing to do (T14)."""
    player = int(state.player)
    if state.tiles_in_hand[player] or _can_move(board, state):
        return 0
    # Where a tile may be taken, there is a cell for it: the tiles that stay touch two at least.
    standing = 0
    own = state.own[player]
    for index in range(len(own)):
        if own[index] & 1 == 0 and own[index] != NO_PIECE and state.sacrificed[player] == 0:
            standing += 1
            if _is_loose(state, int(own[index]) >> 1):
                return 0
    if standing or state.aside[player]:
        for word in range(WORDS):
            if state.tiles[0][player][word] & ~state.pieces[0][word] & _loose(state, word):
                return 0
    return 1


def _pass(board: Any, state: Any) -> None:
    """Pass, which ends the game if the player before did so too (T14)."""
    second = state.passes == 1
    _end_turn(board, state, 0)
    if second:
        state.passes = 2
        _decide(board, state)
    elif not state.over:
        state.passes = _must_pass(board, state)


def _end_turn(board: Any, state: Any, progress: int) -> None:
    """It is the other player's turn, unless nothing has happened for too long (T17)."""
    state.player = 1 - state.player
    state.due = FIRST
    state.at = OFF
    state.quiet = 0 if progress else state.quiet + 1
    if state.quiet == QUIET_TURNS:
        _decide(board, state)


def _decide(board: Any, state: Any) -> None:
    """End the game as a draw, or by the pieces left if the option says so."""
    state.over = 1
    state.winners = 0
    if board.most_pieces:
        state.winners = (state.left[BLUE] > state.left[RED]) | (
            state.left[RED] > state.left[BLUE]
        ) << 1
