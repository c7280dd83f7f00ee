"""Time of the parsers on adversarial texts, and on the same ten times as long.

    python benchmarks/parsers.py

A parser is linear if the ratio is about ten; the target is at most twelve. The exit status is 1 if
it is missed. Texts are repeated until the time can be measured.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import teahouse as th
from teahouse.core.catalog import load_untrusted

TARGET = 12.0
MIN_SECONDS = 0.02
LEAST = 50e-6
"""Seconds below which a time says nothing about growth."""
ROUNDS = 5
RECORD_SIZES = (10_000, 100_000)
TEXT_SIZES = (1_000, 10_000)
BODIES = ("{", "}", "{a}", "{\\", "{}{", "1. ", "1.", "wa1 ", "\n", "{\n", " ", "\\", "[", '"')
TAG_LINES = ("[", '[A "', '[A "\\', '[A "a"]x', '[A "a"]\n')
TEXTS = (
    "1",
    "9",
    "/",
    ",",
    ":",
    ".",
    "-",
    "+",
    " ",
    "b",
    "B=",
    "R",
    "r1",
    "w",
    "#",
    "\n",
    "x",
    "é",
)
MOVES = ("n ", "n~e ", "north ", "ne.", "a1", "a1-", "P", "S", "-", ">", "!", "{", " ", "9", "é")


@dataclass(frozen=True)
class Case:
    """A parser, and the text that it gets repeated."""

    name: str
    part: str
    sizes: tuple[int, int]
    parse: Callable[[str], object]


def cases() -> Iterator[Case]:
    """Yield every parser with every adversarial text."""
    for part in BODIES:
        yield Case(
            "record", part, RECORD_SIZES, lambda text: th.Record.parse(f'[Game "orochi"]\n{text}')
        )
    for part in TAG_LINES:
        yield Case("record tags", part, RECORD_SIZES, th.Record.parse)
    for name in th.games():
        start = th.load(name).start()
        head, _, tail = str(start).partition("/")
        for part in TEXTS:
            yield Case(
                f"{name} position",
                part,
                TEXT_SIZES,
                lambda text, start=start, head=head, tail=tail: start.game.position(  # type: ignore[misc]
                    f"{head}/{text}x/{tail}"[:10_000]
                ),
            )
        for part in MOVES:
            yield Case(f"{name} move", part, TEXT_SIZES, start.play)
    for name, option in (("fillit", "layout"), ("oolong", "markers")):
        for part in TEXTS:
            yield Case(
                f"{name} {option}",
                part,
                TEXT_SIZES,
                lambda text, name=name, option=option: load_untrusted(  # type: ignore[misc]
                    name, {option: f"\n{text}"}
                ),
            )


def seconds(case: Case, size: int) -> float:
    """Return the least CPU time of some rounds."""
    text = (case.part * (size // len(case.part)))[: size - 100]
    best = float("inf")
    for _ in range(ROUNDS):
        repeated = 0
        began = time.process_time()
        while (used := time.process_time() - began) < MIN_SECONDS:
            with suppress(ValueError):  # every error of a format is one
                case.parse(text)
            repeated += 1
        best = min(best, used / repeated)
    return best


def main() -> None:
    """Measure all cases and print the worst one of every parser."""
    worst: dict[str, tuple[float, float, float, str]] = {}
    for case in cases():
        short, long = (seconds(case, size) for size in case.sizes)
        ratio = long / max(short, LEAST)
        worst[case.name] = max(
            worst.get(case.name, (0.0, 0.0, 0.0, "")), (ratio, short, long, case.part)
        )
    print(f"{'parser':18} {'worst text':12} {'short':>10} {'long':>10} {'ratio':>6}")
    for name, (ratio, short, long, part) in worst.items():
        print(f"{name:18} {part!r:12} {1e3 * short:7.2f} ms {1e3 * long:7.2f} ms {ratio:6.1f}")
    sys.exit(0 if all(ratio <= TARGET for ratio, *_ in worst.values()) else 1)


if __name__ == "__main__":
    main()
