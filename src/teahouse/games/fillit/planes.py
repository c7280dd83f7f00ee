"""Fillit for learners: actions, what a player sees, and the board's symmetries."""

from collections.abc import Iterator, Mapping
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.planes import Actions, Plane, Symmetry, View, fill
from teahouse.games.fillit.layouts import MODES
from teahouse.games.fillit.rules import (
    DIRECTION_BITS,
    DIRECTION_MASK,
    PAWN,
    STONE,
    TURNS,
    _count,
)

# An action is a pair of neighbouring cells: the one from which the other lies to the east,
# north-east or north-west, and which of these it is. What stands on the two tells what moves.
WAYS = 3
MOST = 255  # on a plane


def view(options: Mapping[str, Any]) -> View:
    """The actions and planes for these options."""
    mode = MODES[options["mode"]]
    side = mode.board
    seats = ("first", "second", "third")[: len(mode.players) - 1]
    others = ["the other side's"]
    if len(mode.sides) > 2:
        others = [f"the {seat} other player's" for seat in seats]
    sides = ["your side's", *others]
    return View(
        actions=(
            Actions(
                "move the pawn or the stone between the cell and its neighbour to the east,"
                " north-east or north-west (the number's remainder by 3), whichever way it can go",
                WAYS * len(hexgrid.names(side)),
            ),
        ),
        planes=(
            Plane("the cells of the board but the wall"),
            Plane("your pawn"),
            *(Plane(f"the pawn of the {seat} player in turn order after you") for seat in seats),
            *(Plane(f"{whose} chips on the board") for whose in sides),
            *(Plane(f"{whose} stones") for whose in sides),
            *(Plane(f"{whose} chips in hand, everywhere", mode.chips) for whose in sides),
            Plane("everywhere, if your stone has moved and the pawn is to move"),
            Plane("everywhere, if your pawn has moved and a stone is to move"),
            Plane("turns left before a draw, everywhere; 255 for more", MOST),
        ),
        shape=(2 * side - 1, 2 * side - 1),
        grid="rows a, b, c … from the first; a column leads to the north-east",
        places=hexgrid.grid(side),
        longest=2 * TURNS,
        symmetries=lambda: _symmetries(side),
    )


def _symmetries(side: int) -> Iterator[Symmetry]:
    near = hexgrid.neighbours(side)
    for name, cells in hexgrid.symmetries(side):
        actions = []
        for action in range(WAYS * len(cells)):
            cell, way = divmod(action, WAYS)
            beyond = near[cell][2 * way]
            if beyond == len(cells):  # no pair; goes with those that leave the board likewise
                actions.append(-1)
                continue
            one, other = sorted((cells[cell], cells[beyond]))
            actions.append(WAYS * one + near[one].index(other) // 2)
        spare = iter(sorted({*range(len(actions))} - {*actions}))
        yield Symmetry(name, cells, tuple(next(spare) if to < 0 else to for to in actions))


def action(board: Any, state: Any, move: int, part: int) -> int:
    """The action that is a move."""
    cell = move >> DIRECTION_BITS
    direction = move & DIRECTION_MASK
    if direction & 1:
        cell = int(board.near[cell][direction])
    return cell * WAYS + (direction >> 1)


def move(board: Any, state: Any, draft: Any, action: int) -> int:
    """The move that is an action."""
    cell = action // WAYS
    direction = 2 * (action - cell * WAYS)
    beyond = int(board.near[cell][direction])
    stones = state.stones[board.side[state.player]]
    backward = (stones >> beyond) & 1 or beyond == state.pawns[state.player]
    if (stones >> cell) & 1 == 0 and backward:
        return beyond << DIRECTION_BITS | direction ^ 1
    return cell << DIRECTION_BITS | direction


def see(board: Any, state: Any, draft: Any, viewer: int, places: Any, planes: Any) -> None:
    """Write what a player sees."""
    players = len(state.pawns)
    sides = len(state.chips)
    chips = 1 + players
    stones = chips + sides
    hands = stones + sides
    due = hands + sides
    for cell in range(len(board.beside)):
        planes[0][places[cell]] = (board.open >> cell) & 1
    for seat in range(players):
        planes[1 + seat][places[state.pawns[(viewer + seat) % players]]] = 1
    for side in range(sides):
        whose = (board.side[viewer] + side) % sides
        for cell in range(len(board.beside)):
            planes[chips + side][places[cell]] = (state.chips[whose] >> cell) & 1
            planes[stones + side][places[cell]] = (state.stones[whose] >> cell) & 1
        fill(planes[hands + side], board.chips - _count(int(state.chips[whose])))
    fill(planes[due], state.due == PAWN)
    fill(planes[due + 1], state.due == STONE)
    fill(planes[due + 2], min(MOST, TURNS - state.turns))
