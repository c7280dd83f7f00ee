"""Benchmark playouts and start-up against OpenSpiel in the same run: part of `make bench`.

To tolerate load on the machine, both are measured in turns over several rounds, and the best round
of each counts. Ratios are comparable between machines, absolute figures are not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.box import MARKDOWN
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import teahouse as th
from teahouse.core import jit
from teahouse.core.defaults import rules as defaults

HERE = Path(__file__).parent
PEER_FOLDER = HERE.parent / ".venv-openspiel"
PEERS = ("y(board_size=7)", "havannah(board_size=4)", "ultimate_tic_tac_toe")
ROWS: list[tuple[str, dict[str, Any], str]] = [
    ("orochi", {"side": 4}, PEERS[0]),
    ("orochi", {"side": 6}, PEERS[0]),
    ("orochi", {"side": 8}, PEERS[0]),
    ("oolong", {}, PEERS[2]),
    ("oolong", {"specials": False}, PEERS[2]),
    ("fillit", {"mode": "2"}, PEERS[0]),
    ("fillit", {"mode": "2mini"}, PEERS[0]),
    ("fillit", {"mode": "3"}, PEERS[0]),
    ("fillit", {"mode": "teams"}, PEERS[0]),
    ("toot", {}, PEERS[0]),
]
STYLE: dict[str, Any] = {"title_justify": "left", "box": MARKDOWN}
START = "import teahouse as th; th.load('orochi').playouts(1)"


def peer_python() -> str:
    """Return the Python of OpenSpiel's virtual environment, created if missing."""
    python = PEER_FOLDER / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEER_FOLDER)], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "open_spiel"], check=True)
    return str(python)


def measure_peer(name: str, seconds: float) -> dict[str, float]:
    """Measure OpenSpiel for this many seconds."""
    command = [peer_python(), str(HERE / "openspiel_peer.py"), name, str(seconds)]
    found: dict[str, float] = json.loads(subprocess.check_output(command, text=True))
    return found


def moves_per_second(game: th.Game, threads: int, seconds: float) -> float:
    """Return random moves per second, the best of several runs."""
    games = 2_000 * threads
    game.playouts(games, threads=threads)
    best = 0.0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        counts = game.playouts(games, seed=1, threads=threads)
        spent = time.perf_counter() - begin
        best = max(best, counts.moves / spent)
        if spent < 0.3:
            games *= 2
    return best


def with_move_lists(game: th.Game, work: Callable[[], float]) -> float:
    """Call `work` with the default `random_move`, which writes the list of legal moves."""
    random_move = game.rules.random_move
    game.rules.random_move = defaults.random_move  # type: ignore[attr-defined]
    jit.clear()
    try:
        return work()
    finally:
        game.rules.random_move = random_move  # type: ignore[attr-defined]
        jit.clear()


def start_seconds(code: str, cache: str) -> float:
    """Return the run time of the code in a new process."""
    begin = time.perf_counter()
    environment = {**os.environ, "TEAHOUSE_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    return time.perf_counter() - begin


def measure(
    rounds: int, seconds: float
) -> tuple[dict[Any, float], dict[str, float], dict[str, Any]]:
    """Return the best round of our games, of the legal/play loop, and of the peers."""
    games = {f"{name}{options or ''}": th.load(name, **options) for name, options, _ in ROWS}
    ours: dict[tuple[str, int], float] = {}
    lists: dict[str, float] = {}
    theirs: dict[str, dict[str, float]] = {}
    with Progress(transient=True) as progress:
        task = progress.add_task("measuring", total=rounds * (len(PEERS) + 3 * len(games)))
        for _ in range(rounds):
            for name in PEERS:
                now = measure_peer(name, seconds)
                if now["moves"] > theirs.get(name, {"moves": 0})["moves"]:
                    theirs[name] = now
                progress.advance(task)
            for title, game in games.items():
                for threads in (1, 2):
                    rate = moves_per_second(game, threads, seconds)
                    ours[title, threads] = max(rate, ours.get((title, threads), 0))
                    progress.advance(task)
                rate = with_move_lists(game, lambda g=game: moves_per_second(g, 1, seconds))  # type: ignore[misc]
                lists[title] = max(rate, lists.get(title, 0))
                progress.advance(task)
    return ours, lists, theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="per figure and round")
    arguments = parser.parse_args()
    ours, lists, theirs = measure(arguments.rounds, arguments.seconds)
    console = Console(width=170)

    table = Table(title="OpenSpiel, C++ MCTS with random rollouts", **STYLE)
    for heading in ("game", "simulations/s", "mean length", "moves/s"):
        table.add_column(heading, justify="left" if heading == "game" else "right")
    for name, found in theirs.items():
        table.add_row(
            name, f"{found['simulations']:,.0f}", f"{found['length']:.1f}", f"{found['moves']:,.0f}"
        )
    console.print(table)

    table = Table(title="Teahouse, random moves per second", **STYLE)
    for heading in (
        *("game", "1 thread", "2 threads", "2 over 1", "legal/play loop", "peer"),
        *("x peer", "loop x peer", "state bytes"),
    ):
        table.add_column(heading, justify="left" if heading in ("game", "peer") else "right")
    for name, options, peer in ROWS:
        title = f"{name}{options or ''}"
        one, two, moves = ours[title, 1], ours[title, 2], theirs[peer]["moves"]
        table.add_row(
            " ".join([name, *(f"{key}={value}" for key, value in options.items())]),
            *(f"{one:,.0f}", f"{two:,.0f}", f"{two / one:.2f}", f"{lists[title]:,.0f}"),
            *(peer, f"{one / moves:.1f}", f"{lists[title] / moves:.1f}"),
            str(th.load(name, **options).layout.state.itemsize),
        )
    console.print(table)

    table = Table(title="Start-up of a process, seconds", **STYLE)
    table.add_column("step")
    table.add_column("best of 5", justify="right")
    with tempfile.TemporaryDirectory() as cache:
        cold = start_seconds(START, cache)
        warm = min(start_seconds(START, cache) for _ in range(5))
        importing = min(start_seconds("import teahouse", cache) for _ in range(5))
        bare = min(start_seconds("pass", cache) for _ in range(5))
    table.add_row("first compiled playout, cold cache (once)", f"{cold:.2f}")
    table.add_row("first compiled playout, warm cache", f"{warm:.2f}")
    table.add_row("import teahouse, minus a bare Python", f"{importing - bare:.2f}")
    console.print(table)


if __name__ == "__main__":
    main()
