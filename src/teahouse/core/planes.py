"""What learners are told of a game: what a game's `planes.py` declares, and its kernels.

Learners know moves by actions: whole numbers from 0, of a fixed number for a game and its options.
Most moves are one action. A move with several parts, such as a token and where it goes, may take
one action for each part; the parts chosen so far are the `draft` that kernels are given, with
`draft.part` of them in `draft.chosen`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np


@dataclass(frozen=True)
class Plane:
    """One plane of what a player sees."""

    meaning: str
    most: int = 1
    """The highest value on it, 255 at most."""


@dataclass(frozen=True)
class Actions:
    """Some actions in a row that mean the same kind of thing."""

    meaning: str
    count: int


@dataclass(frozen=True)
class Symmetry:
    """A motion that leaves the game what it is."""

    name: str
    cells: tuple[int, ...]
    """The cell that each cell becomes."""
    actions: tuple[int, ...]
    """The action that each action becomes."""


@dataclass(frozen=True)
class View:
    """A game with its options as learners see it."""

    actions: tuple[Actions, ...]
    planes: tuple[Plane, ...]
    shape: tuple[int, int]
    """Rows and columns of a plane."""
    grid: str
    """Which rows and columns these are, in words."""
    places: tuple[tuple[int, int], ...]
    """The row and column of each cell."""
    longest: int
    """No game takes more actions."""
    symmetries: Callable[[], Iterable[Symmetry]]
    """All of them, the one that moves nothing first."""
    parts: int = 1
    """The most actions that a move takes."""

    @property
    def action_count(self) -> int:
        """How many actions there are."""
        return sum(group.count for group in self.actions)

    def flat_places(self) -> np.ndarray:
        """Every cell's place on a plane whose rows are joined."""
        return np.array([row * self.shape[1] + column for row, column in self.places], np.int32)


class Planes(Protocol):
    """A game's `planes.py`. All but `view` are kernels, as in `core.game.Rules`."""

    def view(self, options: Mapping[str, Any]) -> View: ...

    def action(self, board: Any, state: Any, move: int, part: int) -> int:
        """The action that is this part of a legal move; not asked for parts it does not have."""

    def move(self, board: Any, state: Any, draft: Any, action: int) -> int:
        """The legal move that the draft and this action make, or -1 if more parts are to come."""

    def mark(self, board: Any, state: Any, draft: Any, moves: Any, legal: Any) -> int:
        """Mark the legal actions and no others, none when over; how many there are.

        A game may leave this out; it pays where the list of moves need not be written for it.
        """

    def see(
        self, board: Any, state: Any, draft: Any, viewer: int, places: Any, planes: Any
    ) -> None:
        """Write what a player sees onto the planes, which are all 0; a cell is at its place."""


def fill(plane: Any, value: int) -> None:
    """Write the value all over a plane."""
    for place in range(len(plane)):
        plane[place] = value
