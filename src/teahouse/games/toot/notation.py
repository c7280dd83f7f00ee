"""Toot's moves and positions as text.

Moves are `+k13`, `*`, `k12-l12`, `k12^k15`, `.`, `k9>m12`, `h8!k9>m12` and `-`. A position is

    k12:b/R b - 4,3 0,0 - 0 0 -

the top left cell and the rows from there downwards, with `b` and `r` for tiles, `B` and `R` for
tiles with a piece on them, `B=` and `R=` if it lies, and run lengths of empty cells; the player to
move; the phase of the turn: `-` its start, `+k13` after that tile (`+` with no piece to enter on
it), `^k13` a further jump of that piece; then for Blue and Red the pieces in hand and those
captured once; who has sacrificed: `-`, `b`, `r` or `br`; the consecutive turns without progress;
the consecutive passes; and, where that counts (T18), who has captured last: `-`, `b` or `r`.
"""

import re
from functools import lru_cache
from typing import Any

from teahouse.core.run_lengths import run_lengths
from teahouse.games.toot import FIELDS, bitboards, links, movegen, rules
from teahouse.games.toot.bitboards import BLUE, RED

SEATS = ("Blue", "Red")
LETTERS = "br"
CAPTORS = "-br"  # indexed by a bit set
CELLS = {
    f"{chr(ord('a') + column)}{row + 1}": bitboards.cell_at(column, row)
    for row in range(bitboards.SIDE)
    for column in range(bitboards.SIDE)
}
NAMES = {cell: name for name, cell in CELLS.items()}
POINTS = {name: (ord(name[0]), int(name[1:])) for name in CELLS}
"""The column, as its letter's code, and the row of each cell."""
WORDS = {"enter": "*", "stop": ".", "pass": "-"}
CELL = r"([a-z]\d{1,2})"
FORMS = {
    movegen.PLACE: rf"\+{CELL}",
    movegen.ENTER: r"\*",
    movegen.STEP: rf"{CELL}-{CELL}",
    movegen.JUMP: rf"{CELL}\^{CELL}",
    movegen.STOP: r"\.",
    movegen.RETURN: rf"{CELL}>{CELL}",
    movegen.SACRIFICE: rf"{CELL}!{CELL}>{CELL}",
    movegen.PASS: r"-",
}


def move_text(board: Any, state: Any, move: int) -> str:
    return _move_text(move)


@lru_cache(maxsize=8192)
def _move_text(move: int) -> str:
    kind = move >> movegen.KIND_SHIFT
    if kind in (movegen.ENTER, movegen.STOP, movegen.PASS):
        return {movegen.ENTER: "*", movegen.STOP: ".", movegen.PASS: "-"}[kind]
    cell = NAMES[move & bitboards.CELL_MASK]
    if kind == movegen.PLACE:
        return f"+{cell}"
    origin = NAMES[move >> movegen.FROM_SHIFT & bitboards.CELL_MASK]
    if kind == movegen.STEP:
        return f"{origin}-{cell}"
    if kind == movegen.JUMP:
        return f"{origin}^{cell}"
    if kind == movegen.RETURN:
        return f"{origin}>{cell}"
    return f"{NAMES[move >> movegen.PIECE_SHIFT & bitboards.CELL_MASK]}!{origin}>{cell}"


def normalize(board: Any, state: Any, text: str) -> str:
    text = "".join(text.lower().split())
    return f"+{text}" if text in CELLS else WORDS.get(text, text)


def tile_owner(state: Any, cell: int) -> int | None:
    """Return the owner of the tile on a cell, if any."""
    for player in (BLUE, RED):
        if links.has_tile(state, player, cell):
            return player
    return None


def explain(board: Any, state: Any, text: str) -> str:
    text = normalize(board, state, text)
    for kind, form in FORMS.items():
        found = re.fullmatch(form, text)
        if found is None:
            continue
        for name in found.groups():
            if name not in CELLS:
                return f"{name} is not a cell of the table, which has a1 to u21"
        cells = [CELLS[name] for name in found.groups()]
        return _wrong_kind(state, kind, cells) or _wrong_cells(state, kind, cells)
    return "a move has one of the forms +k13 * k12-l12 k12^k15 . k9>m12 h8!k9>m12 -"


def _wrong_kind(state: Any, kind: int, cells: list[int]) -> str:
    """Return why a move of this kind is illegal now, or an empty text."""
    player = SEATS[state.player]
    holds_tiles = state.tiles_in_hand[state.player] > 0
    if state.phase == movegen.FURTHER:
        if kind != movegen.JUMP or cells[0] != state.active:
            return f"only the piece on {NAMES[state.active]} may jump again, or . to stop (T7)"
    elif kind == movegen.STOP:
        return "there is no chain of jumps to stop (T7)"
    elif kind == movegen.PASS:
        return "a player with a legal move may not pass (T14)"
    elif state.phase == movegen.FIRST and holds_tiles:
        if kind != movegen.PLACE:
            return f"{player} must place a tile first, such as +k13 (T3)"
    elif kind == movegen.PLACE:
        if state.phase == movegen.SECOND:
            return "a tile was placed; now a piece enters, steps or jumps (T3)"
        return f"{player} has no tile in hand"
    elif kind == movegen.ENTER:
        return f"{player} has no piece in hand"
    elif state.phase == movegen.SECOND:
        if state.pieces_in_hand[state.player] > state.tiles_in_hand[state.player]:
            return f"{player} has more pieces than tiles in hand and must enter one with * (T9)"
        if kind in (movegen.RETURN, movegen.SACRIFICE):
            return "after a tile a piece enters, steps or jumps (T3)"
    elif movegen.must_pass(state):
        return f"{player} has no legal move and must pass with - (T14)"
    return ""


def _wrong_cells(state: Any, kind: int, cells: list[int]) -> str:
    """Return why a move of an allowed kind is illegal with these cells."""
    names = [NAMES[cell] for cell in cells]
    player = SEATS[state.player]
    if kind == movegen.PLACE:
        if _has_tile(state, cells[0]):
            return f"{names[0]} is occupied (T3)"
        return f"{names[0]} is not adjacent to a tile (T3)"
    if kind in (movegen.STEP, movegen.JUMP):
        if not links.has_piece(state, state.player, cells[0]):
            return f"{player} has no piece on {names[0]}"
        if tile_owner(state, cells[1]) != state.player:
            return f"{player} has no tile on {names[1]} (T2)"
        if links.has_piece(state, state.player, cells[1]):
            return f"{names[1]} is occupied by a piece"
        if kind == movegen.STEP:
            return f"{names[1]} is not adjacent to {names[0]} (T5)"
        return "a jump goes straight over tiles of the other colour only, to the next own tile (T6)"
    if kind == movegen.RETURN and state.captured[state.player] == 0:
        return f"{player} has no captured piece to return (T11)"
    if kind == movegen.SACRIFICE:
        if state.sacrificed[state.player]:
            return f"{player} has already sacrificed (T12)"
        if not links.has_piece(state, state.player, cells[0]):
            return f"{player} has no piece on {names[0]}"
        if links.is_lying(state, state.player, links.rank_of(state, state.player, cells[0])):
            return f"the piece on {names[0]} is on its second life (T12)"
    tile, cell = cells[-2:]
    if tile_owner(state, tile) != state.player:
        return f"{player} has no tile on {NAMES[tile]} (T11)"
    lifted = kind == movegen.SACRIFICE and tile == cells[0]
    if links.has_piece(state, state.player, tile) and not lifted:
        return f"{NAMES[tile]} is occupied by a piece (T11)"
    if (
        not bitboards.loose_cells(state, tile >> bitboards.WORD_SHIFT)
        >> (tile & bitboards.BIT_MASK)
        & 1
    ):
        return f"{NAMES[tile]} has four adjacent tiles; at most three are allowed (T11)"
    if _has_tile(state, cell):
        return f"{NAMES[cell]} is occupied"
    return f"{NAMES[cell]} is not adjacent to a remaining tile (T13)"


def _has_tile(state: Any, cell: int) -> bool:
    return tile_owner(state, cell) is not None


def position_text(board: Any, state: Any) -> str:
    glyphs = cell_glyphs(state)
    columns, rows = zip(*map(POINTS.__getitem__, glyphs), strict=True)
    left, top = min(columns), max(rows)
    table = [["."] * (max(columns) - left + 1) for _ in range(top - min(rows) + 1)]
    for column, row, glyph in zip(columns, rows, glyphs.values(), strict=True):
        table[top - row][column - left] = glyph
    lines = [run_lengths("".join(line)) for line in table]
    phase = "-+^"[state.phase] + (NAMES[state.active] if state.active != bitboards.OFF else "")
    sacrificed = "".join(LETTERS[player] for player in (BLUE, RED) if state.sacrificed[player])
    return (
        f"{chr(left)}{top}:{'/'.join(lines)} {LETTERS[state.player]} {phase}"
        f" {state.pieces_in_hand[BLUE]},{state.pieces_in_hand[RED]}"
        f" {state.captured[BLUE]},{state.captured[RED]} {sacrificed or '-'}"
        f" {state.quiet_turns} {state.passes}"
        f"{f' {CAPTORS[state.last_captor]}' if board.last_capture else ''}"
    )


def cell_glyphs(state: Any) -> dict[str, str]:
    """Return the glyph of each cell with a tile, by name, in the order of cells."""
    pieces = (links.ranks_of(state.pieces[player]) for player in (BLUE, RED))
    lying = (links.ranks_of(state.lying[player]) for player in (BLUE, RED))
    return dict(_cell_glyphs(*map(tuple, state.cells), *pieces, *lying))


@lru_cache(maxsize=256)  # a position is described in several ways
def _cell_glyphs(blue: tuple[int, ...], red: tuple[int, ...], *ranks: int) -> dict[str, str]:
    glyphs = {}
    for player, cells in enumerate((blue, red)):
        pieces, lying = ranks[player], ranks[2 + player]
        for rank, cell in enumerate(cells):
            if cell != bitboards.OFF:
                letter = LETTERS[player].upper() if pieces >> rank & 1 else LETTERS[player]
                glyphs[cell] = letter + "=" * (lying >> rank & 1)
    return {NAMES[cell]: glyphs[cell] for cell in sorted(glyphs)}


def read_position(board: Any, state: Any, text: str) -> None:
    fields = text.split(" ")
    expected = FIELDS if board.last_capture else FIELDS - 1
    if len(fields) != expected:
        raise ValueError(
            f"expected {expected} fields before the number of moves, got {len(fields)}"
        )
    layout, player, phase, hands, captured, sacrificed, quiet_turns, passes, *captor = fields
    if player not in ("b", "r"):
        raise ValueError(f"the player to move must be b or r, not {player[:20]!r}")
    if sacrificed not in ("-", "b", "r", "br"):
        raise ValueError(f"who has sacrificed must be -, b, r or br, not {sacrificed[:20]!r}")
    _read_layout(board, state, layout)
    state.player = LETTERS.index(player)
    state.pieces_in_hand = _pair("pieces in hand", hands)
    state.captured = _pair("captured pieces", captured)
    state.sacrificed = [int(letter in sacrificed) for letter in LETTERS]
    state.quiet_turns = _number("turns without progress", quiet_turns, board.quiet_limit)
    state.passes = _number("passes", passes, 2)
    for seat in (BLUE, RED):
        _set_supplies(board, state, seat)
    for letter in captor:
        _read_captor(board, state, letter)
    _read_phase(board, state, phase)
    _set_result(board, state)


def _number(name: str, text: str, high: int) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", text) or int(text) > high:
        raise ValueError(f"{name} must be an integer from 0 to {high}, not {text[:20]!r}")
    return int(text)


def _pair(name: str, text: str) -> list[int]:
    numbers = text.split(",")
    if len(numbers) != 2:
        raise ValueError(f"{name} must be two integers with a comma, not {text[:20]!r}")
    return [_number(name, number, 19) for number in numbers]


def _read_layout(board: Any, state: Any, text: str) -> None:
    corner, colon, rows = text.partition(":")
    if corner not in CELLS or not colon:
        raise ValueError("a layout must begin with its top left cell and a colon, such as k12:")
    glyphs: dict[int, str] = {}
    row = int(corner[1:])
    for line in rows.split("/"):
        if not re.fullmatch(r"(?:[br]|[BR]=?|[0-9])*", line):  # unambiguous, so linear
            raise ValueError(f"row {line[:30]!r} may have only b, r, B, R, B=, R= and numbers")
        column = ord(corner[0])
        for glyph in re.findall(r"[0-9]{1,2}|[BR]=|.", line):
            if glyph.isdigit():
                column += int(glyph)
                continue
            name = f"{chr(column)}{row}"
            if name not in CELLS:
                raise ValueError(f"row {line[:30]!r} extends beyond the edge of the table")
            glyphs[CELLS[name]] = glyph
            column += 1
        row -= 1
    for player in (BLUE, RED):
        links.take_tile(board, state, player, state.cells[player][0])  # that of the start
    for player in (BLUE, RED):
        own = {cell: glyph for cell, glyph in glyphs.items() if glyph[0].lower() == LETTERS[player]}
        if not 1 <= len(own) <= board.tiles:
            raise ValueError(
                f"{SEATS[player]} must have 1 to {board.tiles} tiles on the table, not {len(own)}"
            )
        for cell, glyph in own.items():
            links.place_tile(board, state, player, cell)
            if glyph[0].isupper():
                links.add_piece(state, player, cell, int(glyph.endswith("=")))


def _set_supplies(board: Any, state: Any, player: int) -> None:
    """Set a player's tiles in hand and pieces left; raise ValueError if there are too many."""
    seat = SEATS[player]
    glyphs = [glyph for glyph in cell_glyphs(state).values() if glyph[0].lower() == LETTERS[player]]
    tiles = len(glyphs)
    pieces = sum(glyph[0].isupper() for glyph in glyphs)
    left = pieces + state.pieces_in_hand[player] + state.captured[player]
    if left > board.pieces:
        raise ValueError(f"{seat} must have at most {board.pieces} pieces, not {left}")
    state.tiles_in_hand[player] = board.tiles - tiles
    state.remaining[player] = left
    lying = any(glyph.endswith("=") for glyph in glyphs)
    if tiles < board.tiles and (lying or state.sacrificed[player] or left < board.pieces):
        raise ValueError(
            f"{seat} has tiles in hand, so no piece of {seat} can be lost or on its second life"
        )


def _read_captor(board: Any, state: Any, text: str) -> None:
    """Set who captured last; raise ValueError if that player cannot have captured (T18)."""
    if text not in tuple(CAPTORS):
        raise ValueError(f"who captured last must be -, b or r, not {text[:20]!r}")
    state.last_captor = CAPTORS.index(text)
    captors = [player for player in (BLUE, RED) if _has_captured(board, state, player)]
    if state.last_captor == 0 and captors:
        raise ValueError(f"{SEATS[captors[0]]} has captured, so b or r captured last (T18)")
    # A set-up position may lack the piece that was sacrificed: any lying one may have returned.
    if state.last_captor and not (
        LETTERS.index(text) in captors or state.lying[1 - LETTERS.index(text)]
    ):
        raise ValueError(f"{SEATS[LETTERS.index(text)]} has captured no piece (T18)")


def _has_captured(board: Any, state: Any, player: int) -> bool:
    """Return whether a player has captured a piece: it waits, is lost, or has returned."""
    other = 1 - player
    lying = state.lying[other].bit_count()
    lost = state.remaining[other] < board.pieces
    return bool(state.captured[other] or lost or lying > state.sacrificed[other])


def _read_phase(board: Any, state: Any, text: str) -> None:
    """Set the phase of the turn and its active tile or piece."""
    if not re.fullmatch(r"-|\+|[+^][a-z][0-9]{1,2}", text) or text[1:] not in ("", *CELLS):
        raise ValueError(f"the phase must be -, +, or + or ^ and a cell, not {text[:20]!r}")
    player = int(state.player)
    state.phase = "-+^".index(text[0])
    state.active = CELLS.get(text[1:], bitboards.OFF)
    for seat in (BLUE, RED):
        spare = state.tiles_in_hand[seat] - state.pieces_in_hand[seat]
        if spare + (seat == player and state.phase == movegen.SECOND) < 0:
            raise ValueError(f"{SEATS[seat]} has more pieces than tiles in hand (T9)")
    holds = state.active != bitboards.OFF and tile_owner(state, state.active) == player
    piece = holds and links.has_piece(state, player, state.active)
    if state.phase == movegen.SECOND:
        if state.pieces_in_hand[player] == 0:
            if state.active != bitboards.OFF or not movegen.count_piece_moves(state, player):
                raise ValueError(
                    "+ without a cell needs an empty hand of pieces and a legal move (T8)"
                )
        elif not holds or piece:
            raise ValueError("+ must be followed by the cell of an own tile without a piece (T4)")
    elif state.phase == movegen.FURTHER:
        if not piece or not movegen.list_piece_moves(state, [0] * 5, 0, state.active):
            raise ValueError("^ must be followed by the cell of an own piece that can jump (T7)")
        if (
            state.quiet_turns
            or state.captured[1 - player] + board.pieces == state.remaining[1 - player]
        ):
            raise ValueError("a further jump must follow a capture (T7)")
        if state.last_captor == 1 << 1 - player:
            raise ValueError("the player whose piece may jump again captured last (T7)")


def _set_result(board: Any, state: Any) -> None:
    """Set whether the game is over and who has won; raise ValueError if that is inconsistent."""
    if state.passes > state.quiet_turns or (state.phase != movegen.FIRST and state.passes):
        raise ValueError("passes cannot outnumber turns without progress")
    beaten = [player for player in (BLUE, RED) if state.remaining[player] <= 1]
    if not beaten and state.quiet_turns < board.quiet_limit and state.passes < 2:
        if state.passes and not movegen.must_pass(state):
            raise ValueError("passes must be 0 if the player to move need not pass (T14)")
        return
    if state.phase != movegen.FIRST:
        raise ValueError("the game is over, so the phase must be -")
    if beaten:
        if beaten != [1 - state.player] or state.quiet_turns:
            raise ValueError(
                "the game is over (T16), so the winner must have just captured a piece"
            )
        if state.last_captor == 1 << 1 - state.player:
            raise ValueError("the game is over (T16), so the winner captured last")
        state.over = 1
        state.winners = 1 << state.player
    else:
        rules.adjudicate(board, state)
