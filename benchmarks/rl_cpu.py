"""Benchmark batches on the CPU against Pgx's Hex in the same run: part of `make bench`.

A step draws a random legal action for every game, checks it, takes it and writes the new mask.
Both are measured in turns over several rounds, and the best round of each counts.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.box import MARKDOWN
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import teahouse as th
from teahouse.rl import Batch

HERE = Path(__file__).parent
PEER_FOLDER = HERE.parent / ".venv-pgx"
PEER_SIZES = tuple(1 << power for power in range(8, 17, 2))
SIZE = 4096
ROWS: list[tuple[str, dict[str, Any]]] = [
    ("orochi", {"side": 4}),
    ("orochi", {"side": 8}),
    ("oolong", {}),
    ("oolong", {"specials": False}),
    ("fillit", {"mode": "2"}),
    ("fillit", {"mode": "teams"}),
    ("toot", {}),
]


class Peer:
    """Pgx in a virtual environment of its own, created if missing."""

    def __init__(self) -> None:
        python = PEER_FOLDER / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(PEER_FOLDER)], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "jax", "pgx"], check=True)
        self._process = subprocess.Popen(
            [python, str(HERE / "pgx_hex.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "JAX_PLATFORMS": "cpu"},
        )

    def steps_per_second(self, size: int, seconds: float) -> float:
        """Return its rate with batches of this size."""
        assert self._process.stdin and self._process.stdout
        print(size, seconds, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """Wait for its process to end."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def steps_per_second(batch: Batch, observe: bool, seconds: float) -> float:
    """Return the rate over this many seconds, measured as the peer does."""
    for _ in range(20):
        batch.step(batch.sample())
    batch.observation  # noqa: B018 - compiles its kernel
    steps = 0
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        for _ in range(10):
            batch.step(batch.sample())
            if observe:
                batch.observation  # noqa: B018 - runs its kernel
        steps += 10 * batch.size
    return steps / (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="per figure and round")
    arguments = parser.parse_args()
    games = {_title(name, options): th.load(name, **options) for name, options in ROWS}
    kinds = [(threads, observe) for threads in (1, 2) for observe in (False, True)]
    peer = Peer()
    theirs: dict[int, float] = {}
    ours: dict[tuple[str, int, bool], float] = {}
    with Progress(transient=True) as progress:
        each = len(PEER_SIZES) + len(games) * len(kinds)
        task = progress.add_task("measuring", total=arguments.rounds * each)
        for _ in range(arguments.rounds):
            for size in PEER_SIZES:
                rate = peer.steps_per_second(size, arguments.seconds)
                theirs[size] = max(rate, theirs.get(size, 0.0))
                progress.advance(task)
            for title, game in games.items():
                for threads, observe in kinds:
                    batch = Batch(game, SIZE, threads=threads)
                    rate = steps_per_second(batch, observe, arguments.seconds)
                    key = (title, threads, observe)
                    ours[key] = max(rate, ours.get(key, 0.0))
                    progress.advance(task)
    peer.close()

    size, peer_rate = max(theirs.items(), key=lambda item: item[1])
    console = Console(width=170)
    print(f"Pgx Hex, all cores, batches of {size}: {peer_rate:,.0f} steps per second\n")
    table = Table(
        title=f"Batches of {SIZE} games, steps per second", title_justify="left", box=MARKDOWN
    )
    for heading in (
        *("game", "masks, 1 thread", "2 threads", "masks and planes, 1 thread", "2 threads"),
        *("masks x Pgx Hex", "planes x Pgx Hex"),
    ):
        table.add_column(heading, justify="left" if heading == "game" else "right")
    for title in games:
        rates = {kind: ours[title, *kind] for kind in kinds}
        table.add_row(
            title,
            *(f"{rates[threads, observe]:,.0f}" for observe in (False, True) for threads in (1, 2)),
            *(f"{rates[2, observe] / peer_rate:.1f}" for observe in (False, True)),
        )
    console.print(table)


def _title(name: str, options: dict[str, Any]) -> str:
    return " ".join([name, *(f"{key}={value}" for key, value in options.items())])


if __name__ == "__main__":
    main()
