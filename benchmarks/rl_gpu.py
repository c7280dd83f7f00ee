"""Check batches on a GPU (same games as on the CPU, zero-copy export), then benchmark them.

Part of `make bench-gpu`. The exit status is 1 if a check fails. `--no-pgx` does not measure Pgx,
`--checks` measures nothing.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from history import save_gpu

import teahouse as th
from teahouse.bench.suite import Row
from teahouse.core.jit import cuda as jit_cuda
from teahouse.core.playouts_cuda import cuda_playouts
from teahouse.rl import Batch
from teahouse.rl.cuda_kernels import cuda_kernels

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("orochi", {"side": 4}),
    ("orochi", {"side": 3}),
    ("oolong", {}),
    ("oolong", {"specials": False}),
    ("fillit", {"mode": "2"}),
    ("fillit", {"mode": "3mini"}),
    ("fillit", {"mode": "teams"}),
    ("toot", {}),
    ("toot", {"tiles": 4, "pieces": 2}),
]
MEASURED: list[tuple[str, dict[str, Any], range]] = [
    ("orochi", {"side": 4}, range(12, 23, 2)),
    ("orochi", {"side": 8}, range(18, 21, 2)),
    ("oolong", {}, range(18, 21, 2)),
    ("fillit", {"mode": "2"}, range(18, 21, 2)),
    ("toot", {}, range(16, 19, 2)),
]
failures: list[str] = []


def check(title: str, work: Callable[[], None]) -> None:
    """Run a check and print its result."""
    start = time.perf_counter()
    try:
        work()
    except Exception as error:
        failures.append(title)
        print(f"FAILED {title}: {type(error).__name__}: {error}", flush=True)
    else:
        print(f"ok {title} ({time.perf_counter() - start:.1f} s)", flush=True)


def same_games(name: str, options: dict[str, Any], size: int = 777, steps: int = 150) -> None:
    """Both devices sample the same actions and have equal arrays after each step."""
    cpu = Batch(name, size, seed=5, threads=2, **options)
    gpu = Batch(name, size, seed=5, device="cuda", **options)
    ended = 0
    for step in range(steps):
        for field in ("legal", "player", "rewards", "done", "observation"):
            ours, theirs = getattr(cpu, field), getattr(gpu, field).numpy()
            if not np.array_equal(ours, theirs):
                indices = np.argwhere(ours != theirs)
                raise AssertionError(f"step {step}: {field} differs at {indices[:5].tolist()}")
        actions = cpu.sample()
        sampled = gpu.sample()
        assert np.array_equal(actions, sampled.numpy()), f"step {step}: actions differ"
        cpu.step(actions)
        gpu.step(actions if step % 2 else sampled)
        ended += int(cpu.done.sum())
        if step == steps // 2:
            where = np.arange(size) % 3 == 0
            cpu.reset(where=where)
            gpu.reset(where=where)
    assert ended > 0, "no game ended"
    for index in (0, size - 1):
        assert cpu.position(index) == gpu.position(index)


def same_games_without_shared_memory() -> None:
    """The same games and counts if states do not fit into shared memory."""
    limit = jit_cuda.SHARED_MEMORY
    kernels = (cuda_kernels, cuda_playouts)
    try:
        jit_cuda.SHARED_MEMORY = 0
        for cached in kernels:
            cached.cache_clear()
        same_games("orochi", {"side": 3})
        game = th.load("orochi", side=3)
        position = game.start().play(game.start().legal[0])
        for start in (game, position):
            counts = start.playouts(20_000, seed=7, device="cuda")
            assert counts == start.playouts(20_000, seed=7)
    finally:
        jit_cuda.SHARED_MEMORY = limit
        for cached in kernels:
            cached.cache_clear()


def without_reset(name: str, options: dict[str, Any]) -> None:
    """Without auto_reset games stay over on both devices."""
    cpu = Batch(name, 200, seed=3, auto_reset=False, **options)
    gpu = Batch(name, 200, seed=3, auto_reset=False, device="cuda", **options)
    for _ in range(60):
        cpu.step(cpu.sample())
        gpu.step(gpu.sample())
        for field in ("legal", "rewards", "done", "observation"):
            assert np.array_equal(getattr(cpu, field), getattr(gpu, field).numpy()), field
    assert not cpu.legal.all(axis=None)


def illegal_actions() -> None:
    """An illegal action raises an error and changes nothing."""
    batch = Batch("orochi", 1000, device="cuda")
    batch.step(batch.sample())
    before = [batch.legal.numpy(), batch.position(0), batch.observation.numpy()]
    actions = batch.sample().numpy()
    for wrong in (-1, 111, 1 << 40, int(np.flatnonzero(~before[0][999])[0])):
        actions[999] = wrong
        try:
            batch.step(actions)
        except th.IllegalMove as error:
            assert "Game 999" in str(error), error
        else:
            raise AssertionError(f"{wrong} was accepted")
    for bad in (actions[:5], actions.astype(np.float32), np.zeros((1000, 1), np.int64)):
        try:
            batch.step(bad)
        except ValueError:
            pass
        else:
            raise AssertionError("a wrong shape or type was accepted")
    assert np.array_equal(before[0], batch.legal.numpy())
    assert before[1] == batch.position(0)
    assert np.array_equal(before[2], batch.observation.numpy())


def torch_export() -> None:
    """PyTorch imports the batch's memory by both protocols, and its actions are accepted."""
    import torch

    batch = Batch("orochi", 512, device="cuda")
    host = Batch("orochi", 512)
    for import_array in (lambda array: torch.as_tensor(array, device="cuda"), torch.from_dlpack):
        legal, observation = import_array(batch.legal), import_array(batch.observation)
        assert legal.dtype == torch.bool and legal.is_cuda
        assert legal.data_ptr() == batch.legal.__cuda_array_interface__["data"][0]
        assert observation.data_ptr() == batch.observation.__cuda_array_interface__["data"][0]
        for _ in range(60):
            actions = torch.multinomial(legal.float(), 1)[:, 0]
            batch.step(actions)
            host.step(actions.cpu().numpy())
            assert np.array_equal(legal.cpu().numpy(), host.legal)
            batch.observation  # noqa: B018 - runs its kernel
            assert np.array_equal(observation.cpu().numpy(), host.observation)
        del legal, observation


def jax_export() -> None:
    """JAX imports the batch's memory by DLPack, and its actions are accepted."""
    import jax
    import jax.numpy as jnp

    batch = Batch("orochi", 512, device="cuda")
    host = Batch("orochi", 512)
    legal = jnp.from_dlpack(batch.legal)
    assert legal.dtype == jnp.bool_
    assert legal.unsafe_buffer_pointer() == batch.legal.__cuda_array_interface__["data"][0]
    key = jax.random.PRNGKey(0)
    for _ in range(60):
        key, now = jax.random.split(key)
        legal = jnp.from_dlpack(batch.legal)
        actions = jax.random.categorical(now, jnp.where(legal, 0.0, -jnp.inf), axis=-1)
        batch.step(actions)
        host.step(np.asarray(actions))
        assert np.array_equal(np.asarray(jnp.from_dlpack(batch.observation)), host.observation)


def cupy_export() -> None:
    """CuPy imports the batch's memory by both protocols."""
    import cupy  # type: ignore[import-not-found, unused-ignore]

    batch = Batch("orochi", 512, device="cuda")
    for legal in (cupy.asarray(batch.legal), cupy.from_dlpack(batch.legal)):
        assert legal.data.ptr == batch.legal.__cuda_array_interface__["data"][0]
        assert np.array_equal(cupy.asnumpy(legal), batch.legal.numpy())


def steps_per_second(batch: Batch, observe: bool, seconds: float = 0.6) -> float:
    """Return random actions per second: drawn, checked if `validate`, and taken."""
    cuda = jit_cuda.cuda_module()

    def run(steps: int) -> float:
        begin = time.perf_counter()
        for _ in range(steps):
            batch.step(batch.sample())
            if observe:
                batch.observation  # noqa: B018 - runs its kernel
        cuda.synchronize()
        return time.perf_counter() - begin

    run(5)
    steps = max(20, int(20 * seconds / max(run(20), 1e-6)))
    return batch.size * steps / min(run(steps) for _ in range(3))


def measure(pgx: bool, save: bool) -> None:
    """Measure and print the table; `save` appends it to the history."""
    peer = None
    if pgx:
        from teahouse.bench.pgx_peer import best

        size, peer = best()
        print(f"\nPgx Hex, batches of {size}: {peer / 1e6:.0f} million steps per second")
    print("\n| game | batch size | with masks | unchecked | with planes | x Pgx Hex |")
    print("|---|---|---|---|---|---|")
    for name, options, powers in MEASURED:
        for power in powers:
            rates = []
            for validate, observe in ((True, False), (False, False), (True, True)):
                batch = Batch(name, 1 << power, device="cuda", validate=validate, **options)
                rates.append(steps_per_second(batch, observe))
                del batch
            ratios = ", ".join(f"{rate / peer:.1f}" for rate in rates) if peer else "–"
            title = " ".join([name, *(f"{key}={value}" for key, value in options.items())])
            figures = " | ".join(f"{rate / 1e6:,.0f} M" for rate in rates)
            print(f"| {title} | {1 << power:,} | {figures} | {ratios} |", flush=True)
            if save:
                row = f"{Row('batch', th.load(name, **options)).title}, {1 << power} games"
                for kind, rate in zip(("batch", "unchecked", "planes"), rates, strict=True):
                    save_gpu(f"{kind} {row}", rate, peer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-pgx", action="store_true", help="do not measure Pgx")
    parser.add_argument("--checks", action="store_true", help="measure nothing")
    parser.add_argument("--save", action="store_true", help="append the figures to history.csv")
    arguments = parser.parse_args()
    for name, options in GAMES:
        check(f"same games on both devices: {name} {options}", lambda: same_games(name, options))  # noqa: B023
    check("same games without shared memory", same_games_without_shared_memory)
    check("games that stay over", lambda: without_reset("orochi", {"side": 3}))
    check("illegal actions", illegal_actions)
    check("PyTorch", torch_export)
    check("JAX", jax_export)
    try:
        import cupy  # type: ignore[import-not-found, unused-ignore] # noqa: F401
    except ImportError:
        print("CuPy is not installed")
    else:
        check("CuPy", cupy_export)
    if not arguments.checks:
        measure(not arguments.no_pgx, arguments.save)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
