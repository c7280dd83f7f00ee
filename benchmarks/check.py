"""Compare this checkout with the last recorded ratios: `make bench-check`.

Every row that has a ratio in `history.csv` is measured again beside the same peer, in turns. A row
that lost more than the limit is measured again with more rounds, since noise only ever makes a rate
smaller; the exit status is 1 if it still does.
"""

from __future__ import annotations

import argparse
import sys

import cpu
import rl_cpu
import search
from history import Entry, last, read, run

from teahouse.bench.suite import Result, Row

LIMIT = 0.10
RETRIES = 3


def lost(result: Result, before: Entry) -> float:
    """Return what share of the recorded ratio is missing; negative if it grew."""
    assert result.ratio and before.ratio
    return 1 - result.ratio / before.ratio


def best(one: Result, other: Result) -> Result:
    """Return the result with the higher ratio."""
    return max(one, other, key=lambda result: result.ratio or 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.3, help="per figure and round")
    parser.add_argument("--limit", type=float, default=LIMIT, help="share of a ratio to lose")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    arguments = parser.parse_args()
    recorded = last(read())
    known: dict[Row, Entry] = {
        row: recorded[row.name, row.peer or ""]
        for row in (*cpu.rows(), *search.rows(), *rl_cpu.rows())
        if (row.name, row.peer or "") in recorded and arguments.only in row.name
    }
    if not known:
        sys.exit("history.csv has no row to compare with; `make bench` writes it.")
    results = {one.row: one for one in run([*known], arguments.rounds, arguments.seconds)}
    for attempt in range(1, RETRIES + 1):
        slow = [
            row for row, before in known.items() if lost(results[row], before) > arguments.limit
        ]
        if not slow:
            break
        names = ", ".join(row.name for row in slow)
        print(f"Lost more than {arguments.limit:.0%}: {names}. Measuring again …", flush=True)
        for one in run(slow, 2 * arguments.rounds, arguments.seconds * (1 + attempt)):
            results[one.row] = best(results[one.row], one)
    print("| row | recorded | now | change | |")
    print("|---|---|---|---|---|")
    failed = False
    for row, before in known.items():
        share = lost(results[row], before)
        failed |= share > arguments.limit
        verdict = "SLOWER" if share > arguments.limit else ""
        ratio = results[row].ratio
        print(f"| {row.name} | {before.ratio:.2f} | {ratio:.2f} | {-share:+.0%} | {verdict} |")
    sys.exit(failed)


if __name__ == "__main__":
    main()
