"""Measure rows in turns with their peers, over several rounds; the best round of each counts."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from teahouse.bench.measures import MEASURES, UNITS
from teahouse.bench.peers import PGX_SIZES, Peers
from teahouse.core.game import Game, game_info, non_default_options
from teahouse.core.options import option_text

OPENSPIEL_RATE = {"playouts": "moves", "loop": "moves", "search": "simulations"}
PGX_KINDS = ("batch", "planes")
HEX = "Pgx hex"


@dataclass(frozen=True)
class Row:
    """One figure: a kind of work, a game with its options, and threads."""

    kind: str
    game: Game
    threads: int = 1

    @property
    def title(self) -> str:
        """The game with its first option, such as the board's size, and those not at default."""
        changed = non_default_options(self.game)
        shown = [
            f"{name}={option_text(value)}"
            for index, (name, value) in enumerate(self.game.options.items())
            if name in changed or (index == 0 and value is not None)
        ]
        return " ".join([self.game.name, *shown])

    @property
    def name(self) -> str:
        """The name of the row in tables and in the history."""
        threads = f", {self.threads} threads" if self.threads > 1 else ""
        return f"{self.kind} {self.title}{threads}"

    @property
    def unit(self) -> str:
        """What is counted."""
        return UNITS[self.kind]

    @property
    def peer(self) -> str | None:
        """The game of another library that does the same work."""
        if self.kind in PGX_KINDS:
            return HEX
        if self.kind in OPENSPIEL_RATE and self.threads == 1:
            return f"OpenSpiel {game_info(self.game.name).peer}"
        return None


@dataclass(frozen=True)
class Result:
    """A measured row."""

    row: Row
    value: float
    peer_value: float | None
    """The peer's rate in the same run; None if it is not installed."""

    @property
    def ratio(self) -> float | None:
        """How many times as fast as the peer."""
        return self.value / self.peer_value if self.peer_value else None


def measure(
    rows: Sequence[Row],
    peers: Peers,
    *,
    rounds: int = 3,
    seconds: float = 0.5,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Result]:
    """Measure every row and every peer once in each round."""
    ours: dict[Row, float] = {}
    theirs: dict[str, dict[str, float]] = {}
    names = sorted({row.peer for row in rows if row.peer and _available(row.peer, peers)})
    done, total = 0, rounds * (len(rows) + len(names))
    for _ in range(rounds):
        for name in names:
            progress(done, total)
            best = theirs.setdefault(name, {})
            for kind, rate in _measure_peer(name, peers, seconds).items():
                best[kind] = max(rate, best.get(kind, 0.0))
            done += 1
        for row in rows:
            progress(done, total)
            rate = MEASURES[row.kind](row.game, row.threads, seconds)
            ours[row] = max(rate, ours.get(row, 0.0))
            done += 1
    progress(total, total)
    return [Result(row, ours[row], _peer_value(row, theirs)) for row in rows]


def _available(peer: str, peers: Peers) -> bool:
    return bool(peers.pgx if peer == HEX else peers.openspiel)


def _measure_peer(name: str, peers: Peers, seconds: float) -> dict[str, float]:
    """Return a peer's rates by kind of work."""
    if name == HEX:
        found = [peers.pgx_rates(size, seconds) for size in PGX_SIZES]
        return {key: max(rates[key] for rates in found) for key in found[0]}
    return peers.openspiel_rates(name.partition(" ")[2], seconds)


def _peer_value(row: Row, theirs: dict[str, dict[str, float]]) -> float | None:
    rates = theirs.get(row.peer or "")
    if not rates:
        return None
    if row.kind in PGX_KINDS:
        return rates["cpu_steps" if row.threads == 1 else "steps"]
    return rates[OPENSPIEL_RATE[row.kind]]


def machine() -> str:
    """Return the processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
