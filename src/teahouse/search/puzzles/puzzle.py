"""The puzzles of a game: `puzzles.jsonl` in its folder, a JSON object for each.

position  the position's text
options   options that differ from their defaults, as `name=value`; left out if there are none
goal      `win`, or `no loss`
line      the right moves, each the only one, with the replies in between
then      best play after the line
replies   what refutes each legal move, in their order; `-` for none
rating    how hard it is, on the scale of the levels' ratings
themes    names of themes
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from hashlib import sha256

from teahouse.core.catalog import exact_name, load
from teahouse.core.errors import OptionError
from teahouse.core.game import Game
from teahouse.core.options import parse_options
from teahouse.core.packages import game_text
from teahouse.core.position import Position
from teahouse.search.puzzles.prover import NO_REPLY
from teahouse.search.suite import WIN, changed_options

FILE = "puzzles.jsonl"


@dataclass(frozen=True)
class Puzzle:
    """A position in which exactly one move wins, or exactly one does not lose."""

    game: str
    """The game's name."""
    number: int
    """Its place in the game's list, from 1."""
    options: str
    """Options that differ from their defaults, as `name=value`."""
    start: str
    """The position's text."""
    goal: str
    """`win`, or `no loss`."""
    line: tuple[str, ...]
    """The right moves, each the only one, with the replies in between."""
    then: tuple[str, ...]
    """Best play after the line."""
    replies: tuple[str, ...]
    """What refutes each legal move, in their order; `-` for none."""
    rating: int
    """How hard it is, on the scale of the levels' ratings."""
    themes: tuple[str, ...]
    """Names of themes: what is typical of it."""

    @cached_property
    def position(self) -> Position:
        """The position to solve."""
        return load(self.game, **parse_options(self.options.split())).position(self.start)

    @property
    def task(self) -> str:
        """What to find, as a sentence."""
        who = self.position.game.players[self.position.player]
        if self.goal == WIN:
            return f"{who} to move: find the only winning move."
        return f"{who} to move: find the only move that does not lose."

    def reply(self, move: str) -> str | None:
        """Return the reply that refutes a wrong move of the position, if one is known."""
        found = dict(zip(self.position.legal, self.replies, strict=False)).get(move, NO_REPLY)
        return None if found == NO_REPLY else found

    def text(self) -> str:
        """Return the puzzle as a line of `puzzles.jsonl`."""
        data = {
            "position": self.start,
            "options": self.options,
            "goal": self.goal,
            "line": " ".join(self.line),
            "then": " ".join(self.then),
            "replies": " ".join(self.replies),
            "rating": self.rating,
            "themes": " ".join(self.themes),
        }
        kept = {name: value for name, value in data.items() if value != ""}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def parse_puzzle(game: str, number: int, text: str) -> Puzzle:
    """Parse a line of a game's `puzzles.jsonl`."""
    data = json.loads(text)
    return Puzzle(
        game,
        number,
        data.get("options", ""),
        data["position"],
        data["goal"],
        tuple(data["line"].split()),
        tuple(data.get("then", "").split()),
        tuple(data.get("replies", "").split()),
        data["rating"],
        tuple(data["themes"].split()),
    )


def puzzles(game: str | Game) -> tuple[Puzzle, ...]:
    """Return the puzzles of a game, in the order of their numbers; none without a file."""
    return _read(game.name if isinstance(game, Game) else exact_name(game))


@cache
def _read(name: str) -> tuple[Puzzle, ...]:
    lines = (game_text(name, FILE) or "").splitlines()
    return tuple(parse_puzzle(name, number, line) for number, line in enumerate(lines, 1))


def puzzle(game: str, number: int) -> Puzzle:
    """Return a puzzle by its number; raise `OptionError` if there is none."""
    found = puzzles(game)
    if not 1 <= number <= len(found):
        raise OptionError(
            f"There is no puzzle {number} of {game}; "
            + (f"numbers: 1 to {len(found)}." if found else "the game has no puzzles.")
        )
    return found[number - 1]


def daily_puzzle(games: tuple[str, ...], day: date) -> Puzzle:
    """Return the puzzle of a day: the same for everybody, the games in turn, none very hard."""
    name = games[day.toordinal() % len(games)]
    digest = sha256(f"{name} {day.isoformat()}".encode()).digest()
    by_rating = sorted(puzzles(name), key=lambda one: one.rating)
    middle = by_rating[len(by_rating) // 4 : 3 * len(by_rating) // 4] or by_rating
    return middle[int.from_bytes(digest[:8]) % len(middle)]


def options_text(position: Position) -> str:
    """Return the options of a puzzle's game as its file has them."""
    text = changed_options(position.game)
    return "" if text == "-" else text
