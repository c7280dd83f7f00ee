"""Canonical keys: hashes that symmetric positions share."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from teahouse.core.errors import OptionError
from teahouse.core.position import Position
from teahouse.core.symmetries import Symmetries

KEY_BYTES = 8


def canonical_key(position: Position, without: Sequence[int] = ()) -> str:
    """Return a key that a position shares with its rotations and reflections.

    It is the hash of the smallest symmetric image of the player to move's observation; the planes
    `without` are left out. Positions of a game without usable planes have a key of their own each.
    """
    try:
        source = Symmetries.of(position.game).plane_source
    except OptionError:
        return state_key(position.state)
    planes = position.planes()
    planes[list(without)] = 0
    images = planes.reshape(len(planes), -1)[:, source].transpose(1, 0, 2)
    return state_key(min(image.tobytes() for image in images))


def state_key(state: bytes) -> str:
    """Return a short key of exactly these bytes."""
    return blake2b(state, digest_size=KEY_BYTES).hexdigest()
