"""What can go wrong, each with a sentence that says what was wrong and what is allowed."""

from collections.abc import Iterable


class OptionError(ValueError):
    """An unknown game, an unknown option or a value that is not allowed."""


class IllegalMove(ValueError):  # noqa: N818 - a promised name
    """A move that may not be played here; the position is unchanged."""


class PositionError(ValueError):
    """A position text that cannot be read or that no game can reach in form."""


class RecordError(ValueError):
    """A game record that cannot be read; says in which line and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason

    def __reduce__(self) -> tuple[type["RecordError"], tuple[int, str]]:
        return (type(self), (self.line, self.reason))


class DeviceError(RuntimeError):
    """The asked-for device is not there or cannot run the games."""


def listing(names: Iterable[object], most: int = 12) -> str:
    """Names for an error message: all of them, or the first few and how many more."""
    every = [str(name) for name in names]
    shown = ", ".join(every[:most])
    return shown if len(every) <= most else f"{shown}, … ({len(every)} in all)"


def quoted(text: object, most: int = 60) -> str:
    """Foreign text made safe and short enough to stand in an error message."""
    shown = repr(text)
    return shown if len(shown) <= most else f"{shown[:most]}…"
