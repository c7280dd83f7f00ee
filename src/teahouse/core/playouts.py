"""Uniformly random games, counted."""

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
from teahouse.core.random import advance, game_seed, generator
from teahouse.core.validate import check_choice, check_int, check_seed

if TYPE_CHECKING:
    from teahouse.core.position import Position

DEVICES = ("cpu", "cuda")
SETUP = 1 << 61  # told apart from the seed of the moves, so that the two do not go together


@dataclass(frozen=True)
class Counts:
    """How random games ended."""

    games: int
    moves: int
    wins: tuple[int, ...]
    """For each player, the games among whose winners they are."""
    draws: int

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.games + other.games,
            self.moves + other.moves,
            tuple(map(sum, zip(self.wins, other.wins, strict=True))),
            self.draws + other.draws,
        )


def play_out(board: Any, state: Any, moves: Any, seed: int) -> int:
    """Play random moves until the game is over; how many they were."""
    random = generator(seed)
    count = 0
    while not state.over:
        random = advance(random)
        rules.play(board, state, rules.random_move(board, state, moves, random))
        count += 1
    return count


def play_games(
    boards: Any, states: Any, moves: Any, totals: Any, seed: int, first: int, end: int, step: int
) -> None:
    """Play the games numbered range(first, end, step), from states[1] or afresh if there is none.

    Totals gain the decisions taken, the draws, and each player's wins.
    """
    board = boards[0]
    state = states[0]
    for game in range(first, end, step):
        own_seed = game_seed(seed, game)
        if len(states) == 1:
            rules.start(board, state, own_seed ^ SETUP)
        else:
            states[0] = states[1]
        totals[0] += play_out(board, state, moves, own_seed)
        winners = rules.winners(board, state, moves)
        totals[1] += winners == 0
        for player in range(len(totals) - 2):
            totals[2 + player] += (winners >> player) & 1


def count_games(
    game: Game,
    position: Position | None,
    games: int,
    seed: int,
    threads: int,
    device: str,
    progress: Callable[[int, int], None] | None,
) -> Counts:
    """Play the games on the device and add up; progress hears (games done, games in all)."""
    seed = check_seed(seed)
    games = check_int("games", games, 1, 1 << 60)
    threads = check_int("threads", threads, 1, 1024)
    if check_choice("device", device, DEVICES) == "cpu":
        chunks = _chunks(games, threads, 64, 64 if jit.interpreted() else 8192)
        work = partial(_count_chunk, game, position, seed)
    else:
        chunks = _chunks(games, 1, 1 << 22, 1 << 26)
        work = partial(_count_chunk_cuda, game, position, seed)
        threads = 1
    return _added(game, work, chunks, games, threads, progress)


def _chunks(games: int, threads: int, smallest: int, largest: int) -> Iterator[tuple[int, int]]:
    """Shares of the work: small ones first, so that progress is seen soon and a stop is quick.

    Small ones last too, so that no thread is left alone with a large one.
    """
    first, size = 0, smallest
    while first < games:
        left = games - first
        count = min(size, left, max(smallest, left // (2 * threads)) if threads > 1 else left)
        yield first, count
        first += count
        size = min(2 * size, largest)


def _added(
    game: Game,
    work: Callable[[int, int], Counts],
    chunks: Iterator[tuple[int, int]],
    games: int,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> Counts:
    """The sum over all chunks, worked on by this many threads at once."""
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
    game: Game, position: Position | None, seed: int, first: int, count: int
) -> Counts:
    """Games number first to first + count - 1, on this thread."""
    totals = jit.int_buffer(2 + len(game.players))
    play = jit.specialize(play_games, game)
    play(
        jit.as_records(game.layout.board),
        jit.as_records(_states(game, position)),
        jit.move_buffers(1, game.layout.max_moves)[0],
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
    """The same games on the GPU, each thread playing whole ones."""
    from teahouse.core.playouts_cuda import cuda_playouts

    states = _states(game, position)
    play = cuda_playouts(play_games, game, len(states))
    return _counts(count, play(states, seed, first, first + count))


def _states(game: Game, position: Position | None) -> np.ndarray:
    """Room for a game's state, and behind it the position to start from if there is one."""
    states = np.zeros(1 if position is None else 2, game.layout.state)
    if position is not None:
        states[1] = np.frombuffer(position.state, game.layout.state)[0]
    return states


def _counts(games: int, totals: Sequence[int]) -> Counts:
    moves, draws, *wins = (int(total) for total in totals)
    return Counts(games, moves, tuple(wins), draws)
