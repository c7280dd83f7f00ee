"""The GPU's entries to the kernels: each thread works on a game of its own.

What a thread reads and writes at scattered places lies in shared memory: its game's state, and
its row of legal actions or its planes if there is room. Then all threads of a block write those
rows out together, side by side, which is several times as fast as each writing its own.
"""

from functools import cache
from typing import Any

import numpy as np

from teahouse.core import compiling
from teahouse.core.game import Game
from teahouse.rl import kernels
from teahouse.rl.games import kernels_of, view_of

cuda: Any = None  # Numba's module, once entries are asked for

LEAVE = kernels.LEAVE
THREADS = 128  # of a block
FEWEST_THREADS = 32  # fewer would leave most of a group of 32 idle


@cache
def entries(game: Game) -> dict[str, tuple[Any, int]]:
    """Every entry for a game by name, with the number of threads in its blocks."""
    global cuda
    cuda = compiling.gpu()
    view = view_of(game)
    rules = kernels_of(game.name, game.rules)
    state = game.layout.state
    most_moves = game.layout.most_moves
    area = view.shape[0] * view.shape[1]

    def bound(kernel: compiling.Kernel) -> Any:
        return compiling.bind(kernel, rules, cuda.jit(device=True))

    check = _check_entry(bound(kernels.is_illegal))
    sample = _sample_entry(bound(kernels.sample_action))
    threads, staged = room(state.itemsize, view.action_count)
    step_game = bound(kernels.step_game)
    step = _step_entry(
        *(step_game, compiling.record_type(state), most_moves),
        *(threads, view.action_count if staged else 0),
    )
    seeing, staged = room(state.itemsize, len(view.planes) * area)
    see = _see_entry(
        *(bound(kernels.see_game), compiling.record_type(state), seeing),
        *(len(view.planes), area if staged else 0),
    )
    return {
        "check": (check, THREADS),
        "sample": (sample, THREADS),
        "step": (step, threads),
        "see": (see, seeing),
    }


def room(state: int, row: int) -> tuple[int, bool]:
    """How many threads of a block have room for a state each, and whether for such a row, too."""
    threads = THREADS
    while threads > FEWEST_THREADS and threads * (state + row) > compiling.SHARED_MEMORY:
        threads //= 2
    if threads * (state + row) <= compiling.SHARED_MEMORY:
        return threads, row > 0
    assert row, "a state has room"
    return room(state, 0)


def _step_entry(step_game: Any, state_type: Any, most_moves: int, threads: int, staged: int) -> Any:
    width = max(1, staged)
    rows_there = threads if staged else 1

    def step(
        boards: Any,
        states: Any,
        slots: Any,
        actions: Any,
        legal: Any,
        counts: Any,
        players: Any,
        rewards: Any,
        done: Any,
        seed: int,
        restart: int,
    ) -> None:
        own = cuda.shared.array((threads, 1), state_type)[cuda.threadIdx.x]
        rows = cuda.shared.array((rows_there, width), np.uint8)
        moves = cuda.local.array(most_moves, np.int32)
        index = cuda.grid(1)
        games = len(actions)
        if index < games and actions[index] == LEAVE:
            if staged:
                for action in range(width):
                    rows[cuda.threadIdx.x][action] = legal[index][action]
        elif index < games:
            own[0] = states[index]
            count = step_game(
                boards[0],
                own,
                0,
                states,
                index,
                slots[index],
                index,
                int(actions[index]),
                moves,
                rows[cuda.threadIdx.x] if staged else legal[index],
                rewards[index],
                seed,
                games,
                restart,
            )
            done[index] = count < 0
            counts[index] = max(count, -1 - count)
            players[index] = own[0].player
            states[index] = own[0]
        if staged:
            cuda.syncthreads()
            first = cuda.blockIdx.x * threads
            for row in range(min(threads, games - first)):
                for action in range(cuda.threadIdx.x, width, threads):
                    legal[first + row][action] = rows[row][action]

    return cuda.jit(step)


def _see_entry(see_game: Any, state_type: Any, threads: int, planes: int, staged: int) -> Any:
    area = max(1, staged)
    rows_there = threads if staged else 1

    def see(boards: Any, states: Any, slots: Any, places: Any, shown: Any) -> None:
        own = cuda.shared.array((threads, 1), state_type)[cuda.threadIdx.x]
        rows = cuda.shared.array((rows_there, planes, area), np.uint8)
        index = cuda.grid(1)
        games = len(states)
        if index < games:
            own[0] = states[index]
            see_game(
                boards[0],
                own[0],
                slots[index],
                int(own[0].player),
                places,
                rows[cuda.threadIdx.x] if staged else shown[index],
            )
        if staged:
            cuda.syncthreads()
            first = cuda.blockIdx.x * threads
            for row in range(min(threads, games - first)):
                for spot in range(cuda.threadIdx.x, planes * area, threads):
                    shown[first + row][spot // area][spot % area] = rows[row][spot // area][
                        spot % area
                    ]

    return cuda.jit(see)


def _check_entry(is_illegal: Any) -> Any:
    def check(legal: Any, counts: Any, actions: Any, found: Any) -> None:
        index = cuda.grid(1)
        if index < len(actions) and is_illegal(
            legal[index], int(counts[index]), int(actions[index])
        ):
            cuda.atomic.min(found, 0, index)

    return cuda.jit(check)


def _sample_entry(sample_action: Any) -> Any:
    def sample(slots: Any, legal: Any, counts: Any, actions: Any) -> None:
        index = cuda.grid(1)
        if index < len(actions):
            actions[index] = sample_action(slots[index], legal[index], int(counts[index]))

    return cuda.jit(sample)
