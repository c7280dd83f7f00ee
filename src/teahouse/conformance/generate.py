"""Write the generated files of a game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from teahouse.conformance.samples import random_game, variants
from teahouse.conformance.studying import parse_position, perft_lines, search_signature
from teahouse.core.catalog import load
from teahouse.core.files import write_atomic
from teahouse.core.packages import game_file
from teahouse.core.perft import perft
from teahouse.core.position import Position
from teahouse.search.suite import changed_options

MAX_NODES = 50_000
"""Perft counts stop at the depth that is estimated to exceed this."""
MAX_DEPTH = 6
MIDDLE_POSITIONS = 2
PERFT_HEADER = (
    "# Perft counts. Each line: options ; position (or start) ; counts for depth 1, 2, 3 …\n"
)


def write_perft(name: str) -> Path:
    """Write `perft.txt`: count the positions that it has, or those of a first choice."""
    lines = [" ; ".join(_recount(name, line)) for line in perft_lines(name)]
    return _write(name, "perft.txt", PERFT_HEADER + "\n".join(lines or _perft_lines(name)) + "\n")


def _recount(name: str, line: str) -> Iterator[str]:
    options, where, counts = (part.strip() for part in line.split(" ; "))
    position = parse_position(name, options, where)
    yield options
    yield where
    yield " ".join(str(perft(position, depth + 1)) for depth in range(len(counts.split())))


def _perft_lines(name: str) -> Iterator[str]:
    """Yield lines for the start of each variant, and for positions of a random game."""
    for game in variants(name):
        yield f"{changed_options(game)} ; start ; {_counts(game.start())}"
    plies = random_game(load(name), seed=1)
    for part in range(1, MIDDLE_POSITIONS + 1):
        position, _ = plies[len(plies) * part // (MIDDLE_POSITIONS + 1)]
        yield f"- ; {position} ; {_counts(position)}"


def _counts(position: Position) -> str:
    counts = [perft(position, 1)]
    while len(counts) < MAX_DEPTH and counts[-1] * len(position.legal) < MAX_NODES:
        counts.append(perft(position, len(counts) + 1))
    return " ".join(map(str, counts))


def write_signature(name: str) -> Path:
    """Write `signature.txt`, after an intended change of the search or of the rules."""
    return _write(name, "signature.txt", search_signature(name) + "\n")


def _write(name: str, file: str, text: str) -> Path:
    path = Path(str(game_file(name, file)))
    write_atomic(path, text)
    return path


def write_files(name: str) -> Iterator[Path]:
    """Write perft.txt and signature.txt, and suite.txt if there is none; yield each path."""
    from teahouse.conformance.suite_generator import write_suite

    yield write_perft(name)
    yield write_signature(name)
    if not game_file(name, "suite.txt").is_file():
        yield write_suite(name)
