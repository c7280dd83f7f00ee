"""A folder that stores the puzzles found so far, so that an interrupted run can resume.

setup.json    the game and its options
games.jsonl   a line for each search of a game, with its effort and the puzzles found; the last line
              of a game counts
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from teahouse.core.catalog import load
from teahouse.core.errors import OptionError
from teahouse.core.files import append_line, complete_lines, write_atomic
from teahouse.core.game import Game
from teahouse.search.puzzles.prover import MAX_SEARCH_MOVES

SETUP = "setup.json"


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


@dataclass(frozen=True)
class SearchedGame:
    """A game that was searched: the moves that each proof could generate, and what was found."""

    effort: int
    found: list[Candidate]


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

    def read(self) -> dict[str, SearchedGame]:
        """Return the games by name; drop an incomplete last line."""
        games = {}
        for number, line in enumerate(complete_lines(self._path), 1):
            try:
                data = json.loads(line)
                games[data["game"]] = SearchedGame(
                    int(data.get("effort", MAX_SEARCH_MOVES)),  # older folders do not store it
                    [
                        Candidate(**{**found, "solved": tuple(found["solved"])})
                        for found in data["found"]
                    ],
                )
            except (ValueError, KeyError, TypeError) as error:
                raise OptionError(
                    f"{self._path}, line {number} is no searched game ({error}); delete the file or"
                    " choose another folder."
                ) from None
        return games

    def add(self, name: str, game: SearchedGame) -> None:
        """Append a game."""
        line = {"game": name, **asdict(game)}
        append_line(self._path, json.dumps(line))
