"""Measure simulations per second of tree search and of OpenSpiel's MCTS in the same run.

Part of `make bench`. *Plain* is plain UCT on one thread, like OpenSpiel's; *own* uses the search
parameters of the game's bots. Rounds alternate between the libraries; the best of each counts.
"""

from cpu import games
from history import measured, parse

from teahouse.bench.suite import Row

KINDS = (("search", 1), ("own search", 1), ("own search", 2))


def rows() -> list[Row]:
    """Return the rows of this benchmark."""
    return [Row(kind, game, threads) for game in games() for kind, threads in KINDS]


def main() -> None:
    arguments = parse(__doc__)
    results = measured(rows(), arguments)
    table = arguments.table(
        "Simulations per second",
        *("game", "plain", "own", "own, 2 threads", "peer", "peer's rate", "plain / peer"),
    )
    for game in games():
        found = [results[Row(kind, game, threads).name] for kind, threads in KINDS]
        plain = found[0]
        table.add_row(
            *(plain.row.title, *(f"{one.value:,.0f}" for one in found)),
            *(plain.row.peer, f"{plain.peer_value:,.0f}", f"{plain.ratio:.1f}"),
        )
    arguments.console.print(table)


if __name__ == "__main__":
    main()
