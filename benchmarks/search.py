"""Measure simulations per second of tree search and of OpenSpiel's MCTS in the same run.

Part of `make bench`. *Plain* is plain UCT on one thread, like OpenSpiel's; *own* uses the search
parameters of the game's bots. Rounds alternate between the libraries; the best of each counts.
"""

import argparse
import time

from cpu import PEERS, ROWS, STYLE, measure_peer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import teahouse as th
from teahouse.search.engine import Engine
from teahouse.search.levels import profile
from teahouse.search.mcts.params import PLAIN_UCT, SearchParams

KINDS = (("plain", 1), ("own", 1), ("own", 2))


def simulations_per_second(
    game: th.Game, params: SearchParams, threads: int, seconds: float
) -> float:
    """Return the rate of a search from the start position with an empty tree."""
    engine = Engine(game.start(seed=1), params, threads=threads)
    begin = time.perf_counter()
    count = engine.run(seconds, None).simulations
    return count / (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement in a round")
    arguments = parser.parse_args()
    ours: dict[tuple[int, str, int], float] = {}
    theirs: dict[str, float] = {}
    with Progress(transient=True) as progress:
        steps = arguments.rounds * (len(PEERS) + len(ROWS) * len(KINDS))
        task = progress.add_task("measuring", total=steps)
        for _ in range(arguments.rounds):
            for name in PEERS:
                rate = measure_peer(name, arguments.seconds)["simulations"]
                theirs[name] = max(rate, theirs.get(name, 0))
                progress.advance(task)
            for row, (name, options, _) in enumerate(ROWS):
                game = th.load(name, **options)
                for kind, threads in KINDS:
                    params = PLAIN_UCT if kind == "plain" else profile(game).params
                    rate = simulations_per_second(game, params, threads, arguments.seconds)
                    key = (row, kind, threads)
                    ours[key] = max(rate, ours.get(key, 0))
                    progress.advance(task)
    table = Table(title="Simulations per second", **STYLE)
    for heading in (
        "game",
        "plain",
        "own",
        "own, 2 threads",
        "peer",
        "peer's rate",
        "plain / peer",
    ):
        table.add_column(heading, justify="left" if heading in ("game", "peer") else "right")
    for row, (name, options, rival) in enumerate(ROWS):
        rates = [ours[row, *kind] for kind in KINDS]
        table.add_row(
            " ".join([name, *(f"{key}={value}" for key, value in options.items())]),
            *(f"{rate:,.0f}" for rate in rates),
            *(rival, f"{theirs[rival]:,.0f}", f"{rates[0] / theirs[rival]:.1f}"),
        )
    Console(width=170).print(table)


if __name__ == "__main__":
    main()
