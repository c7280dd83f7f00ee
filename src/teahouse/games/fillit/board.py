"""Fillit's scene, click paths, descriptions and animations."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.result import result_sentence
from teahouse.core.scene import (
    Animation,
    Area,
    Hand,
    Label,
    Piece,
    Scene,
    Spot,
    Tense,
    in_tense,
)
from teahouse.games.fillit import notation, rules
from teahouse.games.fillit.explanations import (
    can_be_freed,
    explain,
    hand_name,
    is_blocked,
    refuse,
    scores,
)
from teahouse.games.fillit.layouts import MODES, WALL

__all__ = ["animations", "click_paths", "describe", "explain", "refuse", "scene"]


def scene(position: Position) -> Scene:
    """Return the scene of a position."""
    game, state = position.game, position.state_view
    side = MODES[game.options["mode"]].board
    rows = 2 * side - 1
    mode, pieces = game.options["mode"], _all_pieces(game, state)
    spots = tuple(
        _spot(mode, cell, glyph, pieces.get(cell, ()))
        for cell, glyph in enumerate(notation.cell_glyphs(game.board, state))
    )
    letters = tuple(Label(0, rows - 1 - row, chr(ord("a") + row)) for row in range(rows))
    return Scene(
        spots,
        prompt(position),
        letters,
        footer(position),
        colours=tuple(player.lower() for player in game.players),
        hands=hands(game, state),
        captions=hexgrid.coordinates(side),
        areas=(Area(hexgrid.corners(side, 1.1)),),
        notation_hint=notation_hint(position),
        reason=reason(position),
        scores=scores(game, state),
        deciding=deciding(position),
    )


@lru_cache(maxsize=4096)  # equal spots recur in most positions
def _spot(mode: str, cell: int, glyph: str, pieces: tuple[Piece, ...]) -> Spot:
    side, players = MODES[mode].board, MODES[mode].players
    name, (column, row) = hexgrid.names(side)[cell], hexgrid.points(side)[cell]
    return Spot(
        name,
        3 + column,
        2 * side - 2 - row,
        glyph,
        *hexgrid.centres(side)[cell],
        shape="hex",
        kind="wall" if glyph == WALL else "cell",
        label=f"{name}: {'the wall' if glyph == WALL else _words(players, pieces)}",
        pieces=pieces,
    )


def _pieces(game: Game, state: Any, cell: int) -> tuple[Piece, ...]:
    """Return the pieces on a cell: a chip, perhaps with a pawn on it, or a stone."""
    return _all_pieces(game, state).get(cell, ())


def _all_pieces(game: Game, state: Any) -> dict[int, tuple[Piece, ...]]:
    """Return the pieces on each cell that has any."""
    sets = (state.chips, state.stones, state.pawns)
    return _pieces_by_cell(game.options["mode"], *map(tuple, sets))


@lru_cache(maxsize=256)  # moves of one position are described one by one
def _pieces_by_cell(
    mode: str, chips: tuple[int, ...], stones: tuple[int, ...], pawns: tuple[int, ...]
) -> dict[int, tuple[Piece, ...]]:
    pieces: dict[int, tuple[Piece, ...]] = {}
    for kind, sets in (("chip", chips), ("pebble", stones)):
        for players, cells in zip(MODES[mode].sides, sets, strict=True):
            piece = (_piece(kind, players[0]),)
            while cells:
                cell = (cells & -cells).bit_length() - 1
                pieces[cell] = pieces.get(cell, ()) + piece
                cells &= cells - 1
    for player, cell in enumerate(pawns):
        pieces[cell] = (*pieces.get(cell, ()), _piece("pawn", player))
    return pieces


_piece = cache(Piece)


def _words(players: Sequence[str], pieces: tuple[Piece, ...]) -> str:
    nouns = {"chip": "chip", "pebble": "stone", "pawn": "pawn"}
    words = [
        f"{players[piece.player].lower()} {nouns[piece.kind]}"
        for piece in reversed(pieces)
        if piece.player is not None
    ]
    return " on a ".join(words) or "empty"


def hands(game: Game, state: Any) -> tuple[Hand, ...]:
    """Return the chips each side has in hand."""
    mode = MODES[game.options["mode"]]
    return tuple(
        Hand(
            hand_name(mode, side),
            seats[0],
            f"{_names(game, seats)}: {count} of {game.board.chips} chips in hand",
            Piece("chip", seats[0], count=count),
        )
        for side, (seats, count) in enumerate(
            zip(mode.sides, notation.chips_in_hand(game.board, state), strict=True)
        )
    )


def click_paths(position: Position, move: str) -> tuple[tuple[str, ...], ...]:
    """Return the cells a piece leaves and enters; two own stones in either order (F8)."""
    leaves, enters = move[1:].split("-")
    game, state = position.game, position.state_view
    names = hexgrid.names(MODES[game.options["mode"]].board)
    stones = state.stones[game.board.side[state.player]]
    if move[0] == "S" and stones >> names.index(enters) & 1:
        return ((leaves, enters), (enters, leaves))
    return ((leaves, enters),)


def describe(position: Position, move: str, tense: Tense) -> str:
    """Return a move in words."""
    game, state = position.game, position.state_view
    leaves, enters = move[1:].split("-")
    if move[0] == "P":
        laid = [path for path in animations(position, move) if path.path[-1] in _cells(game)]
        stop = laid[0].path[-1]
        if stop == enters:
            text = (
                f"slide/slid the pawn from {leaves} to {enters}"
                f" and lay/laid {_count(len(laid) - 1, 'chip')}"
            )
        else:  # F9
            text = (
                f"slide/slid the pawn from {leaves} towards {enters}"
                f" and lay/laid the last chip on {stop}"
            )
    elif there := _pieces(game, state, _cells(game).index(enters)):
        piece = _words(game.players, there[-1:])
        text = f"swap/swapped the stone on {leaves} with the {piece} on {enters}"
    else:
        text = f"move/moved a stone from {leaves} to {enters}"
    return in_tense(text, game.players[state.player], tense)


def _cells(game: Game) -> tuple[str, ...]:
    return hexgrid.names(MODES[game.options["mode"]].board)


def _count(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def animations(position: Position, move: str) -> tuple[Animation, ...]:
    """Return the slide of the pawn with the chips it lays, or the swap of a stone."""
    game, state = position.game, position.state_view
    names = _cells(game)
    leaves, enters = move[1:].split("-")
    if move[0] == "S":
        here, there = names.index(leaves), names.index(enters)
        return (
            *(Animation(piece, (leaves, enters)) for piece in _pieces(game, state, here)),
            *(Animation(piece, (enters, leaves)) for piece in _pieces(game, state, there)),
        )
    mode = MODES[game.options["mode"]]
    own = game.board.side[state.player]
    in_hand = notation.chips_in_hand(game.board, state)[own]
    path, chips = [names[state.pawns[state.player]]], []
    for cell in _slide(game, state, names.index(leaves), names.index(enters)):
        if not in_hand:
            break  # F9
        path.append(names[cell])
        for side, cells in enumerate(state.chips):
            if side != own and cells >> cell & 1:
                home = Piece("chip", mode.sides[side][0])
                chips.append(
                    Animation(home, (names[cell], hand_name(mode, side)), "jump", len(path) - 2)
                )
        if not state.chips[own] >> cell & 1:
            chip = Piece("chip", mode.sides[own][0])
            chips.append(
                Animation(chip, (hand_name(mode, own), names[cell]), "jump", len(path) - 2)
            )
            in_hand -= 1
    return (Animation(Piece("pawn", state.player), tuple(path)), *chips)


def _slide(game: Game, state: Any, leaves: int, enters: int) -> list[int]:
    """Return the cells a pawn passes, including the last one."""
    for direction in range(6):
        cells, cell = [], leaves
        while cell != enters and game.board.neighbours[cell][direction] < len(
            game.board.neighbours
        ):
            cell = game.board.neighbours[cell][direction]
            cells.append(cell)
        if cell == enters:
            return cells
    raise AssertionError("a pawn slides along a line of cells")


def footer(position: Position) -> tuple[str, ...]:
    """Return each side's letters and hand, and the number of turns."""
    game, state = position.game, position.state_view
    mode = MODES[game.options["mode"]]
    lines, in_hand = [], notation.chips_in_hand(game.board, state)
    for side, seats in enumerate(mode.sides):
        pawns = " and ".join(mode.pawn_letters[player] for player in seats)
        lines.append(
            f"{_names(game, seats)}: {'pawn' if len(seats) == 1 else 'pawns'} {pawns},"
            f" stones {mode.stone_letters[side]}, chips {notation.chip_glyphs(mode)[side]},"
            f" {in_hand[side]} of {game.board.chips} chips in hand"
        )
    return (*lines, f"{state.turns} of {rules.MAX_TURNS} turns ended")


def prompt(position: Position) -> str:
    """Return what the player has to do, or the result."""
    game, state = position.game, position.state_view
    if position.over:
        return result_sentence(game, position.winners, reason(position))
    if state.pending == rules.PAWN:
        return "Slide the pawn."
    if state.pending == rules.STONE:
        return "Move a stone one step."
    if not is_blocked(game, state):
        return "Slide the pawn and move a stone one step, in either order."
    if can_be_freed(position):
        return "The pawn is blocked: move a stone that frees it."
    return "The pawn is blocked for this turn: move any stone."


def notation_hint(position: Position) -> str:
    """Return how to type the moves that are legal now."""
    if position.over:
        return ""
    examples = {move[0]: move[1:] for move in reversed(position.legal)}  # P and S may be left out
    if [*examples] == ["P"]:
        return f"Type its cell and where it stops, such as {examples['P']}."
    if [*examples] == ["S"]:
        return f"Type its cell and the next one, such as {examples['S']}."
    return f"Type two cells, such as {examples['P']} for the pawn or {examples['S']} for a stone."


def deciding(position: Position) -> tuple[str, ...]:
    """Return the cell of the last chip, where the winner's pawn has stopped (F9)."""
    if not position.winners:
        return ()
    state = position.state_view
    return (_cells(position.game)[state.pawns[state.player]],)


def reason(position: Position) -> str:
    """Return why the game ended (F9, F10)."""
    if not position.over:
        return ""
    if position.winners:
        return f"{position.game.players[position.player]} laid the last chip"
    return f"{rules.MAX_TURNS} turns ended without a winner"


def _names(game: Game, seats: Any) -> str:
    return " and ".join(game.players[player] for player in seats)
