"""Libraries that only some parts need: extras of the package."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from teahouse.core.errors import OptionError

PARTS_OF_HOUSE = {"learned", "pictures", "server", "terminal"}
"""The extras that the extra `house` includes."""


class MissingExtraError(OptionError, ImportError):
    """A part needs libraries that are not installed; the message has the command to type."""


@contextmanager
def extra(name: str, part: str) -> Iterator[None]:
    """Import libraries of an extra; raise `MissingExtraError` if one is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("teahouse"):
            raise  # a fault of ours
        raise MissingExtraError(f"{error}; {part} needs: {install_command(name)}") from None


def install_command(*extras: str, prefix: str | None = None) -> str:
    """Return the command that installs extras into this environment, or the one at a prefix.

    pipx and uv own the environments of programs and make them anew, so there everything to play and
    to host is named too. One that uv made for a single run is gone after it: the run is repeated.
    """
    environment = Path(sys.prefix if prefix is None else prefix)
    whole = _requirement({*extras, "house"} - PARTS_OF_HOUSE)
    if (environment / "pipx_metadata.json").exists():
        return f"pipx install --force {whole}"
    if (environment / "uv-receipt.toml").exists():
        return f"uv tool install {whole}"
    wanted = _requirement(extras)
    try:
        made_by_uv = "\nuv = " in f"\n{(environment / 'pyvenv.cfg').read_text(encoding='utf-8')}"
    except OSError:
        made_by_uv = False
    if not made_by_uv:
        return f"pip install {wanted}"
    if any(part.startswith(("archive-v", "builds-v")) for part in environment.parts):
        return f"uvx --from {whole} {shlex.join(['teahouse', *sys.argv[1:]])}"
    return f"uv pip install {wanted}"


def _requirement(extras: Collection[str]) -> str:
    return f"'teahouse[{','.join(sorted(extras))}]'"
