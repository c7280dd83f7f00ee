"""Masks and planes packed into words: what GPU kernels compute, and expand to bytes together.

`packed_rules` binds the writers of `core.planes` (`mark_actions` and others) to those here. A word
is a signed integer of 64 bits that holds 63 actions or cells.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from teahouse.core.bits import popcount
from teahouse.core.encoding import encoded_rules
from teahouse.core.planes import ObservationSpec

if TYPE_CHECKING:
    from teahouse.core.game import Game

WORD_BITS = 63
ALL_BITS = (1 << WORD_BITS) - 1


def word_count(bits: int) -> int:
    """Return how many words hold this many bits."""
    return -(-bits // WORD_BITS)


def plane_words(spec: ObservationSpec) -> int:
    """Return how many words hold a plane: those of its cells, and the value of its marked cells."""
    return word_count(spec.shape[0] * spec.shape[1]) + 1


def packed_rules(game: Game) -> ModuleType:
    """Return the kernels of `encoded_rules` with the writers of this module."""
    return _packed(encoded_rules(game))


@cache
def _packed(encoded: ModuleType) -> ModuleType:
    module = ModuleType(f"{encoded.__name__}.packed")
    vars(module).update(
        {
            **vars(encoded),
            "write_actions": write_actions,
            "count_actions": count_actions,
            "write_cells": write_cells,
            "write_value": write_value,
        }
    )
    return module


def write_actions(mask: Any, first: int, count: int, bits: int) -> None:
    """Mark those of `count` actions, at most 63, whose bits are set; the mask is 0 there."""
    word = first // WORD_BITS
    shift = first - word * WORD_BITS
    mask[word] |= (bits & ALL_BITS >> shift) << shift
    if shift + count > WORD_BITS:
        mask[word + 1] |= bits >> WORD_BITS - shift


def count_actions(mask: Any) -> int:
    """Return the number of actions marked."""
    count = 0
    for word in range(len(mask)):
        count += popcount(int(mask[word]))
    return count


def write_cells(planes: Any, plane: int, first: int, count: int, bits: int) -> None:
    """Mark those of `count` cells of a plane, at most 63, whose bits are set, with 1."""
    words = planes[plane]
    words[len(words) - 1] = 1
    word = first // WORD_BITS
    shift = first - word * WORD_BITS
    words[word] |= (bits & ALL_BITS >> shift) << shift
    if shift + count > WORD_BITS:
        words[word + 1] |= bits >> WORD_BITS - shift


def write_value(planes: Any, plane: int, value: int) -> None:
    """Set all cells of a plane to a value."""
    words = planes[plane]
    for word in range(len(words) - 1):
        words[word] = ALL_BITS
    words[len(words) - 1] = value
