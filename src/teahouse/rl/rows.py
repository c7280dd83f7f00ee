"""Row indices of a batch, and positions as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import game_seed, generator


def as_rows(rows: Any, size: int) -> np.ndarray:
    """Return the indices that an index, a slice, indices or a bool array stand for.

    Negative indices count from the end, as in NumPy. Raise IndexError for an index out of range,
    ValueError for anything else that is not one of these.
    """
    if isinstance(rows, slice):
        return np.arange(size)[rows]
    given = np.asarray(rows)
    if given.dtype == np.bool_ and given.ndim == 1:
        check_mask("rows", given, size)
        return np.flatnonzero(given)
    if given.size == 0:
        given = given.astype(np.int64)
    if given.dtype.kind not in "iu" or given.ndim > 1:
        raise ValueError(
            f"rows must be an index, a slice, indices or a bool array of shape ({size},), got"
            f" {given.dtype} of shape {given.shape}."
        )
    index = given.reshape(-1).astype(np.int64)
    outside = index[(index < -size) | (index >= size)]
    if len(outside):
        raise IndexError(f"rows must be from {-size} to {size - 1}, got {outside[0]}.")
    return np.where(index < 0, index + size, index)


def copy_rows(rows: np.ndarray, index: Any = slice(None)) -> np.ndarray:
    """Return a copy of some rows, of records with their padding.

    NumPy's own copies leave the padding undefined, and positions compare all bytes of a state.
    """
    if rows.dtype.names is None:
        return np.array(rows[index])
    return np.array(rows.view(np.uint8).reshape(len(rows), -1)[index]).view(rows.dtype)[:, 0]


def check_mask(name: str, mask: np.ndarray, size: int) -> None:
    """Raise ValueError unless there is one bool for each game."""
    if mask.shape != (size,) or mask.dtype != np.bool_:
        raise ValueError(
            f"{name} must be a bool array of shape ({size},), got {mask.dtype} of shape"
            f" {mask.shape}."
        )


def as_positions(
    game: Game, given: Position | str | Iterable[Position | str], count: int
) -> Sequence[Position]:
    """Return `count` positions of a game from positions or texts; one of them stands for all."""
    if isinstance(given, Position | str):
        return [_as_position(game, given)] * count
    if not isinstance(given, Iterable):
        raise ValueError(
            "positions must be a Position, a position text or a sequence of them,"
            f" got {quoted(given)}."
        )
    positions = [_as_position(game, one) for one in given]
    if len(positions) != count:
        raise ValueError(
            f"There must be {count} positions, one for each game, or a single one;"
            f" got {len(positions)}."
        )
    return positions


def _as_position(game: Game, given: Position | str) -> Position:
    position = game.position(given) if isinstance(given, str) else given
    if not isinstance(position, Position):
        raise ValueError(f"A position must be a Position or its text, got {quoted(given)}.")
    if position.game != game:  # a text of an earlier version may have other options
        raise OptionError(f"The game is {game!r}, got a position of {position.game!r}.")
    return position


def start_positions(game: Game, given: Any, count: int = 1) -> Sequence[Position]:
    """Return the positions from which a reset is to start games; raise if one is over."""
    positions = as_positions(game, given, count)
    for position in positions:
        if position.over:
            raise OptionError(
                f"Cannot start from the position {str(position)!r}: the game is over."
            )
    return positions


def generators(seed: int, size: int) -> np.ndarray:
    """Return the initial generators of the first `size` games of a seed."""
    found: np.ndarray = generator(game_seed(seed, np.arange(size)))  # type: ignore[arg-type, assignment]
    return found
