"""Orochi for reinforcement learning: actions, observation planes and symmetries."""

from collections.abc import Iterator, Mapping
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.planes import ActionRange, ObservationSpec, Plane, Symmetry, fill
from teahouse.games.orochi.rules import (
    BLACK_OVER,
    BLACK_OVER_MASK,
    CELL_MASK,
    KIND_SHIFT,
    PIECE_MASK,
    REPLACE,
    SWAP,
    WHITE_OVER,
    WHITE_OVER_MASK,
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
    return kind * (len(state.cells) - 1) + (move & CELL_MASK)


def move(board: Any, state: Any, draft: Any, action: int) -> int:
    """Return the move of an action."""
    size = len(state.cells) - 1
    kind = action // size
    cell = action - kind * size
    if kind != REPLACE:
        kind ^= int(state.player)
    return kind << KIND_SHIFT | cell


def observe(board: Any, state: Any, draft: Any, viewer: int, offsets: Any, planes: Any) -> None:
    """Write the planes from a player's point of view."""
    cells = state.cells
    own = viewer + 1
    other = 2 - viewer
    for cell in range(len(cells) - 1):
        value = cells[cell]
        place = offsets[cell]
        planes[CELLS][place] = 1
        planes[OWN][place] = value & PIECE_MASK == own
        planes[OTHER][place] = value & PIECE_MASK == other
        planes[OVER_CONNECTED][place] = (value & WHITE_OVER_MASK == WHITE_OVER) | (
            value & BLACK_OVER_MASK == BLACK_OVER
        )
    if len(board.opening) == SWAP:
        fill(planes[MAY_SWAP], may_swap(board, state))


def legal_mask(board: Any, state: Any, draft: Any, moves: Any, mask: Any) -> int:
    """Write the mask of legal actions without listing the moves."""
    cells = state.cells
    size = len(cells) - 1
    placing = (state.over == 0) & (state.over_connected == 0)
    swaps = may_swap(board, state)
    for cell in range(size):
        value = cells[cell]
        free = (value & PIECE_MASK == 0) & placing
        mask[cell] = free
        mask[size + cell] = free
        mask[2 * size + cell] = (
            (value & WHITE_OVER_MASK == WHITE_OVER)
            | (value & BLACK_OVER_MASK == BLACK_OVER)
            | (swaps & (value & PIECE_MASK != 0))
        )
    return 2 * state.empty * placing + state.over_connected + swaps
