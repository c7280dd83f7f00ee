"""Compile processes that cannot be started."""

from __future__ import annotations

import errno
import subprocess

import pytest

import teahouse as th
from teahouse.search.prepare import Preparation


def test_a_compile_process_that_cannot_be_started_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("teahouse.search.prepare.is_ready", lambda *_: False)
    monkeypatch.setattr(subprocess, "Popen", fail)
    game = th.load("orochi", side=2)
    preparation = Preparation()
    for _ in range(2):  # the thread goes on after the first time
        preparation.add(game)
        assert preparation.wait(60)
        assert "Too many open files" in (preparation.error(game) or "")
    preparation.close()
