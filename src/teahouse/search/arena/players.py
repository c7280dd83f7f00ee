"""Players of a match, each given by a text such as `level5` or `search:seconds=0.1`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from time import perf_counter
from typing import Protocol

from teahouse.core.errors import OptionError, listing, quoted
from teahouse.core.files import split_settings
from teahouse.core.game import Game
from teahouse.core.options import parse_options
from teahouse.core.position import Position
from teahouse.search.arena.baselines import GreedyPlayer, RandomPlayer
from teahouse.search.arena.custom_players import is_custom, parse_custom
from teahouse.search.bot import Bot
from teahouse.search.engine import Engine
from teahouse.search.levels import profile
from teahouse.search.mcts.params import PLAIN_UCT, SearchParams
from teahouse.search.mcts.search import MAX_SIMULATIONS
from teahouse.search.networks import Network, load_network, shipped_network
from teahouse.search.puct.params import PuctParams
from teahouse.search.threads import MAX_THREADS
from teahouse.search.ugi.player import parse_ugi
from teahouse.search.ugi.spec import is_ugi

DEFAULT_SECONDS = 1.0
DEFAULT_MEMORY = 256
MAX_MEMORY = 1 << 16
SOLVER_SETTINGS = {
    "solver_share",
    "solver_horizon",
}  # fields of `SearchParams` that networks use too


class Player(Protocol):
    """A player of one seat; if it has a field `simulations`, the arena reports that too."""

    def choose(self, position: Position, *, seed: int) -> str:
        """Return the text of a legal move."""


@dataclass
class SearchPlayer:
    """Plays the best move of a search with these parameters."""

    params: SearchParams
    seconds: float | None
    budget: int | None
    """Simulations per move, if the budget is not in seconds."""
    threads: int
    memory: int
    reuse_tree: bool
    network: Network | None = None
    puct: PuctParams | None = None
    simulations: int = 0
    _engine: Engine | None = None

    def choose(self, position: Position, *, seed: int) -> str:
        """Return the best move found."""
        started = perf_counter()
        engine = self._engine
        if engine:
            engine.set_position(position, seed)
        else:
            engine = Engine(
                position,
                self.params,
                threads=self.threads,
                seed=seed,
                memory=self.memory,
                max_simulations=self.budget or MAX_SIMULATIONS,
                reuse_tree=self.reuse_tree,
                network=self.network,
                puct=self.puct,
            )
        analysis = engine.run(self.seconds, self.budget, started=started)
        self.simulations += analysis.simulations
        self._engine = engine if self.reuse_tree else None
        return analysis.best


class LevelPlayer:
    """Plays as the bot of a level."""

    def __init__(
        self, game: Game, level: int, threads: int | None = None, engine: str | None = None
    ) -> None:
        self._bot = Bot(game, level, threads=threads, engine=engine)
        timed = profile(game).levels[level - 1].seconds is not None
        self.threads = self._bot.threads if timed else 1

    def choose(self, position: Position, *, seed: int) -> str:
        """Return the bot's move."""
        return self._bot.choose(position, seed=seed)

    @property
    def simulations(self) -> int:
        """The number of simulations of all moves."""
        return self._bot.simulations


class UnknownPlayerError(OptionError):
    """A text names no player."""


def parse_player(game: Game, spec: str) -> Player:
    """Return the player that a text stands for; raise `OptionError` if it is not valid."""
    if is_ugi(spec):
        return parse_ugi(game, spec)
    if is_custom(spec):
        return parse_custom(spec)
    name, _, rest = spec.partition(":")
    settings = _parse_settings(spec, rest)
    level = re.fullmatch(r"level([1-8])", name)
    if level:
        engine = settings.pop("engine", None)
        values = _convert(spec, settings, {"threads": int})
        return LevelPlayer(game, int(level[1]), **values, engine=engine)  # type: ignore[arg-type]
    if name in ("search", "uct"):
        default = profile(game).params if name == "search" else PLAIN_UCT
        return _search_player(spec, settings, default)
    if name == "network":
        file = settings.pop("file", None)
        network = shipped_network(game) if file is None else load_network(game, file)
        profiled = profile(game)
        return _search_player(spec, settings, profiled.params, network, profiled.puct)
    if name in ("greedy", "random"):
        _convert(spec, settings, {})
        return GreedyPlayer() if name == "greedy" else RandomPlayer()
    raise UnknownPlayerError(
        f"Unknown player {quoted(spec)}; players: level1 to level8, greedy, network, random, "
        "search, uct, with settings such as search:seconds=0.1,threads=2 or network:file=own.onnx, "
        "ugi:PROGRAM for an engine, and python:FILE.py:NAME for a function or class of your own."
    )


def _search_player(
    spec: str,
    settings: Mapping[str, str],
    default: SearchParams,
    network: Network | None = None,
    puct: PuctParams | None = None,
) -> SearchPlayer:
    """Return a search player with a budget and with parameters that differ from the default."""
    kinds: dict[str, Callable[[str], int | float]] = {
        "seconds": float,
        "simulations": int,
        "threads": int,
        "memory": int,
    }
    puct_names = {field.name for field in fields(PuctParams)} if puct else set()
    for field in (*fields(SearchParams), *(fields(PuctParams) if puct else ())):
        if puct is None or field.name in puct_names | SOLVER_SETTINGS:
            kinds[field.name] = float if field.type == "float" else int
    values = _convert(spec, settings, kinds)
    seconds, simulations = values.pop("seconds", None), values.pop("simulations", None)
    if seconds is not None and simulations is not None:
        raise OptionError(f"{quoted(spec)}: give either seconds or simulations, not both.")
    if seconds is None and simulations is None:
        seconds = DEFAULT_SECONDS
    for name, value in (("seconds", seconds), ("simulations", simulations)):
        if value is not None and value <= 0:
            raise OptionError(f"{quoted(spec)}: {name} must be above 0, got {value}.")
    threads, memory = int(values.pop("threads", 1)), int(values.pop("memory", DEFAULT_MEMORY))
    if not (1 <= threads <= MAX_THREADS and 1 <= memory <= MAX_MEMORY):
        raise OptionError(
            f"{quoted(spec)}: threads must be from 1 to {MAX_THREADS} and memory (in MB) from 1 to "
            f"{MAX_MEMORY}."
        )
    own = {name: values.pop(name) for name in puct_names & values.keys()}
    if puct:
        puct = replace(puct, **own)  # type: ignore[arg-type]
    params = replace(default, **values)  # type: ignore[arg-type]
    reuse_tree = simulations is None and default is not PLAIN_UCT
    budget = None if simulations is None else int(simulations)
    return SearchPlayer(params, seconds, budget, threads, memory, reuse_tree, network, puct)


def _parse_settings(spec: str, rest: str) -> dict[str, str]:
    """Parse the settings after the colon."""
    try:
        return parse_options(split_settings(rest, "file"))
    except OptionError as error:
        raise OptionError(f"{quoted(spec)}: {error}") from None


def _convert(
    spec: str, settings: Mapping[str, str], kinds: Mapping[str, Callable[[str], int | float]]
) -> dict[str, int | float]:
    """Convert the settings to numbers; raise `OptionError` if one is unknown."""
    values = {}
    for name, value in settings.items():
        if name not in kinds:
            known = listing(kinds) or "none"
            raise OptionError(f"{quoted(spec)}: unknown setting {quoted(name)}; settings: {known}.")
        try:
            values[name] = kinds[name](value)
        except ValueError:
            values[name] = math.nan
        if not math.isfinite(values[name]):
            raise OptionError(f"{quoted(spec)}: {name} must be a number, got {quoted(value)}.")
    return values
