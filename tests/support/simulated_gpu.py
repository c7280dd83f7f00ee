"""Compare a batch on Numba's simulator of a GPU with one on the CPU: run as a script.

The simulator must be chosen before Numba is imported, and cannot be left again.
"""

import copy
import os
import pickle
import sys
import threading
from typing import Any

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numpy as np
from numba import cuda
from numba.cuda.simulator.cudadrv import devices
from numba.cuda.simulator.kernelapi import FakeCUDAModule

import teahouse as th
from teahouse.core import playouts_cuda
from teahouse.core.game import Game
from teahouse.core.jit.cuda import WARP
from teahouse.rl import Batch, functional

jit: Any = cuda.jit
WORD = (1 << 64) - 1
PLAYOUTS = 40  # more than a warp has threads
FIELDS = ("legal", "player", "rewards", "done", "over", "observation")


def simulated_jit(*arguments: Any, max_registers: int = 0, **settings: Any) -> Any:
    """Return the simulator's kernel, which has no registers."""
    return jit(*arguments, **settings)


def ballot(mask: int, predicate: bool) -> int:
    """Return the threads of a block, which is one warp, for which the predicate is true."""
    thread: Any = threading.current_thread()
    votes = thread._manager.block_state
    votes[thread.threadIdx.x, 0, 0] = predicate
    thread.syncthreads()
    found = sum(int(votes[lane, 0, 0] != 0) << lane for lane in range(WARP))
    thread.syncthreads()
    return found


def widened(state: np.dtype) -> np.dtype:
    """Return a layout without integers of 32 bits: NumPy does not widen them as compilers do."""
    fields = [(name, state[name]) for name in state.names or ()]
    return np.dtype(
        [
            (name, np.int64 if field.base == np.int32 else field.base, field.shape)
            for name, field in fields
        ]
    )


def simulated(name: str, **options: object) -> Game:
    """Return a game whose states the simulator can hold in shared memory."""
    for holder, attribute, value in (
        (devices.FakeCUDADevice, "id", 0),
        (cuda, "popc", lambda bits: (int(bits) & WORD).bit_count()),
        (cuda, "clz", lambda bits: 64 - (int(bits) & WORD).bit_length()),
        (cuda, "ffs", lambda bits: (int(bits) & -int(bits)).bit_length()),
        (cuda, "jit", simulated_jit),
        (FakeCUDAModule, "ballot_sync", staticmethod(ballot)),
        (playouts_cuda, "MAX_THREADS", WARP),
        (playouts_cuda, "resident_threads", lambda kernel, block, arguments: WARP),
        (playouts_cuda, "record_type", lambda dtype: dtype),
    ):
        setattr(holder, attribute, value)  # missing in the simulator, or not in all places
    game = th.load(name, **options)
    layout = copy.copy(game.layout)
    layout.state = np.dtype((np.record, widened(layout.state)))  # fields are attributes
    Game.layout = property(lambda self: layout)  # type: ignore[assignment, method-assign]
    return game


def check_same(gpu: Batch, cpu: Batch, fields: tuple[str, ...] = FIELDS) -> None:
    for field in fields:
        found, expected = getattr(gpu, field).numpy(), getattr(cpu, field)
        assert np.array_equal(found, expected), field
    for one, other in zip(gpu.positions(), cpu.positions(), strict=True):
        assert (one.ply, str(one)) == (other.ply, str(other))
        states = [np.frombuffer(found.state, gpu.game.layout.state) for found in (one, other)]
        assert np.array_equal(
            states[0], states[1]
        )  # by fields: NumPy's copies leave their padding undefined


def check_rows(gpu: Batch, cpu: Batch) -> None:
    """Check copies, gathered rows, pickles, positions that are set, and generators."""
    for change in (
        Batch.copy,
        lambda batch: batch[[2, 0, 0, -1]],
        lambda batch: batch[np.array([True, False, True])],
        lambda batch: pickle.loads(pickle.dumps(batch)),
    ):
        one, other = change(gpu), change(cpu)
        assert one.device == gpu.device
        check_same(one, other)
        one.reseed(5)
        other.reseed(5)
        actions = other.sample()
        assert np.array_equal(one.sample().numpy(), actions)
        one.step(actions)
        other.step(actions)
        check_same(one, other)
        texts = [str(position) for position in gpu.positions()]
        for batch in (one, other):
            batch.set(texts[0], rows=[1])
        check_same(one, other)
    twin = gpu.copy()
    twin.reset()
    twin.set(gpu)
    check_same(twin, cpu)
    actions = cpu.sample(seed=3)
    drawn = gpu.sample(seed=3)
    gpu.sample(seed=4)  # does not overwrite it
    assert np.array_equal(drawn.numpy(), actions)
    state = functional.step(functional.State(gpu), actions)
    cpu = cpu.copy()
    cpu.step(actions)
    check_same(state.batch(), cpu)


def check_playouts(game: Game) -> None:
    """Check playouts from the start and from a later position."""
    start = game.start(seed=3)
    for origin in (game, start.play(start.legal[0])):
        counts = origin.playouts(PLAYOUTS, seed=7, device="cuda")
        assert counts == origin.playouts(PLAYOUTS, seed=7), "playouts"


def main(name: str, steps: int, **options: object) -> None:
    game = simulated(name, **options)
    check_playouts(game)
    settings = {"seed": 4, "dtype": "float32"}
    gpu = Batch(game, 3, device="cuda", **settings)  # type: ignore[arg-type]
    cpu = Batch(game, 3, **settings)  # type: ignore[arg-type]
    ended = np.zeros(3, bool)
    for step in range(steps):
        actions = cpu.sample()
        assert np.array_equal(gpu.sample().numpy(), actions)
        cpu.step(actions)
        gpu.step(actions)
        check_same(gpu, cpu)
        done = cpu.done
        for field in ("final_observation", "final_player"):
            found, expected = getattr(gpu, field).numpy(), getattr(cpu, field)
            assert np.array_equal(found[done], expected[done]), field
        ended |= done
        if step == 3:
            check_rows(gpu, cpu)
    assert ended.any(), "no game ended: take more steps"
    try:
        gpu.step(np.full(3, -1))
    except th.IllegalMove as error:
        assert "actions must be from 0" in str(error)
    else:
        raise AssertionError("an illegal action was accepted")
    print("same")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), **dict(text.split("=") for text in sys.argv[3:]))
