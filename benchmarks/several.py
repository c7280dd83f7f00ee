"""Several servers and workers on one PostgreSQL: kills, restarts, latency, CPU time and memory.

    python benchmarks/several.py kills [--kills 200] [--moves 5000] [--servers 3] [--workers 2]
    python benchmarks/several.py restart [--restarts 20] [--tables 12] [--servers 2]
    python benchmarks/several.py load [--tables 200] [--rate 200] [--seconds 30] [--servers 2]
    python benchmarks/several.py compare [--tables 200] [--rate 200] [--seconds 30] [--rounds 2]

`kills` kills random processes by SIGKILL, PostgreSQL's first one among them, while games are played
through all servers; then it looks for every acknowledged move in the events.
`restart` restarts one server after the other by SIGTERM while games are played and pages are opened
at all of them: nobody may see an error, and clocks must be right.
`load` plays each game through several servers; measured is the time from sending a move to the
opponent's receiving it, the CPU time of servers and PostgreSQL without that of idle ones, their
memory, and what a move costs in bytes and transactions.
`compare` measures the load of one server and of several in turn, and prints what that costs.
PostgreSQL writes to disk without fsync.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from several_load import compare, measure
from support.several_kills import Tally, kill_several
from support.several_restart import restart_several

GAME_GOES_ON_SECONDS = 5.0
CLOCK_SECONDS = 0.05
DEFAULTS = {
    "kills": {"servers": 3, "tables": 12},
    "restart": {"servers": 2, "tables": 12},
    "load": {"servers": 2, "tables": 200},
    "compare": {"servers": 2, "tables": 200},
}


def percentiles(seconds: list[float]) -> dict[str, float]:
    """Return how long something took."""
    found = {f"p{at}": float(np.percentile(seconds or [0.0], at)) for at in (50, 90, 99, 100)}
    return {name: round(value, 3) for name, value in found.items()}


def kills(options: argparse.Namespace) -> bool:
    """Kill processes and print what was lost; return whether anything was."""
    tally = asyncio.run(
        kill_several(
            servers=options.servers,
            workers=options.workers,
            kills=options.kills,
            moves=options.moves,
            tables=options.tables,
            seed=options.seed,
            database=True,
        )
    )
    print_tally(tally, gaps=percentiles([gap.seconds for gap in tally.gaps]))
    long = [gap for gap in tally.gaps if gap.seconds > GAME_GOES_ON_SECONDS]
    print(f"{len(long)} of {len(tally.gaps)} waits were longer than {GAME_GOES_ON_SECONDS} s")
    for gap in sorted(long, key=lambda gap: -gap.seconds):
        print(
            f"  {gap.seconds:.1f} s, a server waited {gap.starved:.1f} s for a core: {gap.reason}"
        )
    return failed(tally)


def restart(options: argparse.Namespace) -> bool:
    """Restart servers and print what players saw; return whether anything was wrong."""
    seen, tally = asyncio.run(
        restart_several(
            servers=options.servers,
            restarts=options.restarts,
            tables=options.tables,
            seed=options.seed,
        )
    )
    clocks = {"players": seen.clocks, "before and after": seen.standing, "way": seen.uncertain}
    print_tally(
        tally,
        restarts=seen.restarts,
        errors=len(seen.errors),
        requests=seen.requests,
        away=percentiles(seen.away),
        clocks={name: percentiles(found) for name, found in clocks.items()},
        other_clocks=seen.other_clocks,
    )
    print(*seen.errors, sep="\n")
    wrong = max(seen.clocks + seen.standing) > CLOCK_SECONDS or seen.other_clocks
    return failed(tally) or bool(seen.errors or wrong)


def print_tally(tally: Tally, **more: object) -> None:
    """Print numbers, and what servers have logged that had exceptions."""
    hidden = ("gaps", "exceptions")
    shown = {name: value for name, value in asdict(tally).items() if name not in hidden}
    print(json.dumps({**shown, **more}, indent=1))
    print(*tally.exceptions, sep="\n", file=sys.stderr)


def failed(tally: Tally) -> bool:
    """Return whether acknowledged moves are not where they should be."""
    return bool(tally.lost or tally.doubled or tally.misplaced or tally.exceptions)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=list(DEFAULTS))
    parser.add_argument("--servers", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--moves", type=int, default=5_000)
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--tables", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=200.0, help="moves in a second, in all")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--idle", type=float, default=5.0, help="seconds to measure idle servers")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    for name, value in DEFAULTS[options.what].items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    if options.what == "load":
        print(json.dumps(asdict(asyncio.run(measure(options, options.servers))), indent=1))
    elif options.what == "compare":
        asyncio.run(compare(options))
    elif kills(options) if options.what == "kills" else restart(options):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
