"""Sets as bits of an integer: counting and finding them, for kernels.

Sets have at most 63 members, since integers of compiled kernels are signed. On a CPU `core.jit`
replaces these functions by the processor's instructions.
"""

from typing import Any

_PAIRS = 0x5555555555555555
_FOURS = 0x3333333333333333
_BYTES = 0x0F0F0F0F0F0F0F0F


def popcount(bits: int) -> int:
    """Return the number of bits set."""
    bits -= bits >> 1 & _PAIRS
    bits = (bits & _FOURS) + (bits >> 2 & _FOURS)
    bits = bits + (bits >> 4) & _BYTES
    bits += bits >> 8
    bits += bits >> 16
    bits += bits >> 32
    return bits & 127


def lowest_bit(bits: int) -> int:
    """Return the index of the lowest bit set; there must be one."""
    return popcount((bits & -bits) - 1)


def bit_length(bits: int) -> int:
    """Return the index of the highest bit set plus 1; 0 if there is none."""
    bits |= bits >> 1
    bits |= bits >> 2
    bits |= bits >> 4
    bits |= bits >> 8
    bits |= bits >> 16
    bits |= bits >> 32
    return popcount(bits)


def nth_bit(bits: int, number: int) -> int:
    """Return the index of the bit set that has `number` others below it; there must be one."""
    index = 0
    width = 32
    while width:
        below = popcount(bits >> index & (1 << width) - 1)
        if below <= number:
            number -= below
            index += width
        width >>= 1
    return index


def deposit(bits: int, mask: int) -> int:
    """Return the bits of a mask whose numbers, counted from its lowest one, are set in `bits`."""
    found = 0
    while mask:
        found |= (mask & -mask) * (bits & 1)
        bits >>= 1
        mask &= mask - 1
    return found


def extract(bits: int, mask: int) -> int:
    """Return those bits that a mask has, moved together at the lowest places."""
    found = 0
    place = 1
    while mask:
        found |= place * (bits & mask & -mask != 0)
        place <<= 1
        mask &= mask - 1
    return found


def mark_bytes(values: Any, first: int, bits: int) -> None:
    """Set those of the eight bytes from values[first] whose bits are set to 1, if they are 0."""
    for index in range(8):
        values[first + index] |= bits >> index & 1


def count_bytes(values: Any, first: int) -> int:
    """Return how many of the eight bytes from values[first], each 0 or 1, are 1."""
    count = 0
    for index in range(8):
        count += int(values[first + index])
    return count
