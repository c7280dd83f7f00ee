"""A game's symmetries as index tables, for data augmentation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from teahouse.core.encoding import observation_spec
from teahouse.core.game import Game

MAX_TABLES = 64  # remembered, of up to some hundred kilobytes each


@dataclass(frozen=True)
class Symmetries:
    """Index tables with a row for each symmetry, the identity first.

    For symmetry k, with the last two axes of the observation flattened:

        observation[..., symmetries.plane_source[k]]
        mask[..., symmetries.action_source[k]]  # or a policy's probabilities
        symmetries.action_image[k, action]
    """

    names: tuple[str, ...]
    plane_source: np.ndarray
    """(symmetries, rows * columns): the index each element of a transformed plane comes from."""
    action_source: np.ndarray
    """(symmetries, actions): the action each element of a transformed mask comes from."""
    action_image: np.ndarray
    """(symmetries, actions): the image of each action; the inverse of `action_source`."""

    @staticmethod
    @lru_cache(maxsize=MAX_TABLES)
    def of(game: Game) -> Symmetries:
        """Return the symmetries of a game."""
        spec = observation_spec(game)
        offsets = spec.cell_offsets()
        names, plane_source, action_image = [], [], []
        for symmetry in spec.symmetries():
            source = np.arange(spec.shape[0] * spec.shape[1])
            source[offsets[list(symmetry.cells)]] = offsets
            names.append(symmetry.name)
            plane_source.append(source)
            action_image.append(symmetry.actions)
        return Symmetries(
            tuple(names),
            _read_only(np.array(plane_source)),
            _read_only(np.argsort(action_image, axis=1)),
            _read_only(np.array(action_image)),
        )


def _read_only(table: np.ndarray) -> np.ndarray:
    table = table.astype(np.int32)
    table.flags.writeable = False
    return table
