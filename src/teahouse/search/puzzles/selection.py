"""Select puzzles for a game's file: rated, without symmetric ones, spread over all ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from teahouse.core.canonical import canonical_key
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.search.puzzles.puzzle import Puzzle, options_text
from teahouse.search.puzzles.rating import fit_rating, guess_chance, level_elos, own_moves
from teahouse.search.puzzles.themes import EASY, find_themes
from teahouse.search.puzzles.work_folder import Candidate

MAX_BYTES = 60_000
BAND = 100  # width of a rating band; bands get about the same number of puzzles
EASY_SHARE = (0.1, 0.3)  # share of easy puzzles: usual, and if others are few


def select(found: Iterable[tuple[Game, Candidate]], count: int) -> list[Puzzle]:
    """Return about `count` puzzles in the order of their ratings."""
    puzzles = _distinct(found)
    easy = [puzzle for puzzle in puzzles if EASY in puzzle.themes]
    hard = _balance_bands([puzzle for puzzle in puzzles if EASY not in puzzle.themes], count)
    easy_count = round(min(EASY_SHARE[1] * count, max(EASY_SHARE[0] * count, count - len(hard))))
    chosen = _balance_bands(easy, easy_count)
    chosen += hard[: count - len(chosen)]
    return _numbered(sorted(_fitting(chosen), key=lambda one: (one.rating, one.start)))


def _distinct(found: Iterable[tuple[Game, Candidate]]) -> list[Puzzle]:
    """Return the candidates as puzzles, without duplicates by symmetry."""
    seen = set()
    kept = []
    for game, candidate in found:
        position = game.position(candidate.position)
        key = (game, canonical_key(position))
        if key in seen:
            continue
        seen.add(key)
        line = candidate.line.split()
        elos, guess = level_elos(game), guess_chance(position, line)
        puzzle = Puzzle(
            game.name,
            0,
            options_text(position),
            candidate.position,
            candidate.goal,
            tuple(line),
            tuple(candidate.then.split()),
            tuple(candidate.replies.split()),
            fit_rating(candidate.solved, candidate.seeds, guess, elos),
            _themes(position, candidate),
        )
        kept.append(puzzle)
    return kept


def _themes(position: Position, candidate: Candidate) -> tuple[str, ...]:
    """Return the themes of a candidate; it is easy if all bots solve it with every seed."""
    line = candidate.line.split()
    found = find_themes(position, candidate.goal, line, candidate.plies_left)
    return (*found, EASY) if min(candidate.solved) == candidate.seeds else found


def _balance_bands(puzzles: Sequence[Puzzle], count: int) -> list[Puzzle]:
    """Return puzzles from all bands of ratings in turn, those with the most to find first."""
    bands: dict[int, list[Puzzle]] = defaultdict(list)
    for puzzle in sorted(puzzles, key=_interest, reverse=True):
        bands[puzzle.rating // BAND].append(puzzle)
    chosen: list[Puzzle] = []
    while len(chosen) < count and any(bands.values()):
        for band in sorted(bands):
            if bands[band] and len(chosen) < count:
                chosen.append(bands[band].pop(0))
    return chosen


def _interest(puzzle: Puzzle) -> tuple[bool, int, int, str]:
    """Return a sort key for how interesting a puzzle is."""
    moves = len(own_moves(puzzle.position, puzzle.line))
    return not puzzle.options, moves, len(puzzle.position.legal), puzzle.start


def _fitting(chosen: Iterable[Puzzle]) -> list[Puzzle]:
    """Return the puzzles that fit into the size limit of a file."""
    kept, size = [], 0
    for puzzle in chosen:
        size += len(puzzle.text().encode()) + 1
        if size <= MAX_BYTES:
            kept.append(puzzle)
    return kept


def _numbered(puzzles: Sequence[Puzzle]) -> list[Puzzle]:
    return [replace(puzzle, number=number) for number, puzzle in enumerate(puzzles, 1)]
