"""Exceptions, and helpers for their messages: what failed, why, and what is allowed."""

from collections.abc import Iterable


class OptionError(ValueError):
    """An unknown game or option, or an argument that is not allowed."""


class IllegalMove(ValueError):  # noqa: N818 - a promised name
    """An illegal move or action; the position is unchanged."""


class PositionError(ValueError):
    """A position text that cannot be parsed or is not a valid position."""


class RecordError(ValueError):
    """A record that cannot be parsed, with line and reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason

    def __reduce__(self) -> tuple[type["RecordError"], tuple[int, str]]:
        return (type(self), (self.line, self.reason))


class DeviceError(RuntimeError):
    """The requested device is missing or not usable."""


class TaskError(RuntimeError):
    """A job cannot go on: a task failed, or the processes that run it did."""


def listing(names: Iterable[object], limit: int = 12) -> str:
    """Return the names separated by commas, shortened to the first few and the total number."""
    texts = [str(name) for name in names]
    listed = ", ".join(texts[:limit])
    return listed if len(texts) <= limit else f"{listed}, … ({len(texts)} in total)"


def quoted(value: object, limit: int = 60) -> str:
    """Return the repr of untrusted input, shortened for an error message."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}…"
