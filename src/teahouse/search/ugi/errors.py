"""Failures of an engine that another process runs."""

from __future__ import annotations

from typing import Literal

FailureKind = Literal["start", "timeout", "illegal move", "flood", "crash"]


class EngineFailure(RuntimeError):  # noqa: N818 - the engine failed, not this program
    """An engine did not start, exceeded its time, played an illegal move, flooded or crashed."""

    def __init__(self, kind: FailureKind, message: str, stderr: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.stderr = stderr
        """The end of what the engine wrote to its error stream."""

    @property
    def report(self) -> str:
        """The message, and the last line of the error stream if there is one."""
        lines = self.stderr.strip().splitlines()
        return f"{self.message} Its last error line: {lines[-1]}" if lines else self.message

    def __reduce__(self) -> tuple[type[EngineFailure], tuple[FailureKind, str, str]]:
        return (type(self), (self.kind, self.message, self.stderr))
