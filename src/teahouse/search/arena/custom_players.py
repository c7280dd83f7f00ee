"""Players written by others: a function or a class of Python, given itself or by its place.

The text `python:FILE.py:NAME` or `python:MODULE:NAME` stands for one; NAME is `choose` by default.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from teahouse.core.errors import OptionError, TaskError, quoted
from teahouse.core.game import Game
from teahouse.core.position import Position

PREFIX = "python:"
DEFAULT_NAME = "choose"


class CustomPlayerError(TaskError):
    """A custom player raised an exception, or did not return the text of a move."""


class CustomPlayer:
    """Plays the moves of a function `choose(position)`, or of an object with that method.

    A class is instantiated without arguments for each seat of each game. A parameter `seed` gets
    a number that is the same whenever the match is replayed.
    """

    def __init__(self, source: Any, name: str) -> None:
        self.name = name
        self._made = source() if inspect.isclass(source) else source
        choose = getattr(self._made, "choose", self._made)
        if not callable(choose):
            raise OptionError(
                f"{quoted(name)} is neither a function of a position nor a class with a method "
                "choose(position)."
            )
        self._choose: Callable[..., Any] = choose
        parameters = inspect.signature(choose).parameters.values()
        self._seeded = any(one.name == "seed" or one.kind is one.VAR_KEYWORD for one in parameters)

    @property
    def simulations(self) -> int:
        """The number of simulations of all moves, if the object counts them."""
        return int(getattr(self._made, "simulations", 0))

    @property
    def threads(self) -> int:
        """The number of cores that the object uses."""
        return int(getattr(self._made, "threads", 1))

    def choose(self, position: Position, *, seed: int) -> str:
        """Return the move; raise `CustomPlayerError` if the player fails."""
        try:
            move = self._choose(position, seed=seed) if self._seeded else self._choose(position)
        except Exception as error:
            place = extract_tb(error.__traceback__)[-1]
            raise CustomPlayerError(
                f"{self.name} failed: {type(error).__name__}: {error} "
                f"({Path(place.filename).name}, line {place.lineno})"
            ) from error
        if not isinstance(move, str):
            raise CustomPlayerError(f"{self.name} returned {move!r}; expected the text of a move.")
        return move


@dataclass(frozen=True)
class CustomPlayerFactory:
    """Creates players from functions and classes by name, and all others from their texts."""

    sources: Mapping[str, Any]
    others: Callable[[Game, str], Any]

    def __call__(self, game: Game, text: str) -> Any:
        """Return the player that a text stands for."""
        source = self.sources.get(text)
        return self.others(game, text) if source is None else CustomPlayer(source, text)


def name_players(
    players: Sequence[Any], make_player: Callable[[Game, str], Any]
) -> tuple[tuple[str, ...], Callable[[Game, str], Any]]:
    """Return the players' names and the factory that creates players from them."""
    sources: dict[str, Any] = {}
    names = []
    for player in players:
        if not isinstance(player, str):
            name = getattr(player, "__name__", type(player).__name__)
            if sources.setdefault(name, player) is not player:
                raise OptionError(f"Two players have the name {quoted(name)}.")
            player = name
        names.append(player)
    return tuple(names), CustomPlayerFactory(sources, make_player) if sources else make_player


def is_custom(spec: str) -> bool:
    """Return whether a player's text stands for a function or class."""
    return spec.startswith(PREFIX)


def parse_custom(spec: str) -> CustomPlayer:
    """Return the player of a text; raise `OptionError` if there is no such function or class."""
    place, colon, name = spec.removeprefix(PREFIX).rpartition(":")
    if not colon:
        place, name = name, DEFAULT_NAME
    module = _load(spec, place)
    if not hasattr(module, name):
        raise OptionError(f"{quoted(spec)}: {place} has no function or class {quoted(name)}.")
    return CustomPlayer(getattr(module, name), spec)


def _load(spec: str, place: str) -> ModuleType:
    """Import a file once, or a module; raise `OptionError` with the reason if that fails."""
    try:
        return _load_file(Path(place).resolve()) if place.endswith(".py") else import_module(place)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise OptionError(f"{quoted(spec)}: cannot import {place}: {reason}") from error


def _load_file(file: Path) -> ModuleType:
    name = f"teahouse_player_{sha256(str(file).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    if not file.is_file():
        raise FileNotFoundError("there is no such file")
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))  # the script's folder, as when it is run
    spec = spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
