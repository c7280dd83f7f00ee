"""Playouts: uniformly random games and the counts of their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.jit import rules
from teahouse.core.random import game_seed, generator, setup_seed
from teahouse.core.validate import check_choice, check_int, check_seed

if TYPE_CHECKING:
    from teahouse.core.position import Position

DEVICES = ("cpu", "cuda")
MOVES, DRAWS, WINS = range(3)  # indices of totals; each player's wins follow from WINS


@dataclass(frozen=True)
class Counts:
    """Results of playouts."""

    games: int
    """Games played."""
    moves: int
    """Moves of all games together."""
    wins: tuple[int, ...]
    """Games won by each player; a team's win counts for all its members."""
    draws: int
    """Games without a winner."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.games + other.games,
            self.moves + other.moves,
            tuple(map(sum, zip(self.wins, other.wins, strict=True))),
            self.draws + other.draws,
        )


def play_games(
    boards: Any, states: Any, moves: Any, totals: Any, seed: int, first: int, end: int, step: int
) -> None:
    """Play the games range(first, end, step), from states[1] if given, else from the start.

    Adds to totals[MOVES], totals[DRAWS] and totals[WINS + player]. states[0] is scratch space.
    """
    board = boards[0]
    state = states[0]
    for game in range(first, end, step):
        random = start_game(board, states, seed, game)
        totals[MOVES] += rules.playout(board, state, moves, random)
        add_result(board, state, moves, totals)


def start_game(board: Any, states: Any, seed: int, game: int) -> int:
    """Set states[0] to the start of a game; return the initial state of the game's generator."""
    own_seed = game_seed(seed, game)
    if len(states) == 1:
        rules.start(board, states[0], setup_seed(own_seed))
    else:
        states[0] = states[1]
    return generator(own_seed)


def add_result(board: Any, state: Any, moves: Any, totals: Any) -> None:
    """Count the winners of a game that is over."""
    winners = rules.winners(board, state, moves)
    totals[DRAWS] += winners == 0
    for player in range(len(totals) - WINS):
        totals[WINS + player] += (winners >> player) & 1


def count_games(
    game: Game,
    position: Position | None,
    games: int,
    seed: int,
    threads: int,
    device: str,
    progress: Callable[[int, int], None] | None,
    backend: jit.Backend | None = None,
) -> Counts:
    """Run playouts on a device; `progress` is called with (games done, total games)."""
    seed = check_seed(seed)
    games = check_int("games", games, 1, 1 << 60)
    threads = check_int("threads", threads, 1, 1024)
    if check_choice("device", device, DEVICES) == "cpu":
        backend = backend or jit.default_backend()
        chunks = _chunks(games, threads, 64, 64 if backend.interpreted else 8192)
        work = partial(_count_chunk, backend, game, position, seed)
    else:
        chunks = _chunks(games, 1, 1 << 22, 1 << 26)
        work = partial(_count_chunk_cuda, game, position, seed)
        threads = 1
    return _sum_chunks(game, work, chunks, games, threads, progress)


def _chunks(games: int, threads: int, smallest: int, largest: int) -> Iterator[tuple[int, int]]:
    """Yield (first, count) of chunks: small at first, for early progress and a quick stop.

    With several threads also small at the end, to balance their load.
    """
    first, size = 0, smallest
    while first < games:
        rest = games - first
        count = min(size, rest, max(smallest, rest // (2 * threads)) if threads > 1 else rest)
        yield first, count
        first += count
        size = min(2 * size, largest)


def _sum_chunks(
    game: Game,
    work: Callable[[int, int], Counts],
    chunks: Iterator[tuple[int, int]],
    games: int,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> Counts:
    """Run the chunks on this many threads and return the sum of their counts."""
    total = Counts(0, 0, (0,) * len(game.players), 0)
    if threads == 1:
        for first, count in chunks:
            total += work(first, count)
            if progress:
                progress(total.games, games)
        return total
    with ThreadPoolExecutor(threads) as pool:
        running = {pool.submit(work, *chunk) for chunk in islice(chunks, threads)}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {pool.submit(work, *chunk) for chunk in islice(chunks, len(done))}
                for future in done:
                    total += future.result()
                    if progress:
                        progress(total.games, games)
        finally:
            pool.shutdown(cancel_futures=True)
    return total


def _count_chunk(
    backend: jit.Backend,
    game: Game,
    position: Position | None,
    seed: int,
    first: int,
    count: int,
) -> Counts:
    """Play the games range(first, first + count) on this thread."""
    states = backend.zero_records(1 if position is None else 2, game.layout.state)
    if position is not None:
        states[1] = backend.as_records(_record(position))[0]
    totals = backend.int_buffer(WINS + len(game.players))
    play = backend.specialize(play_games, game)
    play(
        backend.as_records(game.layout.board),
        states,
        backend.move_buffers(1, game.layout.max_moves)[0],
        totals,
        seed,
        first,
        first + count,
        1,
    )
    return _counts(count, totals)


def _count_chunk_cuda(
    game: Game, position: Position | None, seed: int, first: int, count: int
) -> Counts:
    """Play the same games on the GPU."""
    from teahouse.core.playouts_cuda import cuda_playouts

    states = np.zeros(1 if position is None else 2, game.layout.state)
    if position is not None:
        states[1] = _record(position)[0]
    play = cuda_playouts(game, len(states))
    return _counts(count, play(states, seed, first, first + count))


def _record(position: Position) -> np.ndarray:
    """Return the position's state as an array of one record."""
    return np.frombuffer(position.state, position.game.layout.state)


def _counts(games: int, totals: Sequence[int]) -> Counts:
    moves, draws, *wins = (int(total) for total in totals)
    return Counts(games, moves, tuple(wins), draws)
