"""Compile processes that cannot be started or do not come to an end."""

from __future__ import annotations

import errno
import subprocess
import sys

import pytest

import teahouse as th
from teahouse.search import compile_process
from teahouse.search.compile_process import CompileError, CompileProcess
from teahouse.search.kernels import BY_NAME
from teahouse.search.prepare import Preparation

ENDLESS = """
from teahouse.search import compile_process, kernels
compile_process.MAX_SECONDS = 0.05
kernels.compile_kernel = lambda *_: all(iter(lambda: True, False))
compile_process.main()
"""


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


def test_a_kernel_that_is_compiled_for_too_long_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", ENDLESS]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    monkeypatch.setattr(compile_process, "_start", start)
    process = CompileProcess()
    kernel = next(iter(BY_NAME.values()))
    for _ in range(2):  # by another process
        with pytest.raises(CompileError, match="of CPU time"):
            process.compile(kernel, th.load("orochi", side=2))
