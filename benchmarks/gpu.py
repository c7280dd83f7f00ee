"""Benchmark playouts on a GPU against Pgx's Hex; check them against the CPU: `make bench-gpu`."""

import argparse
import sys
import time
from typing import Any

from history import save_gpu

import teahouse as th
from teahouse.bench.suite import Row

GAMES: list[tuple[str, dict[str, Any], int]] = [
    ("orochi", {"side": 4}, 1 << 26),
    ("orochi", {"side": 6}, 1 << 25),
    ("orochi", {"side": 8}, 1 << 24),
    ("oolong", {}, 1 << 26),
    ("fillit", {"mode": "2"}, 1 << 25),
    ("fillit", {"mode": "2mini"}, 1 << 26),
    ("toot", {}, 1 << 23),
]


def moves_per_second(game: th.Game, games: int) -> float:
    """Return the best of three runs after one that compiles."""
    game.playouts(1 << 20, seed=0, device="cuda")
    rates = []
    for seed in range(1, 4):
        start = time.perf_counter()
        counts = game.playouts(games, seed=seed, device="cuda")
        rates.append(counts.moves / (time.perf_counter() - start))
    return max(rates)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-pgx", action="store_true", help="do not measure Pgx")
    parser.add_argument("--save", action="store_true", help="append the figures to history.csv")
    arguments = parser.parse_args()
    peer = None
    if not arguments.no_pgx:
        from teahouse.bench.pgx_peer import best

        size, peer = best()
        print(f"Pgx Hex, batches of {size}: {peer / 1e6:.0f} million moves per second\n")
    print("| game | billion moves per second | x Pgx Hex | same counts as the CPU |")
    print("|---|---|---|---|")
    failed = False
    for name, options, games in GAMES:
        if name not in th.games():
            continue
        game = th.load(name, **options)
        same = game.playouts(20_000, seed=7, device="cuda") == game.playouts(20_000, seed=7)
        start = game.start(seed=3)
        later = start.play(start.legal[0])
        same &= later.playouts(5_000, seed=7, device="cuda") == later.playouts(5_000, seed=7)
        failed |= not same
        rate = moves_per_second(game, games)
        ratio = f"{rate / peer:.0f}" if peer else "–"
        title = " ".join([game.title, *(f"{key}={value}" for key, value in options.items())])
        print(f"| {title} | {rate / 1e9:.2f} | {ratio} | {'yes' if same else 'NO'} |", flush=True)
        if arguments.save:
            save_gpu(f"playouts {Row('playouts', game).title}", rate, peer)
    sys.exit(failed)


if __name__ == "__main__":
    main()
