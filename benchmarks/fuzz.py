"""Fuzz the parsers with grammars that know their formats.

    python benchmarks/fuzz.py [FORMAT …] [--minutes 10] [--seed 0]

Formats: records, positions, layouts, moves, messages; each runs for this many minutes. Reported are
the number of inputs, unexpected errors with the seed that repeats them, and stalls: inputs that
took more than a quarter of a second of CPU time. The exit status is 1 if there was an error or a
stall.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from support.fuzz import FUZZERS, Fuzzer

STALL_SECONDS = 0.25
MAX_REPORTED = 5


@dataclass
class Findings:
    """The results of fuzzing one format."""

    texts: int = 0
    slowest: float = 0.0
    stalls: list[int] = field(default_factory=list)
    """Seeds."""
    errors: dict[int, str] = field(default_factory=dict)
    """Tracebacks by seed."""


def fuzz(fuzzer: Fuzzer, seconds: float, first: int) -> Findings:
    """Check one text after another for some seconds."""
    found = Findings()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        seed = first + found.texts
        text = fuzzer.generate(random.Random(seed))
        began = time.process_time()
        try:
            fuzzer.check(text)
        except Exception:  # whatever is not an error of the format
            found.errors[seed] = traceback.format_exc(limit=-3)
        used = time.process_time() - began
        found.slowest = max(found.slowest, used)
        if used > STALL_SECONDS:
            found.stalls.append(seed)
        found.texts += 1
    return found


def main() -> None:
    """Fuzz the chosen formats and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chosen = options.formats or list(FUZZERS)
    if unknown := [name for name in chosen if name not in FUZZERS]:
        parser.error(f"unknown format {unknown[0]}; formats: {', '.join(FUZZERS)}")
    failed = False
    print(f"{'format':10} {'texts':>9} {'errors':>7} {'stalls':>7} {'slowest':>9}")
    for name in chosen:
        found = fuzz(FUZZERS[name], 60 * options.minutes, options.seed)
        failed = failed or bool(found.errors or found.stalls)
        counts = f"{found.texts:9,} {len(found.errors):7} {len(found.stalls):7}"
        print(f"{name:10} {counts} {1e3 * found.slowest:6.0f} ms", flush=True)
        for seed in [*found.errors, *found.stalls][:MAX_REPORTED]:
            print(f"  seed {seed}: {found.errors.get(seed, 'stall')}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
