"""Compare the rates of `history.csv` with the hardware limits; write `docs/roofline.md`.

    python benchmarks/roofline.py
    python benchmarks/roofline.py --limits    measures the peak rates of this machine's CPU before

Part of `make bench` and `make bench-gpu`. Operations of a move are counted in interpreted runs,
which take the same steps as compiled ones: the bytecodes of a game's rules that compute or compare,
and those that read or write a field or an element. Bytes of a step are the sizes of the arrays that
a batch reads and writes. The peak rates of a CPU are rows of `history.csv` too.
"""

from __future__ import annotations

import argparse
import dis
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numba
import numpy as np
from history import Entry, append, commit, read
from tables import TABLES, Figures, latest, titles

import teahouse as th
from teahouse.bench import measures
from teahouse.bench.suite import machine
from teahouse.core import jit
from teahouse.core.encoding import observation_spec
from teahouse.core.options import parse_options
from teahouse.core.playouts import count_games
from teahouse.rl import Batch
from teahouse.rl.kernels import slot_type

PAGE = Path(__file__).parents[1] / "docs" / "roofline.md"
KERNELS = (f"{os.sep}games{os.sep}", f"{os.sep}core{os.sep}", f"{os.sep}rl{os.sep}kernels")
COMPUTE = ("BINARY_OP", "COMPARE_OP", "UNARY_NEGATIVE", "UNARY_INVERT", "UNARY_NOT")
SUBSCRIPT = "BINARY_SUBSCR"
MEMORY = (SUBSCRIPT, "STORE_SUBSCR", "LOAD_ATTR", "STORE_ATTR")
GAMES, STEPS, BATCH = 6, 24, 3
CPU_TABLES, GPU_TABLES = ("moves", "batches"), ("gpu-moves", "gpu-batches")
"""Tables of docs/benchmarks.md with the rates of this page."""
ROUNDS = 50  # of a peak rate
H200 = "NVIDIA H200"
H200_BYTES = 4.8e12
"""Memory bandwidth in bytes per second, from the data sheet."""
H200_OPERATIONS = 67e12 / 2 / 2
"""32-bit integer operations per second: the data sheet has 67 TFLOPS of single precision, where a
fused multiply-add counts as two, and Hopper has half as many integer units."""


INTRODUCTION = """# Roofline

The share of the hardware's peak rates that each kind of work reaches. Where all shares are small,
the time goes to dependent instructions, branches and latency, or to unnecessary operations.

    python benchmarks/roofline.py    writes this page

Rates are those of [the benchmarks](benchmarks.md), the latest in `benchmarks/history.csv`.
*Operations* compute or compare, *accesses* read or write a field or an element, *bytes* are the
arrays of a batch that a step reads and writes; all are per move or step, counted in interpreted
runs of the rules at commit {commit}, even for rates of earlier commits. A compiler removes some
operations, and a vector instruction performs several, so a share above 100 % of the scalar rate is
possible. Random moves keep their state in registers and the L1 cache: no bytes are counted for
them.
"""
HEADINGS = (
    *("row", "commit", "operations", "accesses", "bytes", "per second"),
    *("% of scalar rate", "% of vector rate", "% of bandwidth"),
)


@dataclass(frozen=True)
class Cost:
    """What a move or step needs."""

    computing: float
    accesses: float
    """Of fields and elements."""
    size: float
    """Bytes of arrays read and written; 0 where everything stays in registers and caches."""


def count_operations(work: Callable[[], int]) -> tuple[float, float]:
    """Return computing and memory operations of the kernels, for each unit that `work` returns.

    It runs twice: the first time also binds kernels, which is not counted.
    """
    work()
    counts: Counter[str] = Counter()
    names: dict[CodeType, dict[int, str]] = {}

    def local(frame: FrameType, event: str, _: object) -> Any:
        if event == "opcode":
            code = frame.f_code
            table = names.get(code)
            if table is None:
                table = names[code] = {
                    one.offset: SUBSCRIPT if one.argrepr == "[]" else one.opname  # Python 3.14
                    for one in dis.get_instructions(code)
                }
            counts[table[frame.f_lasti]] += 1
        return local

    def called(frame: FrameType, event: str, _: object) -> Any:
        if not any(part in frame.f_code.co_filename for part in KERNELS):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return local

    sys.settrace(called)
    try:
        units = work()
    finally:
        sys.settrace(None)
    return sum(counts[name] for name in COMPUTE) / units, sum(
        counts[name] for name in MEMORY
    ) / units


def playout_cost(game: th.Game) -> Cost:
    """Return the cost of a random move; its state stays in the first cache or in registers."""

    def play() -> int:
        return count_games(game, None, GAMES, 1, 1, "cpu", None, jit.INTERPRETED).moves

    return Cost(*count_operations(play), 0.0)


def batch_cost(game: th.Game, observe: bool) -> Cost:
    """Return the cost of a step of a batch."""
    os.environ["TEAHOUSE_INTERPRETED"] = "1"
    try:
        batch = Batch(game, BATCH, seed=1)

        def run() -> int:
            for _ in range(STEPS):
                batch.step(batch.sample())
                if observe:
                    batch.observation  # noqa: B018 - runs its kernel
            return STEPS * BATCH

        found = count_operations(run)
    finally:
        del os.environ["TEAHOUSE_INTERPRETED"]
    spec = observation_spec(game)
    planes = len(spec.planes) * spec.shape[0] * spec.shape[1]
    size = (
        2 * (game.layout.state.itemsize + slot_type(spec).itemsize)  # read and written
        + 3 * spec.action_count  # masks: written, read to draw and to check
        + 2 * 8  # the action
        + 4 * len(game.players)  # rewards
        + 2  # the player to move, and whether the game ended
        + 2 * 4  # the number of legal actions
        + planes * observe
    )
    return Cost(*found, float(size))


def costs(game: th.Game) -> dict[str, Cost]:
    """Return the cost of each kind of work."""
    with measures.move_lists(game):
        listed = playout_cost(game)
    return {
        "playouts": playout_cost(game),
        "loop": listed,
        "batch": batch_cost(game, False),
        "planes": batch_cost(game, True),
    }


def _chains(count: int) -> int:
    """Compute with four independent chains of different operations, which no unit vectorises."""
    a, b, c, d = 1, 2, 3, 4
    for _ in range(count):
        a = (a ^ (a >> 7)) + 0x9E3779B9
        b = (b + (b << 3)) ^ 0x1234567
        c = (c - (c >> 5)) | 1
        d = (d & 0xFFFFFFFFFFFF) * 5 + 3
    return a ^ b ^ c ^ d


CHAIN_OPERATIONS = 12


def _vectors(a: Any, b: Any, c: Any, times: int) -> None:
    """Compute on arrays in the first cache, which compilers vectorise."""
    for _ in range(times):
        for index in range(len(a)):
            c[index] = ((a[index] ^ b[index]) + (a[index] >> 3)) & b[index]


VECTOR_OPERATIONS = 4


def best(work: Callable[[], float]) -> float:
    """Return the best rate of several runs; `work` returns what it did."""
    work()
    rates = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        done = work()
        rates.append(done / (time.process_time() - begin))
    return max(rates)


def chain_rate() -> float:
    """Return integer operations a second of one thread, without vector instructions."""
    count = 10_000_000
    chains: Any = numba.njit(_chains)

    def run() -> float:
        chains(count)
        return float(count * CHAIN_OPERATIONS)

    return best(run)


def vector_rate() -> float:
    """Return integer operations a second of one thread with vector instructions."""
    arrays = [_aligned(1024) for _ in range(3)]
    times = 50_000
    vectors: Any = numba.njit(_vectors)

    def run() -> float:
        vectors(*arrays, times)
        return 1024.0 * times * VECTOR_OPERATIONS

    return best(run)


def _aligned(count: int) -> np.ndarray:
    """Return numbers at the start of a cache line: across two of them vectors load slower."""
    line = 64
    room = np.zeros(8 * count + line, np.uint8)
    first = -room.ctypes.data % line
    found = room[first : first + 8 * count].view(np.int64)
    found[:] = np.arange(count)
    return found


def copy_rate() -> float:
    """Return the bytes a second that one thread reads and writes when it copies memory."""
    source = np.ones(1 << 27, np.uint8)
    target = np.zeros_like(source)

    def run() -> float:
        np.copyto(target, source)
        return 2.0 * source.nbytes

    return best(run)


LIMITS: dict[str, tuple[str, Callable[[], float]]] = {
    "limit scalar": ("scalar integer operations", chain_rate),
    "limit vector": ("vector integer operations", vector_rate),
    "limit copy": ("bytes read and written while copying 128 MB", copy_rate),
}
"""For each row of the history, what it is and what measures it."""


def save_limits() -> None:
    """Append the peak rates of this machine's CPU to the history."""
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    for row, (_, measure) in LIMITS.items():
        append(Entry(date, commit(), machine(), row, measure(), "", None))


def figures(entries: list[Entry], tables: tuple[str, ...]) -> Figures:
    """Return the latest figures of one thread or of a GPU in these tables, by row."""
    found: Figures = {}
    for table in tables:
        kinds, _ = TABLES[table]
        shown = latest(entries, kinds)
        found |= {
            f"{kind} {one}": shown[f"{kind} {one}"] for kind in kinds for one in titles(shown, kind)
        }
    return found


def split_row(row: str) -> tuple[str, str]:
    """Return the kind of work and the game of a row: ("batch", "orochi side=4")."""
    kind, title = row.removeprefix("GPU ").split(" ", 1)
    return {"unchecked": "batch"}.get(kind, kind), title.partition(",")[0]


def rounded(rate: float) -> str:
    """Return a rate in millions or billions."""
    return f"{rate / 1e9:,.2f} billion" if rate >= 1e9 else f"{rate / 1e6:,.2f} million"


def share(part: float) -> str:
    """Return a share in percent."""
    return f"{100 * part:.1f} %" if part < 0.1 else f"{100 * part:.0f} %"


def cpu_lines(entries: list[Entry], found: dict[str, dict[str, Cost]]) -> list[str]:
    """Return the section of the page about one thread of a CPU."""
    shown = figures(entries, CPU_TABLES)
    where = next(iter(shown.values())).machine
    limits = {one.row: one for one in entries if one.machine == where and one.row in LIMITS}
    if len(limits) < len(LIMITS):
        sys.exit(f"history.csv has no limits of {where}; run this with --limits there.")
    chains, vectors, copies = (limits[row].value for row in LIMITS)
    measured = limits["limit scalar"]
    lines = [
        f"## One core: {where}",
        "",
        f"| limit | per second, measured {measured.date} |",
        "|---|---|",
        *(f"| {what} | {rounded(limits[row].value)} |" for row, (what, _) in LIMITS.items()),
        "",
        f"| {' | '.join(HEADINGS)} |",
        f"|{'---|' * len(HEADINGS)}",
    ]
    for row, entry, cost, done in with_costs(shown, found):
        lines.append(
            f"| {row} | {entry.commit} | {cost.computing:,.0f} | {cost.accesses:,.0f} |"
            f" {cost.size:,.0f} | {rounded(entry.value)} | {share(done / chains)} |"
            f" {share(done / vectors)} |"
            f" {share(entry.value * cost.size / copies) if cost.size else '–'} |"
        )
    return lines


def with_costs(
    shown: dict[str, Entry], found: dict[str, dict[str, Cost]]
) -> Iterator[tuple[str, Entry, Cost, float]]:
    """Yield each figure with the cost of its kind of work and the operations per second."""
    for row, entry in shown.items():
        kind, title = split_row(row)
        cost = found[title][kind]
        yield row, entry, cost, entry.value * (cost.computing + cost.accesses)


def gpu_lines(entries: list[Entry], found: dict[str, dict[str, Cost]]) -> list[str]:
    """Return the section of the page about the GPU."""
    lines = [
        f"## {H200}",
        "",
        f"Peak rates from the data sheet: {H200_BYTES / 1e12:.1f} TB/s of memory bandwidth and"
        f" {H200_OPERATIONS / 1e12:.2f} trillion 32-bit integer operations per second"
        " (67 TFLOPS of single",
        "precision count a fused multiply-add as two, and Hopper has half as many integer units).",
        "",
        "| row | commit | per second | % of peak operations | % of bandwidth |",
        "|---|---|---|---|---|",
    ]
    on_h200 = [entry for entry in entries if entry.machine == H200]
    for row, entry, cost, done in with_costs(figures(on_h200, GPU_TABLES), found):
        lines.append(
            f"| {row.removeprefix('GPU ')} | {entry.commit} | {rounded(entry.value)} |"
            f" {share(done / H200_OPERATIONS)} |"
            f" {share(entry.value * cost.size / H200_BYTES) if cost.size else '–'} |"
        )
    return lines


def _game(title: str) -> th.Game:
    """Return the game that a row's title names."""
    name, *options = title.split(" ")
    return th.load(name, **parse_options(options))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--limits",
        action="store_true",
        help="measure the peak rates of this machine's CPU and append them to history.csv",
    )
    if parser.parse_args().limits:
        save_limits()
    entries = read()
    found: dict[str, dict[str, Cost]] = {}
    for row in figures(entries, (*CPU_TABLES, *GPU_TABLES)):
        _, title = split_row(row)
        if title not in found:
            print(f"counting {title}", file=sys.stderr)
            found[title] = costs(_game(title))
    text = [
        INTRODUCTION.format(commit=commit()),
        *cpu_lines(entries, found),
        "",
        *gpu_lines(entries, found),
        "",
    ]
    PAGE.write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main()
