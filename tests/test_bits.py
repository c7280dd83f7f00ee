"""Counting and finding bits: the same in Python and by the processor's instructions."""

from itertools import pairwise
from random import Random
from typing import Any

import teahouse as th
from teahouse.core import jit
from teahouse.core.bits import bit_length, deposit, extract, lowest_bit, nth_bit, popcount

SETS = [1, 1 << 62, (1 << 63) - 1, *(Random(1).getrandbits(63) | 1 << 9 for _ in range(200))]


def describe(sets: Any, found: Any) -> None:
    for index in range(len(sets)):
        bits = sets[index]
        found[index][0] = popcount(bits)
        found[index][1] = lowest_bit(bits)
        found[index][2] = bit_length(bits)
        found[index][3] = nth_bit(bits, popcount(bits) // 2)


def test_interpreted_and_compiled_functions_agree_with_python() -> None:
    expected = []
    for bits in SETS:
        members = [index for index in range(63) if bits >> index & 1]
        middle = members[len(members) // 2]
        expected.append([bits.bit_count(), members[0], bits.bit_length(), middle])
    game = th.load("orochi", side=2)
    for backend in (jit.INTERPRETED, jit.COMPILED):
        sets = backend.int_buffer(len(SETS))
        sets[:] = SETS
        found = backend.move_buffers(len(SETS), 4)
        backend.specialize(describe, game)(sets, found)
        assert [list(row) for row in found] == expected


def scatter(sets: Any, found: Any) -> None:
    for index in range(len(sets) - 1):
        found[2 * index] = deposit(sets[index], sets[index + 1])
        found[2 * index + 1] = extract(sets[index], sets[index + 1])


def test_bits_go_to_the_places_of_a_mask_and_back() -> None:
    expected = []
    for bits, mask in pairwise(SETS):
        places = [index for index in range(63) if mask >> index & 1]
        expected += [
            sum((bits >> number & 1) << place for number, place in enumerate(places)),
            sum((bits >> place & 1) << number for number, place in enumerate(places)),
        ]
    game = th.load("orochi", side=2)
    for backend in (jit.INTERPRETED, jit.COMPILED):
        sets, found = backend.int_buffer(len(SETS)), backend.int_buffer(len(expected))
        sets[:] = SETS
        backend.specialize(scatter, game)(sets, found)
        assert list(found) == expected


def test_there_is_no_highest_bit_of_nothing() -> None:
    assert bit_length(0) == popcount(0) == 0
