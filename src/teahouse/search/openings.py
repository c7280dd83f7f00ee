"""Opening tables: how often each move of an opening was played, and how it scored.

A game's `openings.txt` is a table of bots' games, written by `teahouse openings GAME --build`:

    > side=4 ; 600 ; level4, level5
    7f3a… 91bc…:120/61/2 02de…:38/20/0

`>` begins the table of a game with its options: these, the number of games, and who played them.
Each other line is a position and, for each move, the position after it, its games, and the
results: wins of the player who moved (in games of more than two sides of each following side as
well), and draws. Positions are keys that transpositions and mirror images share; a random setup
does not count.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from teahouse.core.canonical import canonical_key
from teahouse.core.catalog import load
from teahouse.core.errors import OptionError
from teahouse.core.game import Game
from teahouse.core.options import format_options, parse_options
from teahouse.core.packages import game_text
from teahouse.core.position import Position
from teahouse.core.record import Record
from teahouse.core.result import DRAW, UNFINISHED

FILE = "openings.txt"
PLIES = 24
"""Moves of a game that count as its opening."""
MIN_GAMES = 2
"""Games in which a move has to be played to be kept."""
MAX_BYTES = 100_000
"""Size of a game's file; rarer moves are dropped until it fits."""
KEY_LENGTH = 12
DRAWN = -1
"""The outcome of a draw; other outcomes count sides from the one that moved."""
OPENING_TAG = "Opening"
"""The tag of a match's record with the number of its random plies."""


@dataclass
class MoveResults:
    """The results of the games in which a move was played."""

    outcomes: Counter[int] = field(default_factory=Counter)
    """Games by their outcome: `DRAWN`, 0 if the side that moved won, 1 if the next one did, …"""

    @property
    def games(self) -> int:
        return self.outcomes.total()


Moves = dict[str, MoveResults]
"""The results of the moves of a position, by the key of the position after them."""


@dataclass
class OpeningTable:
    """The opening moves of a game with its options."""

    game: Game
    games: int = 0
    players: str = ""
    positions: dict[str, Moves] = field(default_factory=lambda: defaultdict(dict))

    def add(self, position: str, after: str, outcome: int, games: int = 1) -> None:
        """Count games in which a move was played."""
        self.positions[position].setdefault(after, MoveResults()).outcomes[outcome] += games


@dataclass(frozen=True)
class OpeningMove:
    """A move from a position with its results, and its mirror images."""

    move: str
    images: tuple[str, ...]
    """Moves that lead to mirror images of the same position."""
    games: int
    wins: tuple[int, ...]
    """Games won by each side, in the order of `game.teams`."""
    draws: int


def opening_key(position: Position) -> str:
    """Return the key of a position in opening tables."""
    return canonical_key(position, _setup_planes(position.game))[:KEY_LENGTH]


@lru_cache(maxsize=64)
def _setup_planes(game: Game) -> tuple[int, ...]:
    """Return the planes in which the starts of a game with a random setup differ."""
    starts = {position.state: position for position in (game.start(seed) for seed in range(32))}
    if len(starts) == 1:
        return ()
    try:
        planes = np.array([start.planes() for start in starts.values()])
    except OptionError:
        return ()
    return tuple(np.flatnonzero((planes != planes[0]).any(axis=(0, 2, 3))).tolist())


def after_moves(position: Position) -> dict[str, list[str]]:
    """Return the moves to each position that can be reached in one move, by its key."""
    found: dict[str, list[str]] = defaultdict(list)
    for move in position.legal:
        found[opening_key(position.play(move))].append(move)
    return found


def played_moves(
    positions: Sequence[Position], result: str, first: int = 0
) -> Iterator[tuple[str, str, int]]:
    """Yield the opening moves of a finished game from a ply on: both keys and the outcome.

    Moves of a game without a result are not counted.
    """
    if result == UNFINISHED:
        return
    game = positions[0].game
    winner = None if result == DRAW else game.side(game.players.index(result.split("+")[0]))
    opening = positions[first : PLIES + 1]
    keys = [opening_key(position) for position in opening]
    for position, key, after in zip(opening, keys, keys[1:], strict=False):
        side = game.side(position.player)
        yield key, after, DRAWN if winner is None else (winner - side) % len(game.teams)


def listed_moves(position: Position, moves: Mapping[str, MoveResults]) -> list[OpeningMove]:
    """Return the moves of a position with their results, the most frequent first."""
    game = position.game
    after = after_moves(position) if moves else {}
    return sort_moves(after, moves, game.side(position.player), len(game.teams))


def sort_moves(
    after: Mapping[str, Sequence[str]], moves: Mapping[str, MoveResults], side: int, sides: int
) -> list[OpeningMove]:
    """Return the moves to known positions with their results, the most frequent first.

    `after` is what `after_moves` returns, `side` the one to move of a number of sides.
    """
    found = [
        OpeningMove(
            names[0],
            tuple(names[1:]),
            moves[key].games,
            tuple(moves[key].outcomes[(one - side) % sides] for one in range(sides)),
            moves[key].outcomes[DRAWN],
        )
        for key, names in after.items()
        if key in moves
    ]
    return sorted(found, key=lambda one: -one.games)


def random_plies(record: Record) -> int:
    """Return the number of random moves that a record of a match begins with."""
    text = record.tags.get(OPENING_TAG, "")
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else 0


def build_tables(records: Iterable[Record]) -> list[OpeningTable]:
    """Return a table for each game and its options among the records."""
    tables: dict[Game, OpeningTable] = {}
    players: dict[Game, set[str]] = defaultdict(set)
    for record in records:
        table = tables.setdefault(record.game, OpeningTable(record.game))
        opening = record.positions[: PLIES + 1]
        moves = list(played_moves(opening, record.result, random_plies(record)))
        if moves:
            table.games += 1
            players[record.game].update(record.names.values())
        for position, after, outcome in moves:
            table.add(position, after, outcome)
    for game, table in tables.items():
        table.players = ", ".join(sorted(players[game]))
    return sorted(tables.values(), key=lambda one: format_options(one.game.options))


def format_tables(tables: Iterable[OpeningTable], max_bytes: int = MAX_BYTES) -> str:
    """Return tables as text, without the rarest moves so that it has at most `max_bytes`.

    Games with an option of several lines, such as a drawing, are left out.
    """
    kept = [table for table in tables if "\n" not in format_options(table.game.options)]
    moves = (one for table in kept for found in table.positions.values() for one in found.values())
    most = max((one.games for one in moves), default=0)
    text = ""
    for fewest in range(MIN_GAMES, max(MIN_GAMES, most) + 2):
        text = "".join(_lines(table, fewest) for table in kept)
        if len(text.encode()) <= max_bytes:
            break
    return text


def _lines(table: OpeningTable, fewest: int) -> str:
    """Return the positions that moves of at least `fewest` games reach from the start."""
    sides = len(table.game.teams)
    options = format_options(table.game.options, " ")
    lines = [f"> {options or '-'} ; {table.games} ; {table.players}\n"]
    queue, seen = _roots(table), set()
    while queue:
        position = queue.pop(0)
        if position in seen:
            continue
        seen.add(position)
        moves = table.positions.get(position, {})
        frequent = sorted(
            (key for key in moves if moves[key].games >= fewest),
            key=lambda key: (-moves[key].games, key),
        )
        if frequent:
            texts = (f"{key}:{_results_text(moves[key], sides)}" for key in frequent)
            lines.append(f"{position} {' '.join(texts)}\n")
        queue += frequent
    return "".join(lines)


def _roots(table: OpeningTable) -> list[str]:
    """Return the positions where moves begin to be counted, the start first."""
    reached = {after for moves in table.positions.values() for after in moves}
    start = opening_key(table.game.start())
    return [start, *sorted(table.positions.keys() - reached - {start})]


def _results_text(results: MoveResults, sides: int) -> str:
    """Return the games, the wins of all sides but the last, and the draws."""
    wins = (results.outcomes[side] for side in range(sides - 1))
    return "/".join(map(str, (results.games, *wins, results.outcomes[DRAWN])))


def parse_tables(name: str, text: str) -> dict[Game, OpeningTable]:
    """Parse a game's `openings.txt`; raise `ValueError` if it is malformed."""
    tables: dict[Game, OpeningTable] = {}
    table: OpeningTable | None = None
    for line in text.splitlines():
        if line.startswith("> "):
            options, games, players = line[2:].split(" ; ", 2)
            given = parse_options(one for one in options.split(" ") if one != "-")
            table = OpeningTable(load(name, **given), int(games), players)
            tables[table.game] = table
        elif line:
            if table is None:
                raise ValueError(f"{FILE} of {name} must begin with a line of options.")
            position, *moves = line.split(" ")
            for move in moves:
                after, _, results = move.partition(":")
                total, *wins, draws = map(int, results.split("/"))
                counts = [*wins, total - sum(wins) - draws]
                for outcome, games_won in (*enumerate(counts), (DRAWN, draws)):
                    table.add(position, after, outcome, games_won)
    return tables


@lru_cache(maxsize=16)
def bots_tables(name: str) -> dict[Game, OpeningTable]:
    """Return the opening tables in a game's folder, by the game with its options."""
    return parse_tables(name, game_text(name, FILE) or "")


def bots_moves(position: Position) -> Moves:
    """Return the results of bots' moves in a position, by the key of the position after them."""
    table = bots_tables(position.game.name).get(position.game)
    return {} if table is None else table.positions.get(opening_key(position), {})
