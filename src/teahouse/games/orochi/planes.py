"""Orochi for reinforcement learning: actions, observation planes and symmetries."""

from collections.abc import Iterator, Mapping
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.bits import popcount
from teahouse.core.hex_planes import hex_side, mark_hex_cells
from teahouse.core.planes import (
    ActionRange,
    ObservationSpec,
    Plane,
    Symmetry,
    fill_plane,
    mark_actions,
)
from teahouse.games.orochi.rules import (
    BLACK,
    CELL_MASK,
    KIND_SHIFT,
    REPLACE,
    SWAP,
    WHITE,
    WORD,
    free_cells,
    is_forced,
    may_swap,
)

# An action is its kind times the number of cells plus the cell. The kinds are those of moves, with
# the player's own colour first.
KINDS = 3
CELLS, OWN, OTHER, OVER_CONNECTED, MAY_SWAP = range(5)


def observation_spec(options: Mapping[str, Any]) -> ObservationSpec:
    """Return the actions and planes for these options."""
    side = options["side"]
    cells = len(hexgrid.names(side))
    swap = options["opening"] == "swap"
    return ObservationSpec(
        actions=(
            ActionRange("place a stone of your own colour on the cell", cells),
            ActionRange("place a stone of the other colour on the cell", cells),
            ActionRange("flip the stone on the cell" + " (C5), or swap (C10)" * swap, cells),
        ),
        planes=(
            Plane("cells of the board"),
            Plane("stones of your own colour"),
            Plane("stones of the other colour"),
            Plane("over-connected stones"),
            *([Plane("all cells, if the player to move may swap (C10)")] if swap else ()),
        ),
        shape=(2 * side - 1, 2 * side - 1),
        grid="rows a, b, c … from the first; columns run to the north-east",
        cell_coordinates=hexgrid.grid(side),
        # A flip removes at least two same-coloured pairs, so there are at most half as many flips
        # as pairs of adjacent cells; every other action fills a cell.
        max_game_length=cells + (9 * side**2 - 15 * side + 6) // 2 + swap,
        symmetries=lambda: _symmetries(side),
    )


def _symmetries(side: int) -> Iterator[Symmetry]:
    for name, cells in hexgrid.symmetries(side):
        actions = (kind * len(cells) + cell for kind in range(KINDS) for cell in cells)
        yield Symmetry(name, cells, tuple(actions))


def action(board: Any, state: Any, move: int, part: int) -> int:
    """Return the action of a move."""
    kind = move >> KIND_SHIFT
    if kind != REPLACE:
        kind ^= int(state.player)
    return kind * len(board.cell) + (move & CELL_MASK)


def move(board: Any, state: Any, draft: Any, action: int) -> int:
    """Return the move of an action."""
    size = len(board.cell)
    kind = action // size
    cell = action - kind * size
    if kind != REPLACE:
        kind ^= int(state.player)
    return kind << KIND_SHIFT | cell


def mark_planes(board: Any, state: Any, draft: Any, viewer: int, offsets: Any, planes: Any) -> None:
    """Write the planes from a player's point of view."""
    side = hex_side(len(board.cell))
    for word in range(len(board.all)):
        first = word * WORD
        mark_hex_cells(planes, CELLS, offsets, side, first, board.all[word])
        mark_hex_cells(planes, OWN, offsets, side, first, state.pieces[viewer][word])
        mark_hex_cells(planes, OTHER, offsets, side, first, state.pieces[1 - viewer][word])
        mark_hex_cells(planes, OVER_CONNECTED, offsets, side, first, state.over_connected[word])
    if len(board.opening) == SWAP:
        fill_plane(planes, MAY_SWAP, may_swap(board, state))


def mark_legal(board: Any, state: Any, draft: Any, moves: Any, mask: Any) -> int:
    """Mark the legal actions by sets of cells, without listing the moves."""
    size = len(board.cell)
    placing = state.over == 0 and not is_forced(state)
    swaps = may_swap(board, state)
    count = 2 * state.empty * placing + swaps
    for word in range(len(board.all)):
        first = word * WORD
        length = min(WORD, size - first)
        free = free_cells(board, state, word) if placing else 0
        replaced = state.over_connected[word]
        count += popcount(replaced)
        if swaps:
            replaced = state.pieces[WHITE][word] | state.pieces[BLACK][word]
        mark_actions(mask, first, length, free)
        mark_actions(mask, size + first, length, free)
        mark_actions(mask, 2 * size + first, length, replaced)
    return count
