"""Fillit's moves and positions as text.

A move is `P` (pawn) or `S` (stone), the cell it leaves, `-`, and the cell it goes to. A position is
its rows from the top, with capital letters for pawns, small ones for stones, `+`, `o` and `*` for
the chips of Red, Blue and Yellow, and numbers for runs of empty cells; then who decides, what they
have still to move (`both`, `pawn`, `stone`, or `over`), and how many turns have ended:

    5/2rb2/7/2r2b2/R3#3B/2r2b2/7/2rb2/5 R both 0
"""

import re
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.errors import listing, quoted
from teahouse.games.fillit import rules
from teahouse.games.fillit.layouts import EMPTY, MODES, WALL, Mode, middle

CHIPS = {"Red": "+", "Blue": "o", "Yellow": "*"}
DUE = ("both", "pawn", "stone")
OVER = "over"
_MOVE = re.compile(r"([PS]?)([A-Z][1-9])-?([A-Z][1-9])")


def mode_of(board: Any, state: Any) -> Mode:
    """The mode a state is for."""
    shape = len(board.near), len(state.pawns), len(state.chips)
    return next(
        mode
        for mode in MODES.values()
        if (2 * middle(mode.board) + 1, len(mode.players), len(mode.sides)) == shape
    )


def chip_signs(mode: Mode) -> str:
    """The sign of each side's chips."""
    return "".join(CHIPS[mode.players[side[0]]] for side in mode.sides)


def cell_signs(board: Any, state: Any) -> str:
    """What is on every cell, each as one sign; a pawn hides the chip that is always under it."""
    mode = mode_of(board, state)
    signs = [EMPTY] * len(board.near)
    signs[middle(mode.board)] = WALL
    for letters, sets in ((chip_signs(mode), state.chips), (mode.stone_letters, state.stones)):
        for letter, cells in zip(letters, sets, strict=True):
            for cell in range(len(signs)):
                if cells >> cell & 1:
                    signs[cell] = letter
    for letter, cell in zip(mode.pawn_letters, state.pawns, strict=True):
        signs[cell] = letter
    return "".join(signs)


def hands(board: Any, state: Any) -> list[int]:
    """How many chips each side has in hand."""
    return [board.chips - cells.bit_count() for cells in state.chips]


def slide_end(board: Any, state: Any, direction: int) -> int:
    """The cell where the player's pawn would stop; its own cell if it cannot move (F6)."""
    free = rules._free(board, state)
    cell: int = state.pawns[state.player]
    while free >> board.near[cell][direction] & 1:
        cell = board.near[cell][direction]
    return cell


def move_text(board: Any, state: Any, move: int) -> str:
    names = hexgrid.names(mode_of(board, state).board)
    cell, direction = move >> rules.DIRECTION_BITS, move & rules.DIRECTION_MASK
    if cell == state.pawns[state.player]:
        return f"P{names[cell]}-{names[slide_end(board, state, direction)]}"
    return f"S{names[cell]}-{names[board.near[cell][direction]]}"


def normalize(board: Any, state: Any, text: str) -> str:
    """Any case, with or without the letter and the dash; two own stones in either order (F8)."""
    found = _MOVE.fullmatch("".join(text.upper().split()))
    if not found:
        return text
    kind, leaves, enters = found[1], found[2].lower(), found[3].lower()
    names = hexgrid.names(mode_of(board, state).board)
    if not kind:
        kind = "P" if leaves == names[state.pawns[state.player]] else "S"
    if kind == "S" and leaves in names and enters in names:
        stones = state.stones[board.side[state.player]]
        if stones >> names.index(leaves) & stones >> names.index(enters) & 1:
            leaves, enters = sorted((leaves, enters))
    return f"{kind}{leaves}-{enters}"


def explain(board: Any, state: Any, text: str) -> str:
    found = _MOVE.fullmatch(normalize(board, state, text).upper())
    if not found:
        return "a move is P (pawn) or S (stone) and two cells, such as Pe1-i1 or Sd3-d4"
    mode = mode_of(board, state)
    names = hexgrid.names(mode.board)
    kind, *cells = found[1], found[2].lower(), found[3].lower()
    for name in cells:
        if name not in names:
            return f"the board has no cell {name}"
    who = mode.players[state.player]
    leaves, enters = (names.index(name) for name in cells)
    pawn = state.pawns[state.player]
    if kind == "P":
        if leaves != pawn:
            return f"{who}'s pawn is on {names[pawn]}, not on {names[leaves]}"
        if state.due == rules.STONE:
            return "the pawn has moved already and a stone is due (F3)"
        ends = {slide_end(board, state, direction) for direction in range(6)} - {pawn}
        if not ends:
            return "the pawn cannot move now, so a stone is due (F4, F5)"
        ways = listing(names[cell] for cell in sorted(ends))
        return f"the pawn slides until something stops it: to {ways} (F6)"
    if state.due == rules.PAWN:
        return "a stone has moved already and the pawn is due (F3)"
    if not state.stones[board.side[state.player]] >> leaves & 1:
        return f"no stone of {who}'s is on {names[leaves]}"
    if enters == middle(mode.board):
        return "the wall stays where it is (F8)"
    if enters not in board.near[leaves]:
        return f"a stone moves one step, and {names[leaves]} is not beside {names[enters]} (F8)"
    return "the pawn could not move afterwards (F4)"


def position_text(board: Any, state: Any) -> str:
    mode = mode_of(board, state)
    signs = cell_signs(board, state)
    rows = [
        re.sub(r"\.+", lambda run: str(len(run[0])), signs[row.start : row.stop])
        for row in reversed(_rows(mode))
    ]
    due = OVER if state.over else DUE[state.due]
    return f"{'/'.join(rows)} {mode.pawn_letters[state.player]} {due} {state.turns}"


def read_position(board: Any, state: Any, text: str) -> None:
    mode = mode_of(board, state)
    parts = text.split(" ")
    if len(parts) != 4:
        raise ValueError("a position is rows, who decides, what is to be moved, and turns ended")
    rows, player, due, turns = parts
    if len(player) != 1 or player not in mode.pawn_letters:
        raise ValueError(
            f"who decides is one of {listing(mode.pawn_letters)}, not {quoted(player)}"
        )
    if due not in (*DUE, OVER):
        raise ValueError(f"what is to be moved is one of {listing(DUE)}, not {quoted(due)}")
    if not re.fullmatch(r"[0-9]{1,3}", turns) or int(turns) > rules.TURNS:
        raise ValueError(f"turns ended are 0 to {rules.TURNS} (F10), not {quoted(turns)}")
    _lay(board, state, mode, _spread(mode, rows))
    state.player = mode.pawn_letters.index(player)
    state.turns = int(turns)
    _settle(board, state, mode)
    if (due == OVER) != bool(state.over):
        raise ValueError(f"the game is {'' if state.over else 'not '}over")
    state.due = rules.BOTH if state.over else DUE.index(due)
    if state.due == rules.PAWN and not (
        rules._free(board, state) & board.beside[state.pawns[state.player]]
    ):
        raise ValueError("the pawn that is to be moved cannot move (F4)")


def _spread(mode: Mode, rows: str) -> str:
    """The signs of all cells from a position's rows."""
    drawn = rows.split("/")
    if len(drawn) != len(_rows(mode)):
        raise ValueError(f"{len(drawn)} rows instead of {len(_rows(mode))}")
    signs = ""
    known = {*mode.pawn_letters, *mode.stone_letters, *chip_signs(mode), EMPTY, WALL}
    for row, text in zip(_rows(mode), reversed(drawn), strict=True):
        spread = re.sub(r"[1-9]", lambda run: EMPTY * int(run[0]), text)
        if len(spread) != len(row) or not known.issuperset(spread):
            raise ValueError(
                f"row {quoted(text)} is not {len(row)} cells of {' '.join(sorted(known))} and"
                " numbers for empty ones"
            )
        signs += spread
    if [cell for cell, sign in enumerate(signs) if sign == WALL] != [middle(mode.board)]:
        raise ValueError("the wall # is in the middle and nowhere else")
    return signs


def _lay(board: Any, state: Any, mode: Mode, signs: str) -> None:
    """Set pawns, stones and chips from the signs of all cells."""

    def cells_of(sign: str) -> list[int]:
        return [cell for cell, found in enumerate(signs) if found == sign]

    for player, letter in enumerate(mode.pawn_letters):
        found = cells_of(letter)
        if len(found) != 1:
            raise ValueError(f"{len(found)} pawns {letter} instead of 1")
        state.pawns[player] = found[0]
    for side, seats in enumerate(mode.sides):
        letter = mode.stone_letters[side]
        stones = cells_of(letter)
        if len(stones) != mode.stones:
            raise ValueError(f"{len(stones)} stones {letter} instead of {mode.stones}")
        chips = cells_of(chip_signs(mode)[side]) + [state.pawns[player] for player in seats]
        if len(chips) > mode.chips:
            raise ValueError(f"{len(chips)} chips of {letter}'s side, who have {mode.chips}")
        state.stones[side] = sum(1 << cell for cell in stones)
        state.chips[side] = sum(1 << cell for cell in chips)


def _settle(board: Any, state: Any, mode: Mode) -> None:
    """Finish a state whose pieces lie: whether the game is over, and who has won."""
    state.over = state.winners = 0
    done = [side for side, hand in enumerate(hands(board, state)) if hand == 0]
    if done:
        if len(done) > 1 or state.player not in mode.sides[done[0]]:
            raise ValueError("only the player who lays the last chip can have an empty hand (F9)")
        if state.turns == rules.TURNS:
            raise ValueError(f"no chip is laid after {rules.TURNS} turns (F10)")
        state.winners = board.winners[done[0]]
    state.over = int(bool(done) or state.turns == rules.TURNS)


def _rows(mode: Mode) -> list[range]:
    """The cells of each row from the bottom."""
    rows = []
    first = 0
    for row in range(2 * mode.board - 1):
        rows.append(range(first, first + hexgrid.row_length(mode.board, row)))
        first = rows[-1].stop
    return rows
