"""Find puzzles: positions of games with one right move that is proven, tried by bots.

A folder keeps the work, so that an interrupted run goes on where it was: `setup.json` has the game
and its options, `games.jsonl` a line for each game that was searched, with the puzzles found in it.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from threading import Event

from teahouse.core.catalog import load
from teahouse.core.errors import RecordError
from teahouse.core.files import write_atomic
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import game_seed
from teahouse.core.record import Record
from teahouse.search.bot import Bot
from teahouse.search.puzzles.prover import (
    MAX_SEARCH_MOVES,
    Prover,
    Solution,
    UnprovenError,
)
from teahouse.search.puzzles.rating import SEEDS, count_solved, guess_chance

SETUP = "setup.json"
MAX_GUESS = 1 / 3  # chance to find the right moves by random ones
MAX_PER_GAME = 5
MAX_BESIDE = 6  # moves that were not played in a position, after which a puzzle is looked for
PATIENCE = 3  # positions in a row that are not proven, before a game is left
BOT_LEVELS = (2, 3, 4, 5)
RANDOM_SHARES = (0.1, 0.3, 0.6)  # of a bot's moves


Source = tuple[str, Callable[[], Record]]
"""A game's name in the work folder, and the function that returns its record."""


@dataclass(frozen=True)
class Candidate:
    """A proven puzzle, and how many runs of the bots of each level have solved it."""

    position: str
    goal: str
    line: str
    then: str
    replies: str
    solved: tuple[int, ...]
    seeds: int
    plies_left: int
    """Of the game that it comes from."""


class WorkFolder:
    """The games searched so far, and the puzzles found in them."""

    def __init__(self, folder: Path, game: Game) -> None:
        """Create the folder if there is none; it is for this game with its options."""
        folder.mkdir(parents=True, exist_ok=True)
        self.game = game
        self._path = folder / "games.jsonl"
        write_atomic(folder / SETUP, json.dumps({"game": game.name, "options": game.options}))

    @staticmethod
    def open(folder: Path) -> WorkFolder | None:
        """Return a folder that was created before; None if it was not."""
        setup = folder / SETUP
        if not setup.is_file():
            return None
        data = json.loads(setup.read_text(encoding="utf-8"))
        return WorkFolder(folder, load(data["game"], **data["options"]))

    def read(self) -> dict[str, list[Candidate]]:
        """Return the puzzles found in each game; drop an incomplete last line."""
        if not self._path.exists():
            return {}
        text = self._path.read_text(encoding="utf-8")
        complete = text[: text.rfind("\n") + 1]
        if complete != text:
            write_atomic(self._path, complete)
        games = {}
        for number, line in enumerate(complete.splitlines(), 1):
            try:
                data = json.loads(line)
                games[data["game"]] = [
                    Candidate(**{**found, "solved": tuple(found["solved"])})
                    for found in data["found"]
                ]
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{self._path}, line {number}: {error}") from None
        return games

    def add(self, name: str, found: list[Candidate]) -> None:
        """Append a game."""
        line = json.dumps({"game": name, "found": [asdict(one) for one in found]})
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
            file.flush()
            os.fsync(file.fileno())


def record_games(folders: Iterable[Path]) -> Iterator[Source]:
    """Yield the records below some folders, as arenas write them."""

    def read(path: Path) -> Record:
        return Record.parse(path.read_text(encoding="utf-8"))

    for folder in folders:
        for path in sorted(folder.rglob("*.txt")):
            yield str(path), partial(read, path)


def bot_games(game: Game, count: int, seed: int) -> Iterator[Source]:
    """Yield games between bots."""
    for number in range(count):
        yield f"bots {seed} {number}", partial(play_game, game, game_seed(seed, number))


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
    sources: Iterable[Source],
    folder: WorkFolder,
    progress: Callable[[list[Candidate]], None],
    cancel: Event,
    effort: int = MAX_SEARCH_MOVES,
) -> None:
    """Search games that are not in the folder yet, and add them to it.

    `effort` limits the moves that each proof may generate.
    Records that cannot be read and those of other games or options are left out.
    """
    done = folder.read()
    for name, read in sources:
        if cancel.is_set():
            return
        found = done.get(name)
        if found is None:
            found = _search(game, read, effort)
            folder.add(name, found)
        progress(found)


def _search(game: Game, read: Callable[[], Record], effort: int) -> list[Candidate]:
    try:
        record = read()
    except (RecordError, UnicodeDecodeError):
        return []
    if record.game != game:
        return []
    return [_candidate(record, at, solved) for at, solved in find_puzzles(record, effort)]


def find_puzzles(record: Record, effort: int = MAX_SEARCH_MOVES) -> list[tuple[Position, Solution]]:
    """Return positions with one right move, from a game's end back as far as is proven.

    They are those of the game, and some that other moves would have led to.
    """
    found: list[tuple[Position, Solution]] = []
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
        for beside in _beside(position, played.get(position.ply)):
            with suppress(UnprovenError):
                found += _solved(prover, beside)
    return _independent(found)[:MAX_PER_GAME]


def _solved(prover: Prover, position: Position) -> list[tuple[Position, Solution]]:
    """Return a position with its solution, if it is a puzzle."""
    solution = prover.solve(position)
    if solution is None or guess_chance(position, solution.line) > MAX_GUESS:
        return []
    return [(position, solution)]


def _beside(position: Position, played: str | None) -> Iterator[Position]:
    """Yield positions that other moves would have led to, from all parts of the list of moves."""
    others = [move for move in position.legal if move != played]
    for move in others[:: 1 + len(others) // MAX_BESIDE]:
        child = position.play(move)
        if not child.over:
            yield child


def _independent(
    found: Iterable[tuple[Position, Solution]],
) -> list[tuple[Position, Solution]]:
    """Return puzzles with different answers, none part of another's solution, long ones first."""
    kept: list[tuple[Position, Solution]] = []
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


def _candidate(record: Record, position: Position, solution: Solution) -> Candidate:
    """Let bots of all levels try a puzzle."""
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
