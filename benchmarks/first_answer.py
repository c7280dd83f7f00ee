"""The first answer of a bot on an empty kernel cache, and the time to full strength.

    python benchmarks/first_answer.py [--game orochi] [--levels 1 8] [--full] [--json FILE]

For each game and level a new server is started with an empty kernel cache, and a table is created
at which the bot moves first. Times count from the start of the server's process. Then the same in a
new process without a server, as the terminal does it. With `--full`, one more server is left alone
until the bots of all levels of every game are at full strength. `--compile` measures nothing but
the CPU time of each kernel's compilation.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table
from served_bot import create_table, receive_moves, running_server
from websockets.sync.client import connect

import teahouse as th
from teahouse.search.levels import LEVELS
from teahouse.search.prepare import kernels_ready

POLL_SECONDS = 0.1
IN_PROCESS = """
import sys
import teahouse as th
from teahouse.search.prepare import prepare_in_background
game = th.load(sys.argv[1])
preparation = prepare_in_background([game])
print(th.bot(game, int(sys.argv[2]), wait=False).choose(game.start()), flush=True)
preparation.close()
"""

COMPILE = """
import json, sys, time
import numba
import teahouse as th
from teahouse.search.kernels import all_kernels, compile_kernel
game = th.load(sys.argv[1])
seconds = {}
for kernel in all_kernels(game):
    began = time.process_time()
    compile_kernel(kernel, game)
    seconds[kernel.__name__] = round(time.process_time() - began, 2)
print(json.dumps(seconds))
"""


@contextmanager
def empty_cache() -> Iterator[None]:
    """Use an empty kernel cache, also in processes that are started."""
    before = os.environ.get("TEAHOUSE_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TEAHOUSE_CACHE_DIR"] = f"{folder}/kernels"
        try:
            yield
        finally:
            os.environ.pop("TEAHOUSE_CACHE_DIR")
            if before is not None:
                os.environ["TEAHOUSE_CACHE_DIR"] = before


def served_answer(game: th.Game, level: int) -> tuple[float, float]:
    """Return the seconds to a served bot's first move, from the server's start and the table's."""
    with empty_cache():
        started = time.perf_counter()
        with running_server() as address:
            created = time.perf_counter()
            table, secrets = create_table(address, game.start(), level, game.start().player)
            with connect(f"{address.replace('http', 'ws')}/api/tables/{table}/socket") as socket:
                join = {"type": "join", "protocol": 2, "secrets": secrets, "snapshots": False}
                socket.send(json.dumps(join))
                while not receive_moves(socket):
                    pass
            now = time.perf_counter()
    return now - started, now - created


def local_answer(game: th.Game, level: int) -> float:
    """Return the seconds to a bot's first move in a new process."""
    with empty_cache():
        started = time.perf_counter()
        command = [sys.executable, "-c", IN_PROCESS, game.name, str(level)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline()
            return time.perf_counter() - started


def full_strength(games: list[th.Game]) -> dict[str, float]:
    """Return for each game the seconds from a server's start until all levels are prepared."""
    with empty_cache():
        started = time.perf_counter()
        with running_server():
            seconds: dict[str, float] = {}
            while len(seconds) < len(games):
                for game in games:
                    if game.name not in seconds and all(kernels_ready(game, n) for n in LEVELS):
                        seconds[game.name] = time.perf_counter() - started
                time.sleep(POLL_SECONDS)
    return seconds


def compile_seconds(game: th.Game) -> dict[str, float]:
    """Return the CPU seconds that each kernel of a game takes to compile, in one process."""
    with empty_cache():
        command = [sys.executable, "-c", COMPILE, game.name]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    seconds: dict[str, float] = json.loads(output)
    return seconds


def main() -> None:
    """Measure, print a table, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--game", action="append", choices=th.games(), help="repeatable")
    parser.add_argument("--levels", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--full", action="store_true", help="measure the time to full strength too")
    parser.add_argument("--compile", action="store_true", help="measure compile times only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    options = parser.parse_args()
    games = [th.load(name) for name in options.game or th.games()]
    if options.compile:
        for game in games:
            seconds = compile_seconds(game)
            parts = ", ".join(f"{kernel} {one}" for kernel, one in seconds.items())
            print(f"{game.name}: {sum(seconds.values()):.1f} s ({parts})")
        return
    rows = []
    for game in games:
        for level in options.levels:
            served, table = served_answer(game, level)
            row = {"game": game.name, "level": level, "served": served, "table": table}
            rows.append({**row, "process": local_answer(game, level)})
    full = full_strength(games) if options.full else {}
    shown = Table(title="First answer on an empty kernel cache, in seconds")
    columns = ("game", "level", "from the server's start", "from the table's creation")
    for heading in (*columns, "new process without a server", "full strength"):
        shown.add_column(heading, justify="left" if heading == "game" else "right")
    for entry in rows:
        numbers = (f"{entry[name]:.2f}" for name in ("served", "table", "process"))
        strength = f"{full[entry['game']]:.1f}" if full else ""
        shown.add_row(entry["game"], str(entry["level"]), *numbers, strength)
    Console(width=120).print(shown)
    if options.json:
        options.json.write_text(json.dumps({"answers": rows, "full_strength": full}, indent=1))


if __name__ == "__main__":
    main()
