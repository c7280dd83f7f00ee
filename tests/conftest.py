"""Fixtures of all tests."""

import sys

import pytest

from teahouse.rl import episode


@pytest.fixture
def no_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let environments run interpreted unless their kernels are cached: compiling takes longer."""
    monkeypatch.setattr(episode, "COMPILE_AFTER", sys.maxsize)
