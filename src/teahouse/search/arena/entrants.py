"""Entrants: the bots of a match, each named by a text such as `level5` or `search:seconds=0.1`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from time import perf_counter
from typing import Protocol

from teahouse.core.errors import OptionError, listing, quoted
from teahouse.core.game import Game
from teahouse.core.options import parse_options
from teahouse.core.position import Position
from teahouse.core.random import advance, bounded, generator
from teahouse.search.engine import Engine
from teahouse.search.levels import profile
from teahouse.search.mcts.params import PLAIN_UCT, SearchParams
from teahouse.search.mcts.search import MAX_SIMULATIONS


class Player(Protocol):
    """Whoever can choose a move; if it has a field `simulations`, the arena reports that too."""

    def choose(self, position: Position, *, seed: int) -> str:
        """The text of a legal move."""


class RandomPlayer:
    """Chooses among all legal moves alike."""

    def choose(self, position: Position, *, seed: int) -> str:
        """A random legal move."""
        return position.legal[bounded(advance(generator(seed)), len(position.legal))]


@dataclass
class SearchPlayer:
    """Chooses what a search with these settings finds best."""

    params: SearchParams
    seconds: float | None
    budget: int | None
    threads: int
    memory: int
    reuse_tree: bool
    """Whether it keeps its tree from move to move."""
    simulations: int = 0
    _engine: Engine | None = None

    def choose(self, position: Position, *, seed: int) -> str:
        """The best move found."""
        started = perf_counter()
        kept = self._engine
        if kept:
            kept.set_position(position, seed)
        else:
            kept = Engine(
                position,
                self.params,
                threads=self.threads,
                seed=seed,
                memory=self.memory,
                max_simulations=self.budget or MAX_SIMULATIONS,
                reuse_tree=self.reuse_tree,
            )
        analysis = kept.run(self.seconds, self.budget, started=started)
        self.simulations += analysis.simulations
        self._engine = kept if self.reuse_tree else None
        return analysis.best


@dataclass
class LevelPlayer:
    """A bot of the house."""

    game: Game
    level: int
    threads: int = 2

    def choose(self, position: Position, *, seed: int) -> str:
        """The bot's move."""
        return self._bot.choose(position, seed=seed, threads=self.threads)

    @property
    def simulations(self) -> int:
        """How many it has made in all."""
        return self._bot.simulations

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
    if name in ("search", "uct"):
        return _search_player(
            text, settings, profile(game).params if name == "search" else PLAIN_UCT
        )
    if name == "random":
        _read(text, settings, {})
        return RandomPlayer()
    raise OptionError(
        f"an entrant is level1 to level8, random, or search or uct with settings such as "
        f"search:seconds=0.1,threads=2, not {quoted(text)}"
    )


def _search_player(text: str, given: Mapping[str, str], usual: SearchParams) -> SearchPlayer:
    """A search, or plain UCT, with a budget and with settings other than usual."""
    kinds: dict[str, Callable[[str], int | float]] = {
        "seconds": float,
        "simulations": int,
        "threads": int,
        "memory": int,
    }
    for field in fields(SearchParams):
        kinds[field.name] = float if field.type == "float" else int
    values = _read(text, given, kinds)
    seconds, simulations = values.pop("seconds", None), values.pop("simulations", None)
    if seconds is not None and simulations is not None:
        raise OptionError(f"{quoted(text)}: either seconds or simulations, not both")
    if seconds is None and simulations is None:
        seconds = 1.0
    for name, value in (("seconds", seconds), ("simulations", simulations)):
        if value is not None and value <= 0:
            raise OptionError(f"{quoted(text)}: {name} is above 0, not {value}")
    threads, memory = int(values.pop("threads", 1)), int(values.pop("memory", 256))
    if not (1 <= threads <= 64 and 1 <= memory <= 1 << 16):
        raise OptionError(f"{quoted(text)}: threads are 1 to 64, and memory is in megabytes")
    params = replace(usual, **values)  # type: ignore[arg-type]
    reuse_tree = simulations is None and usual is not PLAIN_UCT
    budget = None if simulations is None else int(simulations)
    return SearchPlayer(params, seconds, budget, threads, memory, reuse_tree)


def _settings(text: str, rest: str) -> dict[str, str]:
    """The settings behind the colon, still as texts."""
    try:
        return parse_options(part for part in rest.split(",") if part)
    except OptionError as error:
        raise OptionError(f"{quoted(text)}: {error}") from None


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
