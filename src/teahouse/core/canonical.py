"""Canonical keys: hashes that symmetric positions share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from teahouse.core.encoding import draft_type, encoded_rules, observation_spec, observe_game
from teahouse.core.errors import OptionError
from teahouse.core.game import Game
from teahouse.core.jit import interpret
from teahouse.core.planes import ObservationSpec
from teahouse.core.position import Position
from teahouse.core.pyrecord import unpack

KEY_BYTES = 8


def canonical_key(position: Position, without: Sequence[int] = ()) -> str:
    """Return a key that a position shares with its rotations and reflections.

    It is the hash of the smallest symmetric image of the player to move's observation; the planes
    `without` are left out. Positions of a game without usable planes have a key of their own each.
    """
    game = position.game
    try:
        spec, source = _symmetric_planes(game)
    except OptionError:
        return state_key(position.state)
    rules = encoded_rules(game)
    draft: Any = unpack(np.zeros(1, draft_type(spec))[0])
    planes = np.zeros((len(spec.planes), spec.shape[0] * spec.shape[1]), np.uint8)
    observe = interpret(observe_game, rules)
    observe(game.board, position.unpack(), draft, position.player, spec.cell_offsets(), planes)
    planes[list(without)] = 0
    images = planes[:, source].transpose(1, 0, 2)
    return state_key(min(image.tobytes() for image in images))


def state_key(state: bytes) -> str:
    """Return a short key of exactly these bytes."""
    return blake2b(state, digest_size=KEY_BYTES).hexdigest()


@lru_cache(maxsize=64)
def _symmetric_planes(game: Game) -> tuple[ObservationSpec, np.ndarray]:
    """Return the planes of a game, and the index that each element of an image comes from."""
    spec = observation_spec(game)
    offsets = spec.cell_offsets()
    sources = []
    for symmetry in spec.symmetries():
        source = np.arange(spec.shape[0] * spec.shape[1])
        source[offsets[list(symmetry.cells)]] = offsets
        sources.append(source)
    return spec, np.array(sources)
