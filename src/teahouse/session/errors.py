"""Rejected commands."""

from __future__ import annotations

from collections.abc import Sequence


class CommandError(ValueError):
    """A command was rejected and nothing has changed.

    `code` is for programs, `message` for people; `allowed` lists the accepted values where they
    are known.
    """

    def __init__(self, code: str, message: str, allowed: Sequence[str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.allowed = allowed
