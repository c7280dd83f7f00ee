"""Benchmark the adapters on one core, beside an earlier revision: `python benchmarks/adapters.py`.

Both revisions run the same loops in processes of their own, in turns: random agents in Gymnasium
against random opponents, and in PettingZoo. A figure is the best round, in steps or turns for each
second of processor time, so that other programs on the machine matter little.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
BASELINE = "d56e948"  # the last revision whose adapters ran interpreted
WARM_UP = 2.5  # seconds: more than the actions after which kernels are compiled


def gymnasium_steps(game: str, seconds: float) -> float:
    """Return the agent's steps for each second; the opponent moves as often."""
    from teahouse.rl.gymnasium import AgainstBots

    env = AgainstBots(game, "random")
    rng = np.random.default_rng(1)
    env.reset(seed=1)
    steps, begin = 0, time.process_time()
    while time.process_time() - begin < seconds:
        _, info = env.reset()
        over = False
        while not over:
            _, _, over, _, info = env.step(choose(info["action_mask"], rng))
            steps += 1
    return steps / (time.process_time() - begin)


def pettingzoo_turns(game: str, seconds: float) -> float:
    """Return the turns for each second."""
    from teahouse.rl import pettingzoo

    env = pettingzoo.env(game)
    rng = np.random.default_rng(1)
    env.reset(seed=1)
    turns, begin = 0, time.process_time()
    while time.process_time() - begin < seconds:
        env.reset()
        for _ in env.agent_iter():
            _, _, terminated, _, info = env.last()
            if terminated:
                env.step(None)
                continue
            env.step(choose(info["action_mask"], rng))
            turns += 1
    return turns / (time.process_time() - begin)


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    """Return a random legal action."""
    legal = mask.nonzero()[0]
    return int(legal[int(rng.random() * len(legal))])


def vector_steps(game: str, seconds: float, size: int = 256) -> float:
    """Return the games stepped for each second in a vector environment in self-play."""
    from teahouse.rl.vector import BatchVectorEnv

    env = BatchVectorEnv(game, size)
    env.reset(seed=1)
    steps, begin = 0, time.process_time()
    while time.process_time() - begin < seconds:
        env.step(env.batch.sample())
        steps += size
    return steps / (time.process_time() - begin)


LOOPS: dict[str, Callable[[str, float], float]] = {
    "Gymnasium steps": gymnasium_steps,
    "PettingZoo turns": pettingzoo_turns,
    "vector steps": vector_steps,
}
COMPARED = ("Gymnasium steps", "PettingZoo turns")


class Worker:
    """A process that measures one revision."""

    def __init__(self, source: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(source)},
        )

    def rate(self, loop: str, game: str, seconds: float) -> float:
        """Return the rate of a loop."""
        assert self._process.stdin and self._process.stdout
        print(json.dumps([loop, game, seconds]), file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def serve() -> None:
    """Answer the requests of `Worker`."""
    for line in sys.stdin:
        loop, game, seconds = json.loads(line)
        print(LOOPS[loop](game, seconds), flush=True)


def extract(revision: str, folder: Path) -> Path:
    """Write the package of a revision to a folder; return what PYTHONPATH takes."""
    command = ["git", "-C", str(ROOT), "archive", revision, "src"]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder / "src"


def measure(workers: dict[str, Worker], game: str, rounds: int, seconds: float) -> dict[Any, float]:
    """Return the best rate of every loop and worker."""
    best: dict[Any, float] = {}
    for number in range(rounds + 1):
        for loop in LOOPS:
            for name, worker in workers.items():
                if name == "now" or loop in COMPARED:
                    rate = worker.rate(loop, game, seconds if number else WARM_UP)
                    if number:
                        best[loop, name] = max(rate, best.get((loop, name), 0.0))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("games", nargs="*", help="all by default")
    parser.add_argument("--baseline", default=BASELINE, help="a revision of this repository")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="per figure and round")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        serve()
        return
    import teahouse as th

    with tempfile.TemporaryDirectory() as folder:
        workers = {
            "before": Worker(extract(arguments.baseline, Path(folder))),
            "now": Worker(ROOT / "src"),
        }
        print(
            "| game | Gymnasium steps | before | × | PettingZoo turns | before | × | vector steps |"
        )
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        for game in arguments.games or th.games():
            best = measure(workers, game, arguments.rounds, arguments.seconds)
            cells = [th.load(game).title]
            for loop in COMPARED:
                now, before = best[loop, "now"], best[loop, "before"]
                cells += [f"{now:,.0f}", f"{before:,.0f}", f"{now / before:.1f}"]
            cells.append(f"{best['vector steps', 'now']:,.0f}")
            print(f"| {' | '.join(cells)} |", flush=True)
        for worker in workers.values():
            worker.close()


if __name__ == "__main__":
    main()
