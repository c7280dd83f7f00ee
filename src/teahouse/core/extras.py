"""Libraries that only some parts need: extras of the package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from teahouse.core.errors import OptionError


class MissingExtraError(OptionError, ImportError):
    """A part needs libraries that are not installed; the message has the command to type."""


@contextmanager
def extra(name: str, part: str) -> Iterator[None]:
    """Import libraries of an extra; say what to install if one is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("teahouse"):
            raise  # a fault of ours
        message = f"{error}; {part} needs: pip install 'teahouse[{name}]'"
        raise MissingExtraError(message) from None
