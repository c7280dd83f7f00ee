"""Measure what a move, a table and a server cost, and write it to `scale_costs.json`.

    python benchmarks/scale_costs.py [--rate 40] [--tables 40] [--seconds 20] [--rounds 2]

`scale_model.py` computes with these costs. A part of them is measured by one server and by two that
share the games (`several_load.py`): what two take more is the follower's. Memory of a table comes
from the growth with the number of sockets (`many_tables.py`), the flush from writes to this disk.
Of several rounds the smallest costs count, since other programs only add to them. A load average
above the number of cores is noted as `busy`: measure again on quiet cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from many_tables import measure as measure_tables
from scale_model import COSTS
from several_load import Load
from several_load import measure as measure_load

FLUSHES = 200
PAGE = bytes(8_192)
"""As PostgreSQL writes its log."""


def notification_us(words: int = 20_000) -> float:
    """Return the microseconds of CPU time for a notification about a table that is not here."""
    from teahouse.server.tables.notifications import decode_change

    text = " ".join(f"abcdefghij:{one}:{'x' * 250}" for one in range(words))
    rooms: dict[str, object] = {}
    began = time.process_time()
    for table_id, _, _ in map(decode_change, text.split(" ")):
        rooms.get(table_id)
    return 1e6 * (time.process_time() - began) / words


def flush_ms(folder: Path) -> float:
    """Return the median milliseconds until a page is on the disk of a folder."""
    took = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for number in range(FLUSHES):
            os.pwrite(file.fileno(), PAGE, (number % 64) * len(PAGE))
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append(1e3 * (time.perf_counter() - began))
    return statistics.median(took)


def costs_of(one: Load, two: Load) -> dict[str, float]:
    """Return the costs of a move from the loads of one server and of two."""
    return {
        "house_ms": one.server_cpu,
        "follower_ms": max(0.0, two.server_cpu - one.server_cpu),
        "database_ms": one.database_cpu,
        "idle_house_ms": one.idle_server_cpu,
    }


async def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Return all costs, and how they were measured."""
    rounds: list[tuple[Load, Load]] = []
    for number in range(options.rounds):
        rounds.append((await measure_load(options, 1), await measure_load(options, 2)))
        print(number + 1, *map(asdict, rounds[-1]), file=sys.stderr)
    costs = [costs_of(one, two) for one, two in rounds]
    smallest = {name: round(min(one[name] for one in costs), 2) for name in costs[0]}
    # The quickest follower may be of a slow round of one server: compare the smallest of both.
    two = min(pair[1].server_cpu for pair in rounds)
    smallest["follower_ms"] = round(max(0.0, two - smallest["house_ms"]), 2)
    last = rounds[-1][0]
    memory: dict[str, Any] = await measure_tables(
        argparse.Namespace(servers=2, tables=400, sockets=800, rate=options.rate, seconds=5.0)
    )
    load = os.getloadavg()[0]
    return {
        "measured": datetime.now(UTC).strftime("%Y-%m-%d"),
        "command": f"python benchmarks/scale_costs.py --rate {options.rate:g} --tables"
        f" {options.tables} --seconds {options.seconds:g} --rounds {options.rounds}",
        "load_average": round(load, 1),
        "busy": load > (os.cpu_count() or 1),
        **smallest,
        "notification_us": round(notification_us(), 2),
        "client_bytes": last.client_bytes,
        "log_bytes": round(last.log_bytes),
        "stored_bytes": round(last.stored_bytes),
        "process_mb": round(memory["started_mb"] / 2),
        "table_kb": memory["kb_per_socket"][-1],
        "flush_ms": round(flush_ms(options.disk), 3),
    }


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rate", type=float, default=40.0, help="moves in a second")
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--idle", type=float, default=10.0, help="seconds to measure idle servers")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--disk", type=Path, default=Path(), help="folder on the database's disk")
    parser.add_argument("--dry-run", action="store_true", help="print only")
    options = parser.parse_args()
    text = json.dumps(asyncio.run(measure(options)), indent=1) + "\n"
    print(text, end="")
    if not options.dry_run:
        COSTS.write_text(text)


if __name__ == "__main__":
    main()
