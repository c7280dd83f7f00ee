"""Entrants: the bots of a match, each named by a text such as `level5` or `uct:seconds=0.1`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from teahouse.core.errors import OptionError, listing, quoted
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import advance, below, generator


class Player(Protocol):
    """Whoever can choose a move; if it has a field `simulations`, the arena reports that too."""

    def choose(self, position: Position, *, seed: int) -> str:
        """The text of a legal move."""


class RandomPlayer:
    """Chooses among all legal moves alike."""

    def choose(self, position: Position, *, seed: int) -> str:
        """A random legal move."""
        return position.legal[below(advance(generator(seed)), len(position.legal))]


@dataclass
class SearchPlayer:
    """Chooses what `analyse` finds best with these settings."""

    settings: dict[str, int | float]
    simulations: int = 0

    def choose(self, position: Position, *, seed: int) -> str:
        """The best move found."""
        from teahouse.search.analysis import analyse

        analysis = analyse(position, seed=seed, **self.settings)  # type: ignore[arg-type]
        self.simulations += analysis.simulations
        return analysis.best


@dataclass
class LevelPlayer:
    """A bot of the house."""

    game: Game
    level: int
    threads: int = 1

    def choose(self, position: Position, *, seed: int) -> str:
        """The bot's move."""
        return self._bot.choose(position, seed=seed, threads=self.threads)

    def __post_init__(self) -> None:
        import teahouse

        self._bot = teahouse.bot(self.game, level=self.level)


def player(game: Game, text: str) -> Player:
    """The player that an entrant's text stands for; an OptionError says what there is."""
    name, _, rest = text.partition(":")
    settings = _settings(text, rest)
    level = re.fullmatch(r"level([1-8])", name)
    if level:
        values = _read(text, settings, {"threads": int})
        return LevelPlayer(game, int(level[1]), **values)  # type: ignore[arg-type]
    if name == "uct":
        kinds: dict[str, Callable[[str], int | float]] = {
            "seconds": float,
            "simulations": int,
            "threads": int,
            "memory": int,
        }
        return SearchPlayer(_read(text, settings, kinds))
    if name == "random":
        _read(text, settings, {})
        return RandomPlayer()
    raise OptionError(
        f"an entrant is level1 to level8, random, or uct with settings such as "
        f"uct:simulations=1000,threads=2, not {quoted(text)}"
    )


def _settings(text: str, rest: str) -> dict[str, str]:
    """The settings behind the colon, still as texts."""
    pairs = [pair.partition("=") for pair in rest.split(",") if pair]
    for name, sign, value in pairs:
        if not (name and sign and value):
            raise OptionError(
                f"{quoted(text)}: a setting is NAME=VALUE, not {quoted(name + sign + value)}"
            )
    return {name: value for name, _, value in pairs}


def _read(
    text: str, settings: Mapping[str, str], kinds: Mapping[str, Callable[[str], int | float]]
) -> dict[str, int | float]:
    """The settings' values, if they are among those that can be set."""
    values = {}
    for name, value in settings.items():
        if name not in kinds:
            known = listing(kinds) or "none"
            raise OptionError(f"{quoted(text)}: no setting {quoted(name)}; there are {known}")
        try:
            values[name] = kinds[name](value)
        except ValueError:
            raise OptionError(f"{quoted(text)}: {name} is a number, not {quoted(value)}") from None
    return values
