"""Latency of other users while a server is attacked.

    python benchmarks/abuse.py [ATTACK …] [--addresses 1] [--seconds 20] [--list] [--json FILE]

Every attack of `benchmarks/attacks/` runs against a server of its own with default limits, from one
or from eight addresses of the loopback network, at low priority and in a process of its own. From
another address two people play, somebody plays a level-1 bot, and somebody loads the first page.
"delivered" is the time from sending a move until the opponent receives it (`told_ms` in JSON);
"stall" the longest CPU time that the event loop was blocked. The exit status is 1 if a target is
missed: delivery in 30 ms (median) and 300 ms (worst) with one address, in 60 ms and 600 ms with
eight.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from attacks import Attack, load_attacks
from attacks.target import Target
from innocents import Innocents

INNOCENT_ADDRESS = "127.0.0.100"
TARGETS = {1: (30.0, 300.0), 8: (60.0, 600.0)}
"""Median and worst milliseconds by the number of attacking addresses."""
WARM_UP_SECONDS = 2.0
NONE = "none"


def serve_database(database: str) -> None:
    """Run a server with default limits."""
    from teahouse.server.serve import BindAddress, serve
    from teahouse.server.settings import ServerSettings

    serve(ServerSettings(database=database), BindAddress("127.0.0.1", 0, False), browser=False)


async def run_attack(name: str, port: int, addresses: int, seconds: float) -> None:
    """Run an attack from some addresses for some seconds, then print the responses."""
    chosen = load_attacks()[name]
    targets = [Target(port, f"127.0.0.{number + 1}") for number in range(addresses)]
    running = [asyncio.ensure_future(chosen.run(target)) for target in targets]
    done, pending = await asyncio.wait(running, timeout=seconds)
    outcomes: Counter[str] = Counter()
    for task in done:
        if error := task.exception():
            outcomes[f"failed: {error!r}"] += 1
    for task in pending:
        task.cancel()
    await asyncio.wait(running, timeout=5)
    for target in targets:
        outcomes += target.outcomes
    print(json.dumps(outcomes), flush=True)
    os._exit(0)  # thousands of sockets need not be closed one by one


@contextmanager
def running_server(descriptors: int | None) -> Iterator[tuple[int, int]]:
    """Run a server in a process of its own; yield its port and process id."""

    def limit() -> None:
        if descriptors is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--serve", f"{folder}/teahouse.db"]
        log = open(f"{folder}/log", "w+")  # noqa: SIM115 - closed below
        with (
            log,
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, preexec_fn=limit
            ) as server,
        ):
            try:
                assert server.stdout is not None
                yield int(server.stdout.readline().rsplit(":", 1)[1].strip("/\n")), server.pid
            finally:
                server.send_signal(signal.SIGKILL)
            log.seek(0)
            if "Traceback" in (text := log.read()):
                print(text[-2_000:], file=sys.stderr)


async def measure(chosen: Attack | None, options: argparse.Namespace) -> dict[str, Any]:
    """Return the latencies of other users during an attack, or without any."""
    with running_server(chosen.descriptors if chosen else None) as (port, server):
        innocents = Innocents(port, INNOCENT_ADDRESS)
        await innocents.start()
        await asyncio.sleep(WARM_UP_SECONDS)
        innocents.clear()
        outcomes: dict[str, int] = {}
        if chosen is None:
            await asyncio.sleep(options.seconds)
        else:
            attackers = await asyncio.create_subprocess_exec(
                *("nice", "-n", "19", sys.executable, __file__, "--attack", chosen.name),
                *("--port", str(port), "--addresses", str(options.addresses)),
                *("--seconds", str(options.seconds)),
                stdout=asyncio.subprocess.PIPE,
            )
            out, _ = await attackers.communicate()
            outcomes = json.loads(out or b"{}")
        await innocents.stop()
        stalls = await innocents.event_loop()
        return {
            "attack": chosen.name if chosen else NONE,
            "addresses": options.addresses if chosen else 0,
            "told_ms": summary(innocents.told),
            "bot_ms": summary(innocents.bot),
            "page_ms": summary(innocents.page),
            "innocent_errors": dict(innocents.errors),
            "server_megabytes": resident_megabytes(server),
            "longest_work_ms": stalls["longest_work_ms"],
            "outcomes": outcomes,
        }


def summary(seconds: Sequence[float]) -> dict[str, float]:
    """Return the count, the median and the worst, in milliseconds."""
    values = np.array(seconds or [np.nan]) * 1e3
    return {
        "count": len(seconds),
        "median": round(float(np.median(values)), 1),
        "worst": round(float(np.max(values)), 1),
    }


def resident_megabytes(process: int) -> int:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000


def missed(result: dict[str, Any]) -> bool:
    """Return whether a result misses the targets for its number of addresses."""
    median, worst = TARGETS[8 if result["addresses"] > 1 else 1]
    told = result["told_ms"]
    return bool(
        result["attack"] != NONE
        and not (told["count"] and told["median"] <= median and told["worst"] <= worst)
    )


def print_row(result: dict[str, Any]) -> None:
    """Print a result as a row of the table."""
    cells = [
        f"{one['median']:8.1f}{one['worst']:8.0f}"
        for one in (result["told_ms"], result["bot_ms"], result["page_ms"])
    ]
    mark = "missed" if missed(result) else ""
    answers = " ".join(f"{name}:{count}" for name, count in sorted(result["outcomes"].items()))
    errors = " ".join(f"!{name}:{count}" for name, count in result["innocent_errors"].items())
    work = f"{result['longest_work_ms']:7.0f}{result['server_megabytes']:5}"
    print(f"{result['attack']:26}{''.join(cells)}{work} {mark:7}{errors} {answers}", flush=True)


def main() -> None:
    """Run the chosen attacks and print a row for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("attacks", nargs="*")
    parser.add_argument("--addresses", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--attack", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve_database(options.serve)
        return
    known = load_attacks()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if options.attack:
        asyncio.run(run_attack(options.attack, options.port, options.addresses, options.seconds))
    if options.list:
        for one in known.values():
            print(f"{one.name:26}{one.description}")
        return
    unknown = set(options.attacks) - {NONE, *known}
    if unknown:
        parser.error(f"unknown attacks {sorted(unknown)}; attacks: {', '.join([NONE, *known])}")
    print(f"{'median, worst in ms':26}{'delivered':>16}{'bot':>16}{'page':>16}  stall   MB")
    results = []
    for name in options.attacks or [NONE, *known]:
        results.append(asyncio.run(measure(known.get(name), options)))
        print_row(results[-1])
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    sys.exit(1 if any(missed(result) for result in results) else 0)


if __name__ == "__main__":
    main()
