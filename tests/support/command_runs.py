"""Commands run in the process of the tests."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest

from teahouse.terminal.commands import main


@dataclass
class Run:
    """Runs commands that read no input in this process."""

    patch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        self.patch.setattr(sys, "argv", ["teahouse", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        code = left.value.code
        assert isinstance(code, int)
        return subprocess.CompletedProcess(arguments, code, *self.capture.readouterr())
