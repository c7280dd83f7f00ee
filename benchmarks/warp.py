"""Count the instructions of GPU playouts without a GPU: `python benchmarks/warp.py toot fillit`.

Compiles the CUDA kernel of a game's playouts for an H200, runs it for one warp (`ptx.py`) and
compares the games with those on the CPU: the exit status is 1 if they differ. *Slots* are about the
instructions that the warp issues, times its 32 threads, for each move; of these the *active* ones
are of threads that take part. Requires `teahouse[gpu]`, but neither a GPU nor its driver.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
from ptx import LANES, Kernel, Memory

import teahouse as th
from teahouse.core import playouts_cuda
from teahouse.core.game import Game
from teahouse.core.jit import cuda as jit_cuda
from teahouse.core.options import format_options
from teahouse.core.playouts import MOVES, WINS, Counts

CAPABILITY = (9, 0)  # of an H200
SEED = 5
BOARD = 4096  # where it is in global memory
DEFAULT_GAMES = 160


def main() -> None:
    """Print a table with a row for each game."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=th.games(), metavar="GAME")
    parser.add_argument("-o", dest="options", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--games", type=int, default=DEFAULT_GAMES, help="games of the warp")
    arguments = parser.parse_args()
    options = dict(text.split("=", 1) for text in arguments.options)
    print("| game | slots | active | accesses to shared memory | waiting for banks |")
    print("|---|---|---|---|---|")
    same = True
    for name in arguments.names:
        same &= measure(th.load(name, **options), arguments.games)
    sys.exit(not same)


def measure(game: Game, games: int) -> bool:
    """Print the row of a game; return whether its games are those of the CPU."""
    text, itemsize = playout_ptx(game)
    board = game.layout.board.tobytes()
    totals = BOARD + -(-len(board) // 64) * 64
    count = WINS + len(game.players)
    states = totals + 8 * count
    memory = Memory(64 << 10, b"".join([bytes(BOARD), board.ljust(totals - BOARD), bytes(8 << 10)]))
    memory.spaces["global"][totals:] = 0
    arrays = [(1, len(board), BOARD), (1, itemsize, states), (count, 8, totals)]
    parameters = [
        value
        for length, size, address in arrays
        for value in (0, 0, length, size, address, length, size)
    ]
    kernel = Kernel(text, [*parameters, SEED, 0, games], memory)
    with np.errstate(all="ignore"):
        kernel.run()
    found = memory.spaces["global"][totals:states].view(np.int64)
    moves = int(found[MOVES])
    slots, active = kernel.slots @ kernel.issued * LANES, kernel.slots @ kernel.lanes
    figures = (slots / moves, active / slots)
    waits = (LANES * memory.accesses / moves, LANES * memory.conflicts / moves)
    title = f"{game.name} {format_options(dict(game.options), ' ')}".strip()
    print(f"| {title} | {figures[0]:,.0f} | {figures[1]:.0%} | {waits[0]:.0f} | {waits[1]:.0f} |")
    expected = game.playouts(games, seed=SEED)
    same = Counts(games, moves, tuple(map(int, found[WINS:])), int(found[1])) == expected
    if not same:
        print(f"{title}: the games differ from {expected}: {found}", file=sys.stderr)
    return same


def playout_ptx(game: Game) -> tuple[str, int]:
    """Return the PTX of a game's playouts, and the size of its states."""
    cuda: Any = import_module("numba.cuda")
    types: Any = import_module("numba").types
    dispatcher: Any = import_module("numba.cuda.dispatcher")
    # There is no device to ask.
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=CAPABILITY)
    for module in (jit_cuda, playouts_cuda):
        module.__dict__["cuda_module"] = lambda: cuda
    state = jit_cuda.padded(game.layout.state)
    block = jit_cuda.block_layout(state.itemsize, max_threads=LANES)
    kernel = playouts_cuda._playout_kernel(game, state, 1, block)
    arrays = (game.layout.board.dtype, state, np.dtype(np.int64))
    arguments = [types.Array(jit_cuda.record_type(dtype), 1, "C") for dtype in arrays]
    signature = types.void(*arguments, types.int64, types.int64, types.int64)
    return str(cuda.compile_ptx(kernel.py_func, signature, cc=CAPABILITY)[0]), state.itemsize


if __name__ == "__main__":
    main()
