"""Measure bots on the games' test positions.

    python tools/suite.py [GAME …]             count the problems that level 8 solves
        --bot uct:simulations=10000            another bot, as in the arena

`teahouse check GAME --write` generates the positions.
"""

import argparse
from collections import Counter

import teahouse as th
from teahouse.search.arena import parse_player
from teahouse.search.suite import KINDS, problems


def measure(names: list[str], bot: str, seed: int) -> None:
    """Print the problems that a bot gets wrong, and the share it solves of each kind."""
    for name in names:
        solved: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        for problem in problems(name):
            counts[problem.kind] += 1
            move = parse_player(problem.position.game, bot).choose(problem.position, seed=seed)
            if move in problem.moves:
                solved[problem.kind] += 1
            else:
                print(f"  wrong move {move}: {name} ; {problem.line()}", flush=True)
        for kind in KINDS:
            share = solved[kind] / max(1, counts[kind])
            print(f"{name:<10} {kind:<16} {solved[kind]:>3} of {counts[kind]:<3} {share:.0%}")


def main() -> None:
    """Parse the command line and run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("name", nargs="*", metavar="GAME")
    parser.add_argument("--bot", default="level8:threads=2")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    measure(arguments.name or th.games(), arguments.bot, arguments.seed)


if __name__ == "__main__":
    main()
