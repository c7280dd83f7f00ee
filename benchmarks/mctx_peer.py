"""Measure Gumbel self-play with mctx on Pgx's games, the peer of our self-play.

As a program it reads lines with a game, a batch size and seconds and prints the positions per
second of each, so that it can be measured in turns with ours. The network is a residual one of
6 × 64 in bfloat16 with folded normalisation, as ours without its global context.
"""

import sys
import time
from functools import partial
from typing import Any

BLOCKS = 6
CHANNELS = 64
POLICY_CHANNELS = 16
VALUE_WIDTH = 64
SIMULATIONS = 32
CONSIDERED = 16


def measure(name: str, size: int, seconds: float) -> float:
    """Return the positions per second of self-play at 32 simulations."""
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    rows, columns, planes = env.observation_shape
    weights = _weights(jax.random.PRNGKey(0), planes, rows * columns, env.num_actions)
    evaluate = partial(_evaluate, weights)
    step = jax.vmap(env.step)
    reset = jax.vmap(auto_reset(env.step, env.init))

    def masked(logits: Any, state: Any) -> Any:
        return jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min)

    def recurrent(_: Any, key: Any, action: Any, state: Any) -> Any:
        del key
        mover = state.current_player
        after = step(state, action)
        logits, value = evaluate(after.observation)
        reward = jnp.take_along_axis(after.rewards, mover[:, None], 1)[:, 0]
        over = after.terminated
        output = mctx.RecurrentFnOutput(
            reward=reward,
            discount=jnp.where(over, 0.0, -1.0),
            prior_logits=masked(logits, after),
            value=jnp.where(over, 0.0, value),
        )
        return output, after

    @jax.jit  # type: ignore[untyped-decorator, unused-ignore]
    def move(state: Any, key: Any) -> Any:
        search, restart = jax.random.split(key)
        logits, value = evaluate(state.observation)
        root = mctx.RootFnOutput(prior_logits=masked(logits, state), value=value, embedding=state)
        output = mctx.gumbel_muzero_policy(
            params=None,
            rng_key=search,
            root=root,
            recurrent_fn=recurrent,
            num_simulations=SIMULATIONS,
            invalid_actions=~state.legal_action_mask,
            max_num_considered_actions=CONSIDERED,
        )
        return reset(state, output.action, jax.random.split(restart, size))

    key = jax.random.PRNGKey(1)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, size))
    for _ in range(2):
        state = jax.block_until_ready(move(state, key))
    moves = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        key, now = jax.random.split(key)
        state = jax.block_until_ready(move(state, now))
        moves += 1
    return moves * size / (time.perf_counter() - start)


def _weights(key: Any, planes: int, area: int, actions: int) -> dict[str, Any]:
    import jax
    import jax.numpy as jnp

    def normal(*shape: int) -> Any:
        nonlocal key
        key, now = jax.random.split(key)
        scale = (2 / max(1, _product(shape[:-1]))) ** 0.5
        return (jax.random.normal(now, shape) * scale).astype(jnp.bfloat16)

    return {
        "stem": normal(3, 3, planes, CHANNELS),
        "blocks": [
            (normal(3, 3, CHANNELS, CHANNELS), normal(3, 3, CHANNELS, CHANNELS))
            for _ in range(BLOCKS)
        ],
        "policy": normal(1, 1, CHANNELS, POLICY_CHANNELS),
        "actions": normal(POLICY_CHANNELS * area, actions),
        "value": normal(1, 1, CHANNELS, 8),
        "hidden": normal(8 * area, VALUE_WIDTH),
        "output": normal(VALUE_WIDTH, 1),
    }


def _product(shape: tuple[int, ...]) -> int:
    result = 1
    for length in shape:
        result *= length
    return result


def _evaluate(weights: dict[str, Any], observation: Any) -> tuple[Any, Any]:
    import jax
    import jax.numpy as jnp

    def conv(features: Any, kernel: Any) -> Any:
        return jax.lax.conv_general_dilated(
            features, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    relu = jax.nn.relu
    features = relu(conv(observation.astype(jnp.bfloat16), weights["stem"]))
    for first, second in weights["blocks"]:
        features = relu(features + conv(relu(conv(features, first)), second))
    flat = relu(conv(features, weights["policy"])).reshape(features.shape[0], -1)
    logits = (flat @ weights["actions"]).astype(jnp.float32)
    local = relu(conv(features, weights["value"])).reshape(features.shape[0], -1)
    value = jnp.tanh(relu(local @ weights["hidden"]) @ weights["output"])
    return logits, value[:, 0].astype(jnp.float32)


def main() -> None:
    for line in sys.stdin:
        name, size, seconds = line.split()
        print(measure(name, int(size), float(seconds)), flush=True)


if __name__ == "__main__":
    main()
