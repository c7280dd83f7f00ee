"""Uniformly random games, counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from teahouse.core import compiling
from teahouse.core.compiling import rules
from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game, checked_seed
from teahouse.core.random import advance, below, game_seed, generator

if TYPE_CHECKING:
    from teahouse.core.position import Position

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
        choices = rules.legal(board, state, moves)
        random = advance(random)
        rules.play(board, state, moves[below(random, choices)])
        count += 1
    return count


def play_games(
    boards: Any, states: Any, moves: Any, totals: Any, seed: int, first: int, count: int
) -> None:
    """Play games number first to first + count - 1 from states[1], or afresh if there is none.

    Totals are the decisions taken, the draws, and each player's wins.
    """
    board = boards[0]
    state = states[0]
    for game in range(first, first + count):
        own_seed = game_seed(seed, game)
        if len(states) == 1:
            rules.start(board, state, own_seed ^ SETUP)
        else:
            states[0] = states[1]
        totals[0] += play_out(board, state, moves, own_seed)
        totals[1] += state.winners == 0
        for player in range(len(totals) - 2):
            totals[2 + player] += (state.winners >> player) & 1


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
    seed = checked_seed(seed)
    games = _positive("games", games, 1 << 60)
    threads = _positive("threads", threads, 1024)
    if device == "cuda":
        from teahouse.core.playouts_cuda import count_chunk

        work = lambda first, count: count_chunk(game, position, seed, first, count)  # noqa: E731
        return _added(game, work, _chunks(games, 1 << 24, 1 << 24), games, 1, progress)
    if device != "cpu":
        raise OptionError(f"device is one of cpu, cuda, not {quoted(device)}")
    work = lambda first, count: _count_chunk(game, position, seed, first, count)  # noqa: E731
    return _added(
        game,
        work,
        _chunks(games, 64, 64 if compiling.interpreted() else 8192),
        games,
        threads,
        progress,
    )


def _positive(name: str, value: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
        raise OptionError(f"{name} is a whole number from 1 to {most}, not {quoted(value)}")
    return int(value)


def _chunks(games: int, smallest: int, largest: int) -> Iterator[tuple[int, int]]:
    """Shares of the work: small ones first, so that progress is seen soon and a stop is quick."""
    first, size = 0, smallest
    while first < games:
        count = min(size, games - first)
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
    states = np.zeros(1 if position is None else 2, game.layout.state)
    if position is not None:
        states[1] = np.frombuffer(position.state, game.layout.state)[0]
    totals = compiling.numbers(2 + len(game.players))
    play = compiling.ready(play_games, game.rules)
    play(
        compiling.records(game.layout.board),
        compiling.records(states),
        compiling.move_lists(1, game.layout.most_moves)[0],
        totals,
        seed,
        first,
        count,
    )
    moves, draws, *wins = (int(total) for total in totals)
    return Counts(count, moves, tuple(wins), draws)
