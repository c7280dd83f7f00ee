"""Compare the speed of two checkouts: `python benchmarks/compare.py ../teahouse-0.1.0`.

Both run in turns, each in a process of its own with the checkout's virtual environment. The best
round of each counts. Moves and simulations use only names that `teahouse` has promised since 0.1.0;
plain UCT and moves with move lists need checkouts with `teahouse.bench`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[1]
CASES = [
    ("orochi", "side=4"),
    ("orochi", "side=8"),
    ("oolong", ""),
    ("fillit", "mode=2"),
    ("fillit", "mode=3"),
    ("toot", "tiles=10,pieces=4"),
]
MEASURES = ("moves", "simulations")
BENCH_MEASURES = {"plain": "search", "lists": "loop"}  # by the name in `teahouse.bench.measures`
WORKER = """
import random, sys, time
import teahouse as th

for line in sys.stdin:
    name, text, measure, seconds, plies = line.rstrip("\\n").split("\\t")
    pairs = (pair.split("=") for pair in text.split(",") if pair)
    game = th.load(name, **dict(pairs))
    if measure not in ("moves", "simulations"):
        from teahouse.bench import measures
        print(getattr(measures, measure)(game, 1, float(seconds)), flush=True)
        continue
    start, chance = game.start(seed=1), random.Random(1)
    for _ in range(int(plies)):
        start = start.play(chance.choice(start.legal))

    def work(amount):
        if measure == "moves":
            return game.playouts(amount, seed=1).moves
        return th.analyse(start, simulations=amount, threads=1, seed=1).simulations

    work(64)
    amount = 2_000 if measure == "moves" else 20_000
    done, began = 0, time.process_time()
    while time.process_time() - began < float(seconds):
        done += work(amount)
    print(done / (time.process_time() - began), flush=True)
"""


class Checkout:
    """A checkout and the process that measures it."""

    def __init__(self, folder: Path) -> None:
        python = folder / ".venv" / "bin" / "python"
        if not python.exists():
            sys.exit(f"{folder} has no virtual environment; run `make test` or `make play` there.")
        self._process = subprocess.Popen(
            [python, "-c", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
        )

    def rate(self, case: tuple[str, str], measure: str, seconds: float, plies: int) -> float:
        """Return units of work per second of CPU time."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        measure = BENCH_MEASURES.get(measure, measure)
        print(*case, measure, seconds, plies, sep="\t", file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the checkout to compare with")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time per round")
    parser.add_argument(
        "--plies", type=int, default=0, help="random moves before the position of simulations"
    )
    choices = (*MEASURES, *BENCH_MEASURES)
    parser.add_argument("--measure", choices=choices, help="this one only")
    games = sorted({name for name, _ in CASES})
    parser.add_argument("--game", choices=games, help="cases of this game only")
    arguments = parser.parse_args()
    measures = (arguments.measure,) if arguments.measure else MEASURES
    checkouts = [Checkout(arguments.other.resolve()), Checkout(HERE)]
    print("| game | measure | other | this | this / other |")
    print("|---|---|---|---|---|")
    for case in CASES:
        if arguments.game not in (None, case[0]):
            continue
        for measure in measures:
            best = [0.0, 0.0]
            for number in range(2 * arguments.rounds):
                which = number % 2
                rate = checkouts[which].rate(case, measure, arguments.seconds, arguments.plies)
                best[which] = max(best[which], rate)
            title = " ".join(part for part in case if part)
            ratio = best[1] / best[0]
            row = f"| {title} | {measure}/s | {best[0]:,.0f} | {best[1]:,.0f} | {ratio:.3f} |"
            print(row, flush=True)


if __name__ == "__main__":
    main()
