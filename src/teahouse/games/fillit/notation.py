"""Fillit's moves and positions as text.

A move is `P` (pawn) or `S` (stone), the cell it leaves, `-`, and the cell it goes to. A position is
its rows from the top, with capital letters for pawns, lower-case ones for stones, `+`, `o` and `*`
for the chips of Red, Blue and Yellow, and run lengths of empty cells; then the player to move, what
they still have to move (`both`, `pawn`, `stone`, or `over`), and the number of turns ended:

    5/2rb2/7/2r2b2/R3#3B/2r2b2/7/2rb2/5 R both 0
"""

import re
from functools import cache, lru_cache
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.errors import listing, quoted
from teahouse.core.run_lengths import run_lengths
from teahouse.games.fillit import rules
from teahouse.games.fillit.layouts import EMPTY, MODES, WALL, Mode, wall_cell

CHIPS = {"Red": "+", "Blue": "o", "Yellow": "*"}
PENDING = ("both", "pawn", "stone")
OVER = "over"
_MOVE = re.compile(r"([PS]?)([A-Z][1-9])-?([A-Z][1-9])")


def mode_of(board: Any, state: Any) -> Mode:
    """Return the mode of a state."""
    return _mode(len(board.neighbours), len(state.pawns), len(state.chips))


@cache
def _mode(*shape: int) -> Mode:
    return next(
        mode
        for mode in MODES.values()
        if (2 * wall_cell(mode.board) + 1, len(mode.players), len(mode.sides)) == shape
    )


def chip_glyphs(mode: Mode) -> str:
    """Return the glyph of each side's chips."""
    return "".join(CHIPS[mode.players[side[0]]] for side in mode.sides)


def cell_glyphs(board: Any, state: Any) -> str:
    """Return the glyph of every cell; a pawn hides the chip under it."""
    return "".join([glyphs[-1:] or EMPTY for glyphs in cell_contents(board, state)])


def cell_contents(board: Any, state: Any) -> tuple[str, ...]:
    """Return the glyphs of all pieces on each cell, from the bottom up."""
    shape = (len(board.neighbours), len(state.pawns), len(state.chips))
    return _cell_contents(shape, tuple(state.chips), tuple(state.stones), tuple(state.pawns))


@lru_cache(maxsize=256)  # a position is described in several ways
def _cell_contents(
    shape: tuple[int, int, int],
    chips: tuple[int, ...],
    stones: tuple[int, ...],
    pawns: tuple[int, ...],
) -> tuple[str, ...]:
    mode = _mode(*shape)
    contents = [""] * shape[0]
    contents[wall_cell(mode.board)] = WALL
    for letters, sets in ((chip_glyphs(mode), chips), (mode.stone_letters, stones)):
        for letter, cells in zip(letters, sets, strict=True):
            while cells:
                contents[(cells & -cells).bit_length() - 1] += letter
                cells &= cells - 1
    for letter, cell in zip(mode.pawn_letters, pawns, strict=True):
        contents[cell] += letter
    return tuple(contents)


def chips_in_hand(board: Any, state: Any) -> list[int]:
    """Return the number of chips each side has in hand."""
    return [board.chips - cells.bit_count() for cells in state.chips]


def slide_end(board: Any, state: Any, direction: int) -> int:
    """Return the cell where the player's pawn would stop; its own cell if it cannot move (F6)."""
    free = rules.free_cells(board, state)
    cell: int = state.pawns[state.player]
    while free >> board.neighbours[cell][direction] & 1:
        cell = board.neighbours[cell][direction]
    return cell


def move_text(board: Any, state: Any, move: int) -> str:
    names = hexgrid.names(mode_of(board, state).board)
    cell, direction = move >> rules.DIRECTION_BITS, move & rules.DIRECTION_MASK
    if cell == state.pawns[state.player]:
        return f"P{names[cell]}-{names[slide_end(board, state, direction)]}"
    return f"S{names[cell]}-{names[board.neighbours[cell][direction]]}"


def normalize(board: Any, state: Any, text: str) -> str:
    """Accept any case, a missing letter or dash, and two own stones in either order (F8)."""
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
        return "a move is two cells, such as a1-a4 for the pawn or c3-c4 for a stone"
    mode = mode_of(board, state)
    names = hexgrid.names(mode.board)
    kind, *cells = found[1], found[2].lower(), found[3].lower()
    for name in cells:
        if name not in names:
            return f"{name} is not a cell of this board"
    who = mode.players[state.player]
    leaves, enters = (names.index(name) for name in cells)
    pawn = state.pawns[state.player]
    if kind == "P":
        if leaves != pawn:
            return f"{who}'s pawn is on {names[pawn]}, not on {names[leaves]}"
        if state.pending == rules.STONE:
            return "the pawn has already moved; now move a stone (F3)"
        ends = {slide_end(board, state, direction) for direction in range(6)} - {pawn}
        if not ends:
            return "the pawn is blocked; move a stone (F4, F5)"
        stops = listing(names[cell] for cell in sorted(ends))
        return f"the pawn slides until something stops it: to {stops} (F6)"
    if state.pending == rules.PAWN:
        return "a stone has already moved; now slide the pawn (F3)"
    if not state.stones[board.side[state.player]] >> leaves & 1:
        return f"{who} has no stone on {names[leaves]}"
    if enters == wall_cell(mode.board):
        return "a stone cannot enter the wall (F8)"
    if enters not in board.neighbours[leaves]:
        return f"a stone moves one step; {names[enters]} is not adjacent to {names[leaves]} (F8)"
    return "the pawn could not move afterwards (F4)"


def position_text(board: Any, state: Any) -> str:
    mode = mode_of(board, state)
    glyphs = cell_glyphs(board, state)
    rows = [run_lengths(glyphs[row.start : row.stop]) for row in reversed(hexgrid.rows(mode.board))]
    pending = OVER if state.over else PENDING[state.pending]
    return f"{'/'.join(rows)} {mode.pawn_letters[state.player]} {pending} {state.turns}"


def read_position(board: Any, state: Any, text: str) -> None:
    mode = mode_of(board, state)
    parts = text.split(" ")
    if len(parts) != 4:
        raise ValueError(
            "a position is its rows, the player to move, what to move, and turns ended"
        )
    rows, player, pending, turns = parts
    if len(player) != 1 or player not in mode.pawn_letters:
        raise ValueError(
            f"the player to move must be one of {listing(mode.pawn_letters)}, not {quoted(player)}"
        )
    if pending not in (*PENDING, OVER):
        raise ValueError(
            f"what to move must be one of {listing((*PENDING, OVER))}, not {quoted(pending)}"
        )
    if not re.fullmatch(r"[0-9]{1,3}", turns) or int(turns) > rules.MAX_TURNS:
        raise ValueError(
            f"turns ended must be from 0 to {rules.MAX_TURNS} (F10), not {quoted(turns)}"
        )
    _place_pieces(board, state, mode, _expand_rows(mode, rows))
    state.player = mode.pawn_letters.index(player)
    state.turns = int(turns)
    _set_result(board, state, mode)
    if (pending == OVER) != bool(state.over):
        raise ValueError(f"the game is {'' if state.over else 'not '}over")
    state.pending = rules.BOTH if state.over else PENDING.index(pending)
    if state.pending == rules.PAWN and not (
        rules.free_cells(board, state) & board.adjacent[state.pawns[state.player]]
    ):
        raise ValueError("the pawn to be moved is blocked (F4)")


def _expand_rows(mode: Mode, rows: str) -> str:
    """Return the glyphs of all cells from a position's rows."""
    drawn = rows.split("/")
    cells = hexgrid.rows(mode.board)
    if len(drawn) != len(cells):
        raise ValueError(f"expected {len(cells)} rows, got {len(drawn)}")
    glyphs = ""
    known = {*mode.pawn_letters, *mode.stone_letters, *chip_glyphs(mode), EMPTY, WALL}
    for row, text in zip(cells, reversed(drawn), strict=True):
        expanded = re.sub(r"[1-9]", lambda run: EMPTY * int(run[0]), text)
        if len(expanded) != len(row) or not known.issuperset(expanded):
            raise ValueError(
                f"row {quoted(text)} must have {len(row)} cells: {' '.join(sorted(known))} and"
                " numbers of empty ones"
            )
        glyphs += expanded
    if [cell for cell, glyph in enumerate(glyphs) if glyph == WALL] != [wall_cell(mode.board)]:
        raise ValueError("the wall # must be in the centre and nowhere else")
    return glyphs


def _place_pieces(board: Any, state: Any, mode: Mode, glyphs: str) -> None:
    """Set pawns, stones and chips from the glyphs of all cells."""

    def cells_of(glyph: str) -> list[int]:
        return [cell for cell, found in enumerate(glyphs) if found == glyph]

    for player, letter in enumerate(mode.pawn_letters):
        found = cells_of(letter)
        if len(found) != 1:
            raise ValueError(f"expected 1 pawn {letter}, got {len(found)}")
        state.pawns[player] = found[0]
    for side, seats in enumerate(mode.sides):
        letter = mode.stone_letters[side]
        stones = cells_of(letter)
        if len(stones) != mode.stones:
            raise ValueError(f"expected {mode.stones} stones {letter}, got {len(stones)}")
        chips = cells_of(chip_glyphs(mode)[side]) + [state.pawns[player] for player in seats]
        if len(chips) > board.chips:
            raise ValueError(f"side {letter} has at most {board.chips} chips, got {len(chips)}")
        state.stones[side] = sum(1 << cell for cell in stones)
        state.chips[side] = sum(1 << cell for cell in chips)


def _set_result(board: Any, state: Any, mode: Mode) -> None:
    """Set whether the game is over and who has won, from the pieces."""
    state.over = state.winners = 0
    done = [side for side, chips in enumerate(chips_in_hand(board, state)) if chips == 0]
    if done:
        if len(done) > 1 or state.player not in mode.sides[done[0]]:
            raise ValueError("only the player who laid the last chip can have an empty hand (F9)")
        if state.turns == rules.MAX_TURNS:
            raise ValueError(
                f"the game ends after {rules.MAX_TURNS} turns without a further chip (F10)"
            )
        state.winners = board.winners[done[0]]
    state.over = int(bool(done) or state.turns == rules.MAX_TURNS)
