"""Random numbers for kernels: the same on every back end.

A generator is one whole number below 2**63, held by a kernel in a local variable:

    random = advance(random)
    index = below(random, count)

Compiled arithmetic on signed integers must never overflow (the compiler takes that as a promise),
so every product here is of a number below 2**32 and one below 2**31.
"""

SEEDS = 1 << 62  # seeds are 0 to SEEDS - 1
_LOW31 = (1 << 31) - 1
_LOW32 = (1 << 32) - 1
# Marsaglia's multiply-with-carry: MULTIPLIER * 2**32 - 1 and MULTIPLIER * 2**31 - 1 are prime,
# so that the period is about 2**62.
_MULTIPLIER = 2051013963


def _stir(half: int) -> int:
    half = ((half ^ (half >> 16)) * 0x21F0AAAD) & _LOW31
    half = ((half ^ (half >> 15)) * 0x735A2D97) & _LOW31
    return half ^ (half >> 15)


def scramble(value: int) -> int:
    """A thorough mixing of 62 bits: a Feistel network, so different values stay different."""
    high = value >> 31
    low = value & _LOW31
    high ^= _stir(low ^ 0x1E3779B9)
    low ^= _stir(high ^ 0x3C6EF372)
    high ^= _stir(low ^ 0x5AA66D2B)
    low ^= _stir(high ^ 0x78DDE6E4)
    return high << 31 | low


def game_seed(seed: int, game: int) -> int:
    """The seed of one game of a run, from the run's seed and the game's number."""
    return scramble((scramble(seed) + game) & (SEEDS - 1))


def generator(seed: int) -> int:
    """The generator that a seed begins."""
    return scramble(seed) + 1


def advance(random: int) -> int:
    """The generator's next state."""
    return (random & _LOW32) * _MULTIPLIER + (random >> 32)


def below(random: int, count: int) -> int:
    """A whole number from 0 to count - 1 drawn from the generator's state."""
    return (((random ^ (random >> 32)) & _LOW32) * count) >> 32
