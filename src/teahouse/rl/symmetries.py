"""A game's symmetries as tables of indices, for augmentation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from teahouse.core.game import Game
from teahouse.rl.spec import view_of


@dataclass(frozen=True)
class Symmetries:
    """Tables with a row for each symmetry, the one that moves nothing first.

    With k of them, and the last two axes of an observation made one:

        moved_observation = observation[..., symmetries.places[k]]
        moved_legal = legal[..., symmetries.actions[k]]       # likewise a policy's probabilities
        moved_action = symmetries.renamed[k, action]
    """

    names: tuple[str, ...]
    places: np.ndarray
    """(symmetries, rows * columns): the place from which each place takes its value."""
    actions: np.ndarray
    """(symmetries, actions): the action from which each action takes its value."""
    renamed: np.ndarray
    """(symmetries, actions): the action that each action becomes."""

    @staticmethod
    @cache
    def of(game: Game) -> Symmetries:
        """The symmetries of a game."""
        view = view_of(game)
        flat = view.flat_places()
        names, places, renamed = [], [], []
        for symmetry in view.symmetries():
            source = np.arange(view.shape[0] * view.shape[1])
            source[flat[list(symmetry.cells)]] = flat
            names.append(symmetry.name)
            places.append(source)
            renamed.append(symmetry.actions)
        return Symmetries(
            tuple(names),
            _fixed(np.array(places)),
            _fixed(np.argsort(renamed, axis=1)),
            _fixed(np.array(renamed)),
        )


def _fixed(table: np.ndarray) -> np.ndarray:
    table = table.astype(np.int32)
    table.flags.writeable = False
    return table
