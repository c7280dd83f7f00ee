"""Measure random play of Pgx's Hex, the peer of our batches.

As a program it reads lines with a batch size and seconds and prints a line of JSON for each, so
that it can be measured in turns with ours. JAX_PLATFORMS=cpu runs it on the CPU.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

SIZES = tuple(1 << power for power in range(10, 18))
STEPS = 100


@cache
def runner(size: int, steps: int = STEPS) -> Callable[[float], dict[str, float]]:
    """Return a function from seconds to the rates of batches of this size.

    `steps` are moves per second, `cpu_steps` moves per second of CPU time of all its threads.
    """
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

    def run(seconds: float) -> dict[str, float]:
        state, key = initial, jax.random.PRNGKey(2)
        rounds = 0
        start, spent = time.perf_counter(), time.process_time()
        while time.perf_counter() - start < seconds:
            key, now = jax.random.split(key)
            state = jax.block_until_ready(many(state, now))
            rounds += 1
        moves = rounds * steps * size
        return {
            "steps": moves / (time.perf_counter() - start),
            "cpu_steps": moves / (time.process_time() - spent),
        }

    return run


def best(seconds: float = 1.0) -> tuple[int, float]:
    """Return the best batch size and its moves per second."""
    rates = {size: runner(size)(seconds)["steps"] for size in SIZES}
    return max(rates.items(), key=lambda item: item[1])


def main() -> None:
    for line in sys.stdin:
        size, seconds = line.split()
        print(json.dumps(runner(int(size), steps=10)(float(seconds))), flush=True)


if __name__ == "__main__":
    main()
