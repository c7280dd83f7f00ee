"""Puzzle generator: search games for positions with a single proven move; rate them by bots."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from teahouse.core.errors import RecordError
from teahouse.core.executor import Executor, Job, LocalExecutor
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import game_seed
from teahouse.core.record import Record
from teahouse.search.bot import Bot
from teahouse.search.puzzles.prover import (
    MAX_SEARCH_MOVES,
    Prover,
    PuzzleSolution,
    UnprovenError,
)
from teahouse.search.puzzles.rating import RATED_LEVELS, SEEDS, count_solved, guess_chance
from teahouse.search.puzzles.work_folder import Candidate, SearchedGame, WorkFolder

MAX_GUESS = 1 / 3  # highest chance of solving a puzzle by random moves
MAX_PER_GAME = 5
MAX_SIBLINGS = 6  # alternative moves per position after which to search
PATIENCE = 3  # unproven positions in a row after which a game is abandoned
BOT_LEVELS = (2, 3, 4, 5)
RANDOM_SHARES = (0.1, 0.3, 0.6)  # share of random moves of a bot


@dataclass(frozen=True)
class GameSource:
    """A game to search: a record, or the game between bots with a seed."""

    name: str
    """In the work folder."""
    path: Path | None = None
    seed: int = 0

    def read(self) -> str | None:
        """Return the text of the record; None for a game between bots."""
        if self.path is None:
            return None
        return self.path.read_text(encoding="utf-8", errors="replace")


def record_games(folders: Iterable[Path]) -> Iterator[GameSource]:
    """Yield the records below some folders, as arenas write them."""
    for folder in folders:
        for path in sorted(folder.rglob("*.txt")):
            yield GameSource(str(path), path)


def bot_games(count: int, seed: int) -> Iterator[GameSource]:
    """Yield games between bots."""
    for number in range(count):
        yield GameSource(f"bots {seed} {number}", seed=game_seed(seed, number))


def play_game(game: Game, seed: int) -> Record:
    """Return a game between bots that play some moves at random, so that both make mistakes."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    record = Record.new(game, seed)
    shares = [rng.choice(RANDOM_SHARES) for _ in game.players]
    bots = [Bot(game, rng.choice(BOT_LEVELS), seed=game_seed(seed, 0)) for _ in game.players]
    while not record.position.over:
        position = record.position
        if rng.random() < shares[position.player]:
            record.play(rng.choice(position.legal))
        else:
            record.play(bots[position.player].choose(position))
    return record


def search_games(
    game: Game,
    sources: Iterable[GameSource],
    folder: WorkFolder,
    progress: Callable[[list[Candidate]], None],
    cancel: Event,
    effort: int = MAX_SEARCH_MOVES,
    executor: Executor | None = None,
) -> None:
    """Search games that are not in the folder yet with this effort or more, and add them to it.

    `effort` limits the moves that each proof may generate. `executor` searches the games, by
    default this process.
    Records that cannot be read and those of other games or options are left out.
    """
    done = folder.read()
    missing = []
    for source in sources:
        searched_before = done.get(source.name)
        if searched_before is not None and searched_before.effort >= effort:
            progress(searched_before.found)
        else:
            missing.append(source)
    tasks = (PuzzleTask(source.name, source.read(), source.seed) for source in missing)
    searched = (executor or LocalExecutor()).map(PuzzleSearch(game, effort), tasks, cancel)
    with closing(searched):
        for task, found in searched:
            folder.add(task.name, SearchedGame(effort, found))
            progress(found)


@dataclass(frozen=True)
class PuzzleTask:
    """A game to search, with the text of its record; the bots play it if there is none."""

    name: str
    text: str | None
    seed: int


@dataclass(frozen=True)
class PuzzleSearch(Job[PuzzleTask, list[Candidate]]):
    """Searches games for puzzles."""

    game: Game
    effort: int

    def prepare(self) -> None:
        """Load the kernels of the bots."""
        for level in RATED_LEVELS:
            Bot(self.game, level, seed=0).choose(self.game.start())

    def run(self, task: PuzzleTask) -> list[Candidate]:
        """Return the puzzles of a game."""
        if task.text is None:
            record = play_game(self.game, task.seed)
        else:
            try:
                record = Record.parse(task.text)
            except RecordError:
                return []
        if record.game != self.game:
            return []
        found = find_puzzles(record, self.effort)
        return [_candidate(record, at, solved) for at, solved in found]


def find_puzzles(
    record: Record, effort: int = MAX_SEARCH_MOVES
) -> list[tuple[Position, PuzzleSolution]]:
    """Return positions with one right move, from a game's end back as far as is proven.

    They are those of the game, and some that other moves would have led to.
    """
    found: list[tuple[Position, PuzzleSolution]] = []
    unproven = 0
    prover = Prover(record.positions[0], effort)
    played = {at.ply: move for at, move in zip(record.positions, record.moves, strict=False)}
    for position in reversed(record.positions):
        if position.over or len(position.legal) == 1:
            continue
        try:
            found += _solved(prover, position)
        except UnprovenError:
            unproven += 1
            if unproven == PATIENCE:
                break
            continue
        unproven = 0
        for sibling in _siblings(position, played.get(position.ply)):
            with suppress(UnprovenError):
                found += _solved(prover, sibling)
    return _independent(found)[:MAX_PER_GAME]


def _solved(prover: Prover, position: Position) -> list[tuple[Position, PuzzleSolution]]:
    """Return a position with its solution, if it is a puzzle."""
    solution = prover.solve(position)
    if solution is None or guess_chance(position, solution.line) > MAX_GUESS:
        return []
    return [(position, solution)]


def _siblings(position: Position, played: str | None) -> Iterator[Position]:
    """Yield the positions after some moves that were not played, spread over the move list."""
    others = [move for move in position.legal if move != played]
    for move in others[:: 1 + len(others) // MAX_SIBLINGS]:
        child = position.play(move)
        if not child.over:
            yield child


def _independent(
    found: Iterable[tuple[Position, PuzzleSolution]],
) -> list[tuple[Position, PuzzleSolution]]:
    """Return puzzles with different answers, none part of another's solution, long ones first."""
    kept: list[tuple[Position, PuzzleSolution]] = []
    covered: set[bytes] = set()
    answers: set[str] = set()
    for position, solution in sorted(found, key=lambda one: -len(one[1].line)):
        if position.state in covered or solution.line[0] in answers:
            continue
        kept.append((position, solution))
        answers.add(solution.line[0])
        reached = position
        for move in solution.line:
            covered.add(reached.state)
            reached = reached.play(move)
    return kept


def _candidate(record: Record, position: Position, solution: PuzzleSolution) -> Candidate:
    """Return a candidate with the number of bots of each level that solve it."""
    return Candidate(
        str(position),
        solution.goal,
        " ".join(solution.line),
        " ".join(solution.continuation),
        " ".join(solution.replies),
        count_solved(position, solution.line),
        SEEDS,
        record.position.ply - position.ply,
    )
