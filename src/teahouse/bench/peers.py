"""Other libraries, each in a process of its own that measures itself on request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from teahouse.core.errors import TaskError

HERE = Path(__file__).parent
PGX_SIZES = (1 << 10, 1 << 12, 1 << 14)
"""Batch sizes of Pgx that are tried; the best counts."""


@dataclass
class Peers:
    """The libraries that are installed: for each the Python that can import it."""

    openspiel: str | None = None
    pgx: str | None = None
    _running: dict[str, subprocess.Popen[str]] = field(default_factory=dict)

    @classmethod
    def installed(cls) -> Peers:
        """Return those that this Python can import."""
        return cls(
            sys.executable if find_spec("pyspiel") else None,
            sys.executable if find_spec("pgx") and find_spec("jax") else None,
        )

    def openspiel_rates(self, game: str, seconds: float) -> dict[str, float]:
        """Return simulations and moves per second of OpenSpiel's MCTS, by CPU time."""
        assert self.openspiel
        found: dict[str, float] = json.loads(
            self._ask(self.openspiel, "openspiel_peer.py", f"{seconds} {game}")
        )
        return found

    def pgx_rates(self, size: int, seconds: float) -> dict[str, float]:
        """Return the steps of a batch of Pgx's Hex, per second on all cores and of CPU time."""
        assert self.pgx
        found: dict[str, float] = json.loads(
            self._ask(self.pgx, "pgx_peer.py", f"{size} {seconds}")
        )
        return found

    def _ask(self, python: str, program: str, request: str) -> str:
        process = self._running.get(program)
        if process is None:
            process = self._running[program] = subprocess.Popen(  # noqa: S603 - our own program
                [python, str(HERE / program)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "JAX_PLATFORMS": "cpu"},
            )
        assert process.stdin and process.stdout
        print(request, file=process.stdin, flush=True)
        answer = process.stdout.readline()
        if not answer:
            raise TaskError(f"The benchmark's process {program} ended; see its messages above.")
        return answer

    def close(self) -> None:
        """End the processes."""
        for process in self._running.values():
            process.communicate()  # closes its input, which ends it
        self._running.clear()
