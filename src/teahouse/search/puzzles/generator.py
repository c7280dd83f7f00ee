"""Find puzzles: positions of games with one right move that is proven, tried by bots.

A folder keeps the work, so that an interrupted run goes on where it was: `setup.json` has the game
and its options, `games.jsonl` a line for each game that was searched, with the puzzles found in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
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
from teahouse.search.arena.schedule import opening
from teahouse.search.bot import Bot
from teahouse.search.puzzles.prover import Prover, Solution, UnprovenError
from teahouse.search.puzzles.rating import SEEDS, count_solved

SETUP = "setup.json"
MIN_LEGAL_MOVES = 3
MAX_PER_GAME = 3
PATIENCE = 3  # positions in a row that are not proven, before a game is left
BOT_LEVELS = (2, 3, 4, 5)
OPENING_PLIES = 4


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
                games[data["game"]] = [Candidate(**found) for found in data["found"]]
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
    """Return a game between bots of levels drawn by the seed, after a random opening."""
    record = Record.new(game, seed)
    for move in opening(record.position, OPENING_PLIES, seed):
        record.play(move)
    bots = [
        Bot(game, BOT_LEVELS[game_seed(seed, seat) % len(BOT_LEVELS)], seed=game_seed(seed, seat))
        for seat in range(len(game.players))
    ]
    while not record.position.over:
        record.play(bots[record.position.player].choose(record.position))
    return record


def search_games(
    game: Game,
    sources: Iterable[Source],
    folder: WorkFolder,
    progress: Callable[[list[Candidate]], None],
    cancel: Event,
) -> None:
    """Search games that are not in the folder yet, and add them to it.

    Records that cannot be read and those of other games or options are left out.
    """
    done = folder.read()
    for name, read in sources:
        if cancel.is_set():
            return
        found = done.get(name)
        if found is None:
            found = _search(game, read)
            folder.add(name, found)
        progress(found)


def _search(game: Game, read: Callable[[], Record]) -> list[Candidate]:
    try:
        record = read()
    except (RecordError, UnicodeDecodeError):
        return []
    if record.game != game:
        return []
    return [_candidate(record, position, solved) for position, solved in find_puzzles(record)]


def find_puzzles(record: Record) -> list[tuple[Position, Solution]]:
    """Return positions of a game with one right move, from its end back as far as is proven."""
    found: list[tuple[Position, Solution]] = []
    unproven = 0
    prover = Prover(record.positions[0])
    for position in reversed(record.positions):
        if position.over or len(position.legal) == 1:
            continue
        try:
            solution = prover.solve(position)
        except UnprovenError:
            unproven += 1
            if unproven == PATIENCE:
                break
            continue
        unproven = 0
        if solution and len(position.legal) >= MIN_LEGAL_MOVES:
            found.append((position, solution))
    return _independent(found)[:MAX_PER_GAME]


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
