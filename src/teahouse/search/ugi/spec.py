"""The text of a UGI player: `ugi[seconds=0.5,on_failure=level3,option.Hash=64]:./engine arg …`."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, fields

from teahouse.core.errors import OptionError, quoted
from teahouse.core.options import parse_options
from teahouse.search.levels import level_of_bot
from teahouse.search.ugi.protocol import Go

PREFIX = "ugi"
LOSE = "lose"
UNTIMED_SECONDS = 60.0
_SPEC = re.compile(r"ugi(?:\[(?P<settings>[^\]]*)\])?:(?P<command>.+)", re.DOTALL)


@dataclass(frozen=True)
class UgiSettings:
    """How an engine is run."""

    seconds: float | None = None
    """Time per move; by default one second, unless `nodes` are given."""
    nodes: int | None = None
    """Nodes per move."""
    limit: float = UNTIMED_SECONDS
    """Seconds until a search by nodes fails."""
    margin: float = 0.5
    """Seconds that an answer may be late."""
    start: float = 30.0
    """Seconds for the engine to start, and to get ready for a move."""
    on_failure: str = LOSE
    """`lose`, or the level of the bot that plays on, such as `level3`."""
    options: dict[str, str] = field(default_factory=dict)
    """The engine's options by name."""

    @property
    def fallback(self) -> int | None:
        """The level of the bot that replaces a failed engine; None if the engine loses."""
        return None if self.on_failure == LOSE else level_of_bot(self.on_failure)

    @property
    def go(self) -> Go:
        """The limits of each search."""
        return Go(
            seconds=1.0 if self.seconds is None and self.nodes is None else self.seconds,
            nodes=self.nodes,
        )


def is_ugi(spec: str) -> bool:
    """Return whether a player's text stands for a UGI engine."""
    return spec.startswith((f"{PREFIX}:", f"{PREFIX}["))


def parse_spec(spec: str) -> tuple[list[str], UgiSettings]:
    """Return the command and the settings of a player's text.

    Raise `OptionError` if it is not valid or the program is missing.
    """
    match = _SPEC.fullmatch(spec)
    try:
        command = shlex.split(match["command"]) if match else []
    except ValueError as error:
        raise OptionError(f"{quoted(spec)}: {error}.") from None
    if not match or not command:
        raise OptionError(
            f"{quoted(spec)}: expected ugi:PROGRAM ARGUMENT … or ugi[SETTING=VALUE,…]:PROGRAM …."
        )
    settings = _parse_settings(spec, match["settings"] or "")
    if shutil.which(command[0]) is None:
        raise OptionError(f"{quoted(spec)}: there is no program {quoted(command[0])}.")
    return command, settings


def _parse_settings(spec: str, text: str) -> UgiSettings:
    """Parse the settings in brackets."""
    values: dict[str, float | int | str] = {}
    options: dict[str, str] = {}
    kinds: dict[str, Callable[[str], float | int | str]] = {
        "seconds": float,
        "nodes": int,
        "limit": float,
        "margin": float,
        "start": float,
        "on_failure": str,
    }
    assert kinds.keys() | {"options"} == {one.name for one in fields(UgiSettings)}
    for name, value in parse_options(part for part in text.split(",") if part).items():
        if name.startswith("option."):
            options[name.removeprefix("option.")] = value
            continue
        if name not in kinds:
            raise OptionError(
                f"{quoted(spec)}: unknown setting {quoted(name)}; settings: {', '.join(kinds)}, "
                "option.NAME."
            )
        try:
            values[name] = kinds[name](value)
        except ValueError:
            raise OptionError(f"{quoted(spec)}: {name} must be a number.") from None
        number = values[name]
        if not isinstance(number, str) and not 0 < number <= 10**9:
            raise OptionError(f"{quoted(spec)}: {name} must be above 0 and finite, got {value}.")
    settings = UgiSettings(**values, options=options)  # type: ignore[arg-type]
    if settings.on_failure != LOSE and settings.fallback is None:
        raise OptionError(
            f"{quoted(spec)}: on_failure must be lose or level1 to level8, got "
            f"{quoted(settings.on_failure)}."
        )
    return settings
