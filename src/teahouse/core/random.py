"""Random numbers for kernels: the same sequence on every back end.

The state of a generator is one integer below 2**63, which a kernel keeps in a local variable:

    random = advance(random)
    index = bounded(random, count)

Signed overflow is undefined behaviour in compiled code, so all products here are of a number below
2**32 and one below 2**31.
"""

from hashlib import sha256

SEED_LIMIT = 1 << 62  # seeds are 0 to SEED_LIMIT - 1
_SETUP_BIT = 1 << 61
_LOW31 = (1 << 31) - 1
_LOW32 = (1 << 32) - 1
# Marsaglia's multiply-with-carry: MULTIPLIER * 2**32 - 1 and MULTIPLIER * 2**31 - 1 are prime,
# so that the period is about 2**62.
_MULTIPLIER = 2051013963


def _mix31(half: int) -> int:
    half = ((half ^ (half >> 16)) * 0x21F0AAAD) & _LOW31
    half = ((half ^ (half >> 15)) * 0x735A2D97) & _LOW31
    return half ^ (half >> 15)


def mix(value: int) -> int:
    """Hash a 62-bit integer one to one, by a Feistel network."""
    high = value >> 31
    low = value & _LOW31
    high ^= _mix31(low ^ 0x1E3779B9)
    low ^= _mix31(high ^ 0x3C6EF372)
    high ^= _mix31(low ^ 0x5AA66D2B)
    low ^= _mix31(high ^ 0x78DDE6E4)
    return high << 31 | low


def game_seed(seed: int, game: int) -> int:
    """Return the seed of one game of a run from the run's seed and the game's number."""
    return mix((mix(seed) + game) & (SEED_LIMIT - 1))


def text_seed(seed: int, text: str) -> int:
    """Return the seed of what a text names, such as a position, from a run's seed."""
    return game_seed(seed, int.from_bytes(sha256(text.encode()).digest()[:7]))


def setup_seed(seed: int) -> int:
    """Return the seed of a game's random setup, independent of the generator of its moves."""
    return seed ^ _SETUP_BIT


def generator(seed: int) -> int:
    """Return the initial state of the generator with this seed."""
    return mix(seed) + 1


def advance(random: int) -> int:
    """Return the generator's next state."""
    return (random & _LOW32) * _MULTIPLIER + (random >> 32)


def bounded(random: int, bound: int) -> int:
    """Return an integer from 0 to bound - 1 derived from the generator's state."""
    return (((random ^ (random >> 32)) & _LOW32) * bound) >> 32
