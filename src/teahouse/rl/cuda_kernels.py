"""The GPU's entries to the kernels: each thread works on a game of its own.

What a thread reads and writes at scattered places lies in shared memory: its game's state, and
its row of legal actions or its planes if there is room. All threads of a block fetch and write out
their states and rows together, by words and side by side, which is several times as fast as each
for its own.
"""

from functools import cache
from typing import Any

import numpy as np

from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.rl import kernels
from teahouse.rl.spec import kernels_of, view_of

cuda: Any = None  # Numba's module, once entries are asked for

LEAVE = kernels.LEAVE
THREADS = 128  # of a block
FEWEST_THREADS = 32  # fewer would leave most of a group of 32 idle
WORD = 8  # bytes; as many threads' states and rows are whole words


@cache
def entries(game: Game) -> dict[str, tuple[Any, int]]:
    """Every entry for a game by name, with the number of threads in its blocks."""
    global cuda
    cuda = jit.cuda_module()
    view = view_of(game)
    rules = kernels_of(game.name, game.rules)
    state = game.layout.state
    actions = view.action_count
    area = view.shape[0] * view.shape[1]

    def bound(kernel: jit.Kernel) -> Any:
        return jit.bind(kernel, rules, cuda.jit(device=True))

    move_words = cuda.jit(device=True)(_move_words)
    sampling, sampling_staged = room(0, actions)
    stepping, stepping_staged = room(state.itemsize, actions)
    seeing, seeing_staged = room(state.itemsize, len(view.planes) * area)
    check = _check_entry(bound(kernels.is_illegal))
    sample = _sample_entry(
        *(bound(kernels.draw), bound(kernels.nth_legal), cuda.jit(device=True)(_nth_staged)),
        *(move_words, sampling, actions if sampling_staged else 0),
    )
    step = _step_entry(
        *(bound(kernels.step_game), move_words, state, game.layout.max_moves),
        *(stepping, actions if stepping_staged else 0),
    )
    see = _see_entry(
        *(bound(kernels.see_game), move_words, state, seeing),
        *(len(view.planes), area if seeing_staged else 0),
    )
    return {
        "check": (check, THREADS),
        "sample": (sample, sampling),
        "step": (step, stepping),
        "see": (see, seeing),
    }


def room(state: int, row: int) -> tuple[int, bool]:
    """How many threads of a block have room for a state each, and whether for such a row, too."""
    threads = THREADS
    while threads > FEWEST_THREADS and threads * (state + row) > jit.SHARED_MEMORY:
        threads //= 2
    if threads * (state + row) <= jit.SHARED_MEMORY:
        return threads, row > 0
    assert row, "a state has room"
    return room(state, 0)


def words(count: int, size: int) -> int:
    """How many words hold so many things of a size."""
    return -(-count * size // WORD)


def _move_words(source: Any, at: int, target: Any, to: int, size: int) -> None:
    """Copy the words that hold so many bytes; all threads of the block take turns."""
    for word in range(cuda.threadIdx.x, (size + WORD - 1) // WORD, cuda.blockDim.x):
        target[to + word] = source[at + word]


def _step_entry(
    step_game: Any, move_words: Any, state: np.dtype, max_moves: int, threads: int, staged: int
) -> Any:
    size = state.itemsize
    state_words = words(threads, size)
    row_words = words(threads, staged)
    room_for_rows = max(1, row_words)

    def step(
        boards: Any,
        states: Any,
        state_store: Any,
        slots: Any,
        actions: Any,
        legal: Any,
        legal_store: Any,
        counts: Any,
        players: Any,
        rewards: Any,
        done: Any,
        illegal: Any,
        seed: int,
        restart: int,
    ) -> None:
        own_words = cuda.shared.array(state_words, np.uint64)
        rows_words = cuda.shared.array(room_for_rows, np.uint64)
        moves = cuda.local.array(max_moves, np.int32)
        thread = cuda.threadIdx.x
        games = len(actions)
        if illegal[0] < games:
            return
        first = cuda.blockIdx.x * threads
        here = min(threads, games - first)
        move_words(state_store, cuda.blockIdx.x * state_words, own_words, 0, here * size)
        cuda.syncthreads()
        own = own_words.view(state)[thread : thread + 1]
        row = rows_words.view(np.uint8)[thread * staged : (thread + 1) * staged]
        index = first + thread
        if index < games and actions[index] == LEAVE:
            for action in range(staged):
                row[action] = legal[index][action]
        elif index < games:
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
                row if staged else legal[index],
                rewards[index],
                seed,
                games,
                restart,
            )
            done[index] = count < 0
            counts[index] = max(count, -1 - count)
            players[index] = own[0].player
        cuda.syncthreads()
        move_words(own_words, 0, state_store, cuda.blockIdx.x * state_words, here * size)
        if staged:
            move_words(rows_words, 0, legal_store, cuda.blockIdx.x * row_words, here * staged)

    return cuda.jit(step)


def _see_entry(
    see_game: Any, move_words: Any, state: np.dtype, threads: int, planes: int, staged: int
) -> Any:
    size = state.itemsize
    state_words = words(threads, size)
    row = planes * staged
    row_words = words(threads, row)
    room_for_rows = max(1, row_words)
    shape = (threads, planes, staged)

    def see(
        boards: Any, state_store: Any, slots: Any, places: Any, shown: Any, shown_store: Any
    ) -> None:
        own_words = cuda.shared.array(state_words, np.uint64)
        rows_words = cuda.shared.array(room_for_rows, np.uint64)
        thread = cuda.threadIdx.x
        games = len(shown)
        first = cuda.blockIdx.x * threads
        here = min(threads, games - first)
        move_words(state_store, cuda.blockIdx.x * state_words, own_words, 0, here * size)
        cuda.syncthreads()
        own = own_words.view(state)[thread]
        rows = rows_words.view(np.uint8).reshape(shape) if staged else shown
        index = first + thread
        if index < games:
            see_game(
                boards[0],
                own,
                slots[index],
                int(own.player),
                places,
                rows[thread] if staged else shown[index],
            )
        if staged:
            cuda.syncthreads()
            move_words(rows_words, 0, shown_store, cuda.blockIdx.x * row_words, here * row)

    return cuda.jit(see)


def _check_entry(is_illegal: Any) -> Any:
    def check(legal: Any, counts: Any, actions: Any, illegal: Any) -> None:
        index = cuda.grid(1)
        if index < len(actions) and is_illegal(
            legal[index], int(counts[index]), int(actions[index])
        ):
            cuda.atomic.min(illegal, 0, index)

    return cuda.jit(check)


def _sample_entry(
    draw: Any, nth_legal: Any, nth_staged: Any, move_words: Any, threads: int, staged: int
) -> Any:
    row_words = words(threads, staged)
    room_for_rows = max(1, row_words)

    def sample(slots: Any, legal: Any, legal_store: Any, counts: Any, actions: Any) -> None:
        rows = cuda.shared.array(room_for_rows, np.uint64)
        games = len(actions)
        first = cuda.blockIdx.x * threads
        index = first + cuda.threadIdx.x
        if staged:
            here = min(threads, games - first)
            move_words(legal_store, cuda.blockIdx.x * row_words, rows, 0, here * staged)
            cuda.syncthreads()
        if index < games:
            which = draw(slots[index], int(counts[index]))
            if which < 0:
                actions[index] = -1
            elif staged:
                actions[index] = nth_staged(rows, cuda.threadIdx.x * staged, which)
            else:
                actions[index] = nth_legal(legal[index], which)

    return cuda.jit(sample)


def _nth_staged(rows: Any, first: int, which: int) -> int:
    """The legal action with so many before it, in the row of bytes that begins at `first`."""
    marks = rows.view(np.uint8)
    spot = first
    while spot % WORD:
        which -= int(marks[spot])
        if which < 0:
            return spot - first
        spot += 1
    word = spot // WORD
    found = cuda.popc(rows[word])  # each mark is one bit of a byte
    while which >= found:
        which -= found
        word += 1
        found = cuda.popc(rows[word])
    spot = word * WORD
    which -= int(marks[spot])
    while which >= 0:
        spot += 1
        which -= int(marks[spot])
    return spot - first
