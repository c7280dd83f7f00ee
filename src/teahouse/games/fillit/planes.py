"""Fillit for reinforcement learning: actions, observation planes and symmetries."""

from collections.abc import Iterator, Mapping
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.bits import lowest_bit, popcount
from teahouse.core.hex_planes import hex_side, mark_hex_cells
from teahouse.core.planes import (
    ActionRange,
    ObservationSpec,
    Plane,
    Symmetry,
    fill_plane,
    mark_actions,
    mark_cells,
)
from teahouse.games.fillit.layouts import MODES, chips_per_side
from teahouse.games.fillit.rules import (
    BOTH,
    DIRECTION_BITS,
    DIRECTION_MASK,
    MAX_TURNS,
    PAWN,
    STONE,
    free_cells,
    stone_targets,
)

# An action is an edge between two adjacent cells: the cell from which the other one lies to the
# east, north-east or north-west, and which of these three. The pieces on both decide what moves.
EDGES = 3
MAX_VALUE = 255  # of a plane


def observation_spec(options: Mapping[str, Any]) -> ObservationSpec:
    """Return the actions and planes for these options."""
    mode = MODES[options["mode"]]
    side, chips = mode.board, chips_per_side(options)
    seats = ("first", "second", "third")[: len(mode.players) - 1]
    others = ["the other side's"]
    if len(mode.sides) > 2:
        others = [f"the {seat} other player's" for seat in seats]
    sides = ["your side's", *others]
    return ObservationSpec(
        actions=(
            ActionRange(
                "move the pawn or a stone along the edge from the cell to the east, north-east or"
                " north-west (the action modulo 3), in the direction that is possible",
                EDGES * len(hexgrid.names(side)),
            ),
        ),
        planes=(
            Plane("cells of the board, without the wall"),
            Plane("your pawn"),
            *(Plane(f"the pawn of the {seat} player in turn order after you") for seat in seats),
            *(Plane(f"{whose} chips on the board") for whose in sides),
            *(Plane(f"{whose} stones") for whose in sides),
            *(Plane(f"{whose} chips in hand, on all cells", chips) for whose in sides),
            Plane("all cells, if your stone has moved and the pawn is pending"),
            Plane("all cells, if your pawn has moved and a stone is pending"),
            Plane("turns left before the draw (F10), at most 255, on all cells", MAX_VALUE),
        ),
        shape=(2 * side - 1, 2 * side - 1),
        grid="rows a, b, c … from the first; columns run to the north-east",
        cell_coordinates=hexgrid.grid(side),
        max_game_length=2 * MAX_TURNS,
        symmetries=lambda: _symmetries(side),
    )


def _symmetries(side: int) -> Iterator[Symmetry]:
    neighbours = hexgrid.neighbours(side)
    for name, cells in hexgrid.symmetries(side):
        actions = []
        for action in range(EDGES * len(cells)):
            cell, edge = divmod(action, EDGES)
            beyond = neighbours[cell][2 * edge]
            if beyond == len(cells):  # an unused action off the board, matched with another one
                actions.append(-1)
                continue
            one, other = sorted((cells[cell], cells[beyond]))
            actions.append(EDGES * one + neighbours[one].index(other) // 2)
        spare = iter(sorted({*range(len(actions))} - {*actions}))
        yield Symmetry(name, cells, tuple(next(spare) if to < 0 else to for to in actions))


def action(board: Any, state: Any, move: int, part: int) -> int:
    """Return the action of a move."""
    cell = move >> DIRECTION_BITS
    direction = move & DIRECTION_MASK
    if direction & 1:
        cell = int(board.neighbours[cell][direction])
    return cell * EDGES + (direction >> 1)


def move(board: Any, state: Any, draft: Any, action: int) -> int:
    """Return the move of an action."""
    cell = action // EDGES
    direction = 2 * (action - cell * EDGES)
    beyond = int(board.neighbours[cell][direction])
    stones = state.stones[board.side[state.player]]
    backward = (stones >> beyond) & 1 or beyond == state.pawns[state.player]
    if (stones >> cell) & 1 == 0 and backward:
        return beyond << DIRECTION_BITS | direction ^ 1
    return cell << DIRECTION_BITS | direction


def mark_legal(board: Any, state: Any, draft: Any, moves: Any, mask: Any) -> int:
    """Mark the edges along which the pawn or a stone can move, without listing the moves."""
    if state.over:
        return 0
    pawn = int(state.pawns[state.player])
    free = free_cells(board, state)
    count = 0
    if state.pending != STONE:
        count += _mark_edges(board, mask, pawn, free)
    if state.pending != PAWN:
        count += _mark_stones(board, state, mask, pawn, free, state.pending == BOTH)
        if count == 0:
            count = _mark_stones(board, state, mask, pawn, free, False)  # F5
    return count


def _mark_stones(board: Any, state: Any, mask: Any, pawn: int, free: int, freeing: bool) -> int:
    """Mark the edges of the player's stones, or only of moves that free the pawn (F4)."""
    stones = int(state.stones[board.side[state.player]])
    count = 0
    rest = stones
    while rest:
        cell = lowest_bit(rest)
        rest &= rest - 1
        targets = stone_targets(board, stones, cell, pawn, free, freeing)
        count += _mark_edges(board, mask, cell, targets)
    return count


def _mark_edges(board: Any, mask: Any, cell: int, targets: int) -> int:
    """Mark the edges from a cell to those of its neighbours that are targets."""
    near = board.neighbours[cell]
    onward = 0
    for edge in range(EDGES):
        onward |= (targets >> near[2 * edge] & 1) << edge
        backward = int(near[2 * edge + 1])
        if targets >> backward & 1:
            mark_actions(mask, EDGES * backward + edge, 1, 1)
    mark_actions(mask, EDGES * cell, EDGES, onward)
    return popcount(board.adjacent[cell] & targets)


def mark_planes(board: Any, state: Any, draft: Any, viewer: int, offsets: Any, planes: Any) -> None:
    """Write the planes from a player's point of view."""
    players = len(state.pawns)
    sides = len(state.chips)
    chips = 1 + players
    stones = chips + sides
    hands = stones + sides
    pending = hands + sides
    board_side = hex_side(len(board.adjacent))
    mark_hex_cells(planes, 0, offsets, board_side, 0, board.open_cells)
    for seat in range(players):
        pawn = state.pawns[(viewer + seat) % players]
        mark_cells(planes, 1 + seat, int(offsets[pawn]), 1, 1)
    for side in range(sides):
        whose = (board.side[viewer] + side) % sides
        mark_hex_cells(planes, chips + side, offsets, board_side, 0, int(state.chips[whose]))
        mark_hex_cells(planes, stones + side, offsets, board_side, 0, int(state.stones[whose]))
        fill_plane(planes, hands + side, board.chips - popcount(int(state.chips[whose])))
    fill_plane(planes, pending, state.pending == PAWN)
    fill_plane(planes, pending + 1, state.pending == STONE)
    fill_plane(planes, pending + 2, min(MAX_VALUE, MAX_TURNS - state.turns))
