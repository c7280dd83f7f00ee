"""Options of the UGI engine: its own, and those of the game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from teahouse.core.errors import OptionError, listing, quoted
from teahouse.core.game import Game, game_info
from teahouse.core.options import (
    BoolOption,
    ChoiceOption,
    IntOption,
    Option,
    allowed_text,
    option_text,
)
from teahouse.core.random import SEED_LIMIT
from teahouse.core.validate import check_int
from teahouse.search.analysis import MAX_MEMORY
from teahouse.search.levels import ENGINES, LEVELS, check_engine, uses_network
from teahouse.search.threads import MAX_THREADS, default_threads

MAX_LINES = 20
"""Lines that `multipv` may ask for."""
EMPTY = "<empty>"
"""The text of an option without a value, as in UCI."""
LINE_BREAK = "\\n"
"""A line break in the value of an option."""


@dataclass(frozen=True)
class EngineSettings:
    """The engine's own options."""

    level: int = 0
    """The level to play at; 0 for the best move found within the limits of `go`."""
    threads: int = 1
    hash: int = 256
    """Memory in MB."""
    seed: int = 0
    multipv: int = 1
    engine: str = "search"

    @classmethod
    def of(cls, game: Game, level: int = 0) -> EngineSettings:
        """Return the default settings for a game."""
        engine = "network" if uses_network(game, LEVELS[-1]) else "search"
        return cls(threads=default_threads(), engine=engine).changed("level", str(level))

    def changed(self, name: str, text: str) -> EngineSettings:
        """Return the settings with another value; raise `OptionError` if it is not allowed."""
        if name == "engine":
            return replace(self, engine=check_engine(text))
        low, high = BOUNDS[name]
        digits = text.isascii() and text.isdigit() and len(text) < 20
        number = check_int(name, int(text) if digits else text, low, high)
        return replace(self, **{name: number})  # type: ignore[arg-type]


BOUNDS = {
    "level": (0, LEVELS[-1]),
    "threads": (1, MAX_THREADS),
    "hash": (1, MAX_MEMORY),
    "seed": (0, SEED_LIMIT - 1),
    "multipv": (1, MAX_LINES),
}


def declarations(game: Game, settings: EngineSettings) -> Iterator[str]:
    """Yield the `option` lines that the engine sends after `ugi`."""
    for one in fields(settings):
        value = getattr(settings, one.name)
        if one.name == "engine":
            yield _line(one.name, "combo", value, (f"var {name}" for name in ENGINES))
        else:
            low, high = BOUNDS[one.name]
            yield _line(one.name, "spin", value, (f"min {low}", f"max {high}"))
    for name, option in game_info(game.name).options.items():
        yield _declaration(name, option, game.all_options[name])


def _declaration(name: str, option: Option, value: Any) -> str:
    """Return the line that declares an option of the game."""
    text = option_text(value).replace("\n", LINE_BREAK)
    match option:
        case IntOption(low=low, high=high):
            return _line(name, "spin", text, (f"min {low}", f"max {high}"))
        case BoolOption():
            return _line(name, "check", text, ())
        case ChoiceOption(names=names):
            return _line(name, "combo", text, (f"var {option_text(one)}" for one in names))
    return _line(name, "string", text or EMPTY, ())


def _line(name: str, kind: str, default: object, rest: Iterable[str]) -> str:
    return " ".join([f"option name {name} type {kind} default {default}", *rest])


def parse_setoption(words: list[str]) -> tuple[str, str]:
    """Return name and value from `name NAME value VALUE`; raise `OptionError`."""
    if words[:1] != ["name"] or "value" not in words[2:]:
        raise OptionError("Expected setoption name NAME value VALUE.")
    at = words.index("value", 2)
    return " ".join(words[1:at]), " ".join(words[at + 1 :])


def option_value(game: Game, name: str, text: str) -> tuple[str, Any]:
    """Return the exact name of an option of the game and its value; raise `OptionError`."""
    declared = game_info(game.name).options
    exact = next((one for one in declared if one.lower() == name.lower()), None)
    if exact is None:
        own = [one.name for one in fields(EngineSettings)]
        raise OptionError(f"Unknown option {quoted(name)}; options: {listing([*own, *declared])}.")
    option = declared[exact]
    if text in ("", EMPTY):
        return exact, option.default
    try:
        return exact, option.parse(text.replace(LINE_BREAK, "\n"))
    except (ValueError, TypeError, KeyError, OverflowError):
        raise OptionError(f"{exact} must be {allowed_text(option)}, got {quoted(text)}.") from None


def check_sides(game: Game) -> Game:
    """Return a game with two sides; raise `OptionError` for any other."""
    if len(game.teams) != 2:
        raise OptionError(
            f"The Universal Game Interface is for two sides; {game.name} has {len(game.teams)} "
            "with these options."
        )
    return game
