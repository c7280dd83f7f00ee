"""Explanations of Fillit's cells, pieces and hands, and reasons why a click is refused."""

from collections.abc import Sequence
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.scene import Score
from teahouse.games.fillit import notation, rules
from teahouse.games.fillit.layouts import MODES, Mode, wall_cell


def side_names(game: Game, side: int) -> str:
    """Return the players of a side: "Red", or "Red and Yellow"."""
    seats = MODES[game.options["mode"]].sides[side]
    return " and ".join(game.players[player] for player in seats)


def hand_name(mode: Mode, side: int) -> str:
    """Return the name of a side's chips in hand."""
    return f"{mode.players[mode.sides[side][0]]}'s chips"


def scores(game: Game, state: Any) -> tuple[Score, ...]:
    """Return the chips that each player's side still has to lay."""
    mode = MODES[game.options["mode"]]
    found = []
    for side, left in enumerate(notation.chips_in_hand(game.board, state)):
        verb = "has" if len(mode.sides[side]) == 1 else "together have"
        label = (
            f"{side_names(game, side)} {verb} {left} of {game.board.chips} chips in hand; the first"
            " side without any wins."
        )
        hand = hand_name(mode, side)
        found += [Score(player, str(left), label, hand) for player in mode.sides[side]]
    return tuple(sorted(found, key=lambda score: score.player))


def explain(position: Position, name: str) -> str:
    """Return what a cell, a piece or a hand is and does."""
    game, state = position.game, position.state_view
    mode = MODES[game.options["mode"]]
    if name.endswith(" chips"):
        side = game.board.side[game.players.index(name.removesuffix("'s chips"))]
        left = notation.chips_in_hand(game.board, state)[side]
        return (
            f"{left} of {game.board.chips} {_colour(game, side)} chips are still in hand. The side"
            " that lays its last chip wins."
        )
    cell = hexgrid.names(mode.board).index(name)
    if cell == wall_cell(mode.board):
        return "The wall: nothing can enter it, and a pawn stops in front of it."
    if cell in state.pawns:
        player = list(state.pawns).index(cell)
        colour = _colour(game, game.board.side[player])
        return (
            f"{game.players[player]}'s pawn. It slides in a straight line until the edge, the wall,"
            f" a stone or a pawn stops it, and lays {colour} chips on its way."
        )
    side = _side_of(state.stones, cell)
    if side is not None:
        return (
            f"A {_colour(game, side)} stone: {side_names(game, side)} can move it one step."
            " Whatever is on the cell that it enters swaps places with it."
        )
    side = _side_of(state.chips, cell)
    if side is not None:
        return (
            f"A {_colour(game, side)} chip. A pawn of another side that slides over it sends it"
            " back to hand and lays its own chip."
        )
    return "An empty cell. A pawn that slides over it lays a chip here."


def _colour(game: Game, side: int) -> str:
    """Return the colour of a side's chips and stones."""
    return game.players[MODES[game.options["mode"]].sides[side][0]].lower()


def _side_of(sets: Sequence[int], cell: int) -> int | None:
    """Return the side whose chips or stones include a cell."""
    return next((side for side, cells in enumerate(sets) if cells >> cell & 1), None)


def refuse(position: Position, clicked: tuple[str, ...], name: str) -> str:
    """Return why a cell or a hand cannot be clicked."""
    game, state = position.game, position.state_view
    names = hexgrid.names(MODES[game.options["mode"]].board)
    if name not in names:
        return "Chips are laid by your pawn as it slides: choose your pawn."
    cell = names.index(name)
    if not clicked:
        return _first(position, cell)
    leaves = names.index(clicked[0])
    if leaves == state.pawns[state.player]:
        return _slide(game, state, cell)
    return _step(game, state, leaves, cell)


def _first(position: Position, cell: int) -> str:
    """Return why a move cannot begin on a cell (F3, F4, F5)."""
    game, state = position.game, position.state_view
    if cell == wall_cell(MODES[game.options["mode"]].board):
        return "The wall stays where it is: choose your pawn or one of your stones."
    own = game.board.side[state.player]
    if cell == state.pawns[state.player]:
        if state.pending == rules.STONE:
            return "Your pawn has moved already: now move a stone."
        return f"Your pawn is blocked: move a stone{' that frees it' * can_be_freed(position)}."
    stone = _side_of(state.stones, cell)
    if stone == own:
        if state.pending == rules.PAWN:
            return "You have moved a stone already: now slide your pawn."
        if is_blocked(game, state):
            return "No move of this stone frees your pawn: choose another stone."
        return "Any move of this stone would block your pawn: choose another stone."
    if cell in state.pawns:
        owner = game.players[list(state.pawns).index(cell)]
        return f"This is {owner}'s pawn: choose your own pawn or one of your stones."
    if stone is not None:
        return f"This stone belongs to {side_names(game, stone)}: choose one of your own."
    return "Choose your pawn or one of your stones first."


def _slide(game: Game, state: Any, cell: int) -> str:
    """Return why the pawn cannot stop on a cell (F6)."""
    pawn = state.pawns[state.player]
    for direction, line in enumerate(_lines(game, pawn)):
        if cell not in line:
            continue
        end = notation.slide_end(game.board, state, direction)
        if end == pawn:
            return "The pawn cannot go there: something is in the way right beside it."
        name = hexgrid.names(MODES[game.options["mode"]].board)[end]
        if line.index(cell) > line.index(end):
            return f"The pawn does not get that far: it is stopped on {name}."
        return f"The pawn cannot stop there: it slides on until it is stopped, on {name}."
    return "The pawn cannot go there: it slides in one of the six straight lines."


def _lines(game: Game, cell: int) -> list[list[int]]:
    """Return the cells of the six lines from a cell."""
    neighbours, outside = game.board.neighbours, len(game.board.neighbours)
    lines = []
    for direction in range(6):
        line, at = [], neighbours[cell][direction]
        while at < outside:
            line.append(at)
            at = neighbours[at][direction]
        lines.append(line)
    return lines


def _step(game: Game, state: Any, leaves: int, cell: int) -> str:
    """Return why a stone cannot move to a cell (F4, F8)."""
    if cell == wall_cell(MODES[game.options["mode"]].board):
        return "A stone cannot enter the wall."
    if cell not in list(game.board.neighbours[leaves]):
        return "A stone moves just one step: choose a cell next to it."
    if is_blocked(game, state):
        return "That would not free your pawn: choose a step that does."
    return "That would block your pawn, which still has to move this turn."


def is_blocked(game: Game, state: Any) -> bool:
    """Return whether the pawn of the player to move cannot move."""
    free = rules.free_cells(game.board, state)
    return not game.board.adjacent[state.pawns[state.player]] & free


def can_be_freed(position: Position) -> bool:
    """Return whether a stone move frees the blocked pawn (F4)."""
    game, state = position.game, position.state_view
    free = rules.free_cells(game.board, state)
    stones = state.stones[game.board.side[state.player]]
    pawn = state.pawns[state.player]
    return rules.count_stone_moves(game.board, stones, pawn, free, freeing=True) > 0
