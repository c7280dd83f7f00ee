"""Measure random play of Pgx's Hex, the peer of our batches.

As a program it reads lines with a batch size and seconds and prints a rate for each, so that it can
be measured in turns with ours. JAX_PLATFORMS=cpu runs it on the CPU.
"""

import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

SIZES = tuple(1 << power for power in range(10, 18))
STEPS = 100


@cache
def runner(size: int, steps: int = STEPS) -> Callable[[float], float]:
    """Return a function from seconds to moves per second for batches of this size."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("hex")
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(state: Any, key: Any) -> tuple[Any, None]:
        first, second = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(first, logits, axis=-1)
        return step(state, action, jax.random.split(second, size)), None

    many = jax.jit(lambda state, key: jax.lax.scan(one, state, jax.random.split(key, steps))[0])
    initial = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), size))
    initial = jax.block_until_ready(many(initial, jax.random.PRNGKey(1)))

    def run(seconds: float) -> float:
        state, key = initial, jax.random.PRNGKey(2)
        rounds = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            key, now = jax.random.split(key)
            state = jax.block_until_ready(many(state, now))
            rounds += 1
        return rounds * steps * size / (time.perf_counter() - start)

    return run


def best(seconds: float = 1.0) -> tuple[int, float]:
    """Return the best batch size and its moves per second."""
    rates = {size: runner(size)(seconds) for size in SIZES}
    return max(rates.items(), key=lambda item: item[1])


def main() -> None:
    for line in sys.stdin:
        size, seconds = line.split()
        print(runner(int(size), steps=10)(float(seconds)), flush=True)


if __name__ == "__main__":
    main()
