"""Benchmark batches on the CPU against Pgx's Hex in the same run: part of `make bench`.

A step draws a random legal action for every game, checks it, takes it and writes the new mask.
Both are measured in turns over several rounds, and the best round of each counts; Pgx uses all
cores, and its best batch size counts.
"""

from history import measured, parse

import teahouse as th
from teahouse.bench.measures import BATCH
from teahouse.bench.suite import Row

VARIANTS: list[tuple[str, dict[str, object]]] = [
    ("orochi", {"side": 4}),
    ("orochi", {"side": 8}),
    ("oolong", {}),
    ("oolong", {"specials": False}),
    ("fillit", {"mode": "2"}),
    ("fillit", {"mode": "teams"}),
    ("toot", {}),
]
KINDS = [(kind, threads) for kind in ("batch", "planes") for threads in (1, 2)]


def games() -> list[th.Game]:
    """Return the games that are measured."""
    return [th.load(name, **options) for name, options in VARIANTS]


def rows() -> list[Row]:
    """Return the rows of this benchmark."""
    return [Row(kind, game, threads) for game in games() for kind, threads in KINDS]


def main() -> None:
    arguments = parse(__doc__)
    results = measured(rows(), arguments)
    table = arguments.table(
        f"Batches of {BATCH} games, steps per second",
        *("game", "masks, 1 thread", "2 threads", "masks and planes, 1 thread", "2 threads"),
        *("Pgx Hex", "masks x Pgx Hex", "planes x Pgx Hex"),
    )
    for game in games():
        found = [results[Row(kind, game, threads).name] for kind, threads in KINDS]
        table.add_row(
            *(found[0].row.title, *(f"{one.value:,.0f}" for one in found)),
            f"{found[0].peer_value:,.0f}",
            *(f"{one.ratio:.1f}" for one in (found[1], found[3])),  # two threads
        )
    arguments.console.print(table)


if __name__ == "__main__":
    main()
