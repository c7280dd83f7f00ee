"""The plan of `teahouse report` on quiet cores: samples and CPU time, measured by CPU time.

    python benchmarks/report.py [GAME …] [--cores 2] [--seconds 270]

Other programs do not change the figures much, since time on the processor is measured.
"""

import argparse
from time import process_time

import teahouse as th
from teahouse.lab.openings import openings
from teahouse.lab.plan import make_plan
from teahouse.lab.study import PRECISION, SECONDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=th.games())
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    arguments = parser.parse_args()
    print("| game | reference level | games of it | all games | CPU s | s on these cores |")
    print("|---|---|---|---|---|---|")
    for name in arguments.games:
        game = th.load(name)
        plan = make_plan(
            game,
            len(openings(game)),
            PRECISION,
            arguments.seconds,
            arguments.cores,
            0,
            lambda _: None,
            clock=process_time,
        )
        work = sum(games * plan.costs[kind] for kind, games in plan.samples.items())
        print(
            f"| {game.title} | {plan.reference} | {plan.samples[plan.reference_kind]:,} "
            f"| {sum(plan.samples.values()):,} | {work:.0f} | {work / arguments.cores:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
