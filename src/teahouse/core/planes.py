"""The action and observation encoding of a game: what its `planes.py` declares and implements.

An action is an integer from 0 below a fixed count. Most moves are one action. A compound move, such
as a token and its destination, may take one action for each part; the actions chosen so far are the
`draft` that kernels receive: `draft.part` of them, in `draft.chosen`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np


@dataclass(frozen=True)
class Plane:
    """A plane of an observation."""

    meaning: str
    """What a value of it says, in words."""
    max_value: int = 1
    """At most 255."""


@dataclass(frozen=True)
class ActionRange:
    """Consecutive actions of the same kind."""

    meaning: str
    """What its actions do, in words."""
    count: int
    """The number of actions."""


@dataclass(frozen=True)
class Symmetry:
    """A permutation of cells and actions under which the game is invariant."""

    name: str
    """What it does, in words."""
    cells: tuple[int, ...]
    """The image of each cell."""
    actions: tuple[int, ...]
    """The image of each action."""


@dataclass(frozen=True)
class ObservationSpec:
    """The actions, planes and symmetries of a game with its options."""

    actions: tuple[ActionRange, ...]
    """The ranges of actions, in their order."""
    planes: tuple[Plane, ...]
    """The planes, in their order."""
    shape: tuple[int, int]
    """Rows and columns of a plane."""
    grid: str
    """What rows and columns mean, in words."""
    cell_coordinates: tuple[tuple[int, int], ...]
    """Row and column of each cell."""
    max_game_length: int
    """Upper bound on the number of actions in a game."""
    symmetries: Callable[[], Iterable[Symmetry]]
    """Returns all symmetries, the identity first."""
    max_parts: int = 1
    """Upper bound on the number of actions in a move."""

    @property
    def action_count(self) -> int:
        """The number of actions."""
        return sum(group.count for group in self.actions)

    def cell_offsets(self) -> np.ndarray:
        """Return each cell's index into a flattened plane."""
        return np.array(
            [row * self.shape[1] + column for row, column in self.cell_coordinates], np.int32
        )


class Encoding(Protocol):
    """A game's `planes.py`. All but `observation_spec` are kernels, as in `core.game.Rules`."""

    def observation_spec(self, options: Mapping[str, Any]) -> ObservationSpec:
        """Return the actions, planes and symmetries for these options."""

    def action(self, board: Any, state: Any, move: int, part: int) -> int:
        """Return the action for a part of a legal move; `part` is below its number of parts."""

    def move(self, board: Any, state: Any, draft: Any, action: int) -> int:
        """Return the legal move that this action completes, or -1 if parts are still missing."""

    def observe(
        self, board: Any, state: Any, draft: Any, viewer: int, offsets: Any, planes: Any
    ) -> None:
        """Write the observation of a player to the planes, which are 0; see `cell_offsets`."""

    def mark_legal(self, board: Any, state: Any, draft: Any, moves: Any, mask: Any) -> int:
        """Mark the legal actions with `mark_actions`; return their number.

        Optional: by default they are derived from the list of legal moves. `moves` is scratch
        space.
        """

    def mark_planes(
        self, board: Any, state: Any, draft: Any, viewer: int, offsets: Any, planes: Any
    ) -> None:
        """Write the observation with `mark_cells` and `fill_plane`, in place of `observe`."""


rules: Any = None  # replaced when a kernel is bound


def mark_actions(mask: Any, first: int, count: int, bits: int) -> None:
    """Mark the actions first + k whose bits k are set as legal; `bits` has `count`, at most 63.

    No action is marked twice.
    """
    rules.write_actions(mask, first, count, bits)


def mark_cells(planes: Any, plane: int, first: int, count: int, bits: int) -> None:
    """Set the cells whose bits are set to 1: bit k is offset first + k of `count`, at most 63."""
    rules.write_cells(planes, plane, first, count, bits)


def fill_plane(planes: Any, plane: int, value: int) -> None:
    """Set all cells of a plane to a value."""
    rules.write_value(planes, plane, value)


def fill(plane: Any, value: int) -> None:
    """Set all of a plane to a value."""
    for offset in range(len(plane)):
        plane[offset] = value
