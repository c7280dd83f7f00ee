"""Fillit's scene, click paths, descriptions and animations."""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import repeat
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.result import result_sentence
from teahouse.core.scene import (
    Animation,
    Hand,
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
    side_names,
)
from teahouse.games.fillit.layouts import EMPTY, MODES, WALL

__all__ = ["animations", "click_paths", "describe", "explain", "refuse", "scene"]


def scene(position: Position) -> Scene:
    """Return the scene of a position."""
    game, state = position.game, position.state_view
    mode = game.options["mode"]
    side, contents = MODES[mode].board, _contents(position)
    spots = tuple(map(_spot, repeat(mode), range(len(contents)), contents))
    return Scene(
        spots,
        prompt(position),
        hexgrid.row_letters(side),
        footer(position),
        colours=tuple(player.lower() for player in game.players),
        hands=hands(game, state),
        captions=hexgrid.coordinates(side),
        areas=hexgrid.areas(side),
        notation_hint=notation_hint(position),
        reason=reason(position),
        scores=scores(game, state),
        deciding=deciding(position),
    )


@lru_cache(maxsize=8192)  # cached: equal spots recur in most positions
def _spot(mode: str, cell: int, contents: str) -> Spot:
    side, players = MODES[mode].board, MODES[mode].players
    name, (column, row) = hexgrid.names(side)[cell], hexgrid.points(side)[cell]
    wall, pieces = contents == WALL, _pieces(mode, contents)
    return Spot(
        name,
        3 + column,
        2 * side - 2 - row,
        contents[-1:] or EMPTY,
        *hexgrid.centres(side)[cell],
        shape="hex",
        kind="wall" if wall else "cell",
        label=f"{name}: {'the wall' if wall else _words(players, pieces)}",
        pieces=pieces,
    )


@cache
def _pieces(mode: str, contents: str) -> tuple[Piece, ...]:
    """Return the pieces on a cell: a chip, with or without a pawn, or a stone."""
    kinds = {
        letter: Piece("pawn", player) for player, letter in enumerate(MODES[mode].pawn_letters)
    }
    for kind, letters in (
        ("chip", notation.chip_glyphs(MODES[mode])),
        ("pebble", MODES[mode].stone_letters),
    ):
        for players, letter in zip(MODES[mode].sides, letters, strict=True):
            kinds[letter] = Piece(kind, players[0])
    return tuple(kinds[letter] for letter in contents if letter != WALL)


def _pieces_at(position: Position, name: str) -> tuple[Piece, ...]:
    """Return the pieces on a cell of a position."""
    contents = _contents(position)[_numbers(position.game)[name]]
    return _pieces(position.game.options["mode"], contents) if contents else ()


@lru_cache(maxsize=16)  # moves of one position are described one by one
def _contents(position: Position) -> tuple[str, ...]:
    return notation.cell_contents(position.game.board, position.state_view)


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
            f"{side_names(game, side)}: {count} of {game.board.chips} chips in hand",
            Piece("chip", seats[0], count=count),
        )
        for side, (seats, count) in enumerate(
            zip(mode.sides, notation.chips_in_hand(game.board, state), strict=True)
        )
    )


def click_paths(position: Position, move: str) -> tuple[tuple[str, ...], ...]:
    """Return the cells a piece leaves and enters; two own stones in either order (F8)."""
    leaves, enters = _cells_of(move)
    if move[0] == "S":
        game, state = position.game, position.state_view
        stones = state.stones[game.board.side[state.player]]
        if stones >> _numbers(game)[enters] & 1:
            return ((leaves, enters), (enters, leaves))
    return ((leaves, enters),)


@lru_cache(maxsize=8192)
def _cells_of(move: str) -> tuple[str, str]:
    leaves, enters = move[1:].split("-")
    return leaves, enters


def describe(position: Position, move: str, tense: Tense) -> str:
    """Return a move in words."""
    game, state = position.game, position.state_view
    leaves, enters = _cells_of(move)
    player = game.players[state.player]
    if move[0] == "P":
        passed, laid, _ = _lay(position, leaves, enters)
        stop = _cells(game)[passed[-1]] if passed else leaves
        return _describe_slide(leaves, enters, stop, len(laid), player, tense)
    there = _pieces_at(position, enters)
    swapped = _words(game.players, there[-1:]) if there else ""
    return _describe_step(leaves, enters, swapped, player, tense)


@lru_cache(maxsize=8192)
def _describe_slide(
    leaves: str, enters: str, stop: str, laid: int, player: str, tense: Tense
) -> str:
    if stop == enters:
        text = f"slide/slid the pawn from {leaves} to {enters} and lay/laid {_count(laid, 'chip')}"
    else:  # F9
        text = (
            f"slide/slid the pawn from {leaves} towards {enters}"
            f" and lay/laid the last chip on {stop}"
        )
    return in_tense(text, player, tense)


@lru_cache(maxsize=8192)
def _describe_step(leaves: str, enters: str, swapped: str, player: str, tense: Tense) -> str:
    text = f"move/moved a stone from {leaves} to {enters}"
    if swapped:
        text = f"swap/swapped the stone on {leaves} with the {swapped} on {enters}"
    return in_tense(text, player, tense)


def _cells(game: Game) -> tuple[str, ...]:
    return hexgrid.names(MODES[game.options["mode"]].board)


def _numbers(game: Game) -> dict[str, int]:
    return hexgrid.numbers(MODES[game.options["mode"]].board)


def _count(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def animations(position: Position, move: str) -> tuple[Animation, ...]:
    """Return the slide of the pawn with the chips it lays, or the swap of a stone."""
    game, state = position.game, position.state_view
    leaves, enters = _cells_of(move)
    if move[0] == "S":
        return (
            *(Animation(piece, (leaves, enters)) for piece in _pieces_at(position, leaves)),
            *(Animation(piece, (enters, leaves)) for piece in _pieces_at(position, enters)),
        )
    mode, names = MODES[game.options["mode"]], _cells(game)
    own = game.board.side[state.player]
    chip, hand = Piece("chip", mode.sides[own][0]), hand_name(mode, own)
    passed, laid, sent = _lay(position, leaves, enters)
    chips = []
    for delay, cell in enumerate(passed):
        if cell in sent:
            side = sent[cell]
            home = Piece("chip", mode.sides[side][0])
            chips.append(Animation(home, (names[cell], hand_name(mode, side)), "jump", delay))
        if cell in laid:
            chips.append(Animation(chip, (hand, names[cell]), "jump", delay))
    path = (leaves, *(names[cell] for cell in passed))
    return (Animation(Piece("pawn", state.player), path), *chips)


def _lay(
    position: Position, leaves: str, enters: str
) -> tuple[list[int], list[int], dict[int, int]]:
    """Return the cells a pawn passes, those where it lays a chip, and the sides of chips it sends.

    It stops at its last chip (F9).
    """
    game, state = position.game, position.state_view
    own = game.board.side[state.player]
    in_hand = notation.chips_in_hand(game.board, state)[own]
    passed: list[int] = []
    laid: list[int] = []
    sent: dict[int, int] = {}
    for cell in _slide(MODES[game.options["mode"]].board, leaves, enters):
        if len(laid) == in_hand:
            break
        passed.append(cell)
        for side, cells in enumerate(state.chips):
            if side != own and cells >> cell & 1:
                sent[cell] = side
        if not state.chips[own] >> cell & 1:
            laid.append(cell)
    return passed, laid, sent


@cache
def _slide(side: int, leaves: str, enters: str) -> list[int]:
    """Return the cells from one to another on a line, without the first one."""
    numbers, neighbours = hexgrid.numbers(side), hexgrid.neighbours(side)
    for direction in range(6):
        cells, cell = [], numbers[leaves]
        while cell != numbers[enters] and neighbours[cell][direction] < len(neighbours):
            cell = neighbours[cell][direction]
            cells.append(cell)
        if cell == numbers[enters]:
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
            f"{side_names(game, side)}: {'pawn' if len(seats) == 1 else 'pawns'} {pawns},"
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
