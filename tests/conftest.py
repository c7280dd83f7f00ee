"""Fixtures of all tests."""

import os
import sys
from pathlib import Path

import pytest

# Several processes run tests, and threads that spin while they wait for each other take their time.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
# The user's cache may have tablebases, with which solvers and bots answer otherwise.
os.environ["TEAHOUSE_CACHE_DIR"] = str(Path(__file__).parents[1] / ".pytest_cache" / "kernels")


@pytest.fixture
def no_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let environments run interpreted unless their kernels are cached: compiling takes longer."""
    monkeypatch.setattr("teahouse.rl.episode.COMPILE_AFTER", sys.maxsize)
