"""The peer on the same device: random play of Pgx's Hex, moves a second at its best batch size."""

import time
from typing import Any

SIZES = tuple(1 << power for power in range(10, 18))
STEPS = 100


def steps_per_second(size: int, seconds: float = 1.0) -> float:
    """Random moves a second with so many games side by side, finished ones restarted."""
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

    many = jax.jit(lambda state, key: jax.lax.scan(one, state, jax.random.split(key, STEPS))[0])
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), size))
    key = jax.random.PRNGKey(1)
    state = jax.block_until_ready(many(state, key))
    rounds = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        key, now = jax.random.split(key)
        state = jax.block_until_ready(many(state, now))
        rounds += 1
    return rounds * STEPS * size / (time.perf_counter() - start)


def best(seconds: float = 1.0) -> tuple[int, float]:
    """The best batch size and its moves a second."""
    rates = {size: steps_per_second(size, seconds) for size in SIZES}
    return max(rates.items(), key=lambda item: item[1])
