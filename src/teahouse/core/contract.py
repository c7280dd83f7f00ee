"""Check that a game's package has what the contract requires, without playing the game.

`teahouse check` runs the complete conformance suite; this is the part that decides whether a game
is listed at all, and the part of it that decides whether a built-in game is loaded.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from teahouse.core.game import Game, GameInfo, Layout, Notation, Rules
from teahouse.core.packages import game_module
from teahouse.core.scene import Board, Scene

CORE = Path(__file__).parent
REQUIRED: dict[str, tuple[type, tuple[str, ...]]] = {
    "rules": (Rules, ("layout", "start", "legal", "play")),
    "notation": (Notation, ("move_text", "position_text", "read_position")),
    "board": (Board, ("scene",)),
}
"""The functions that each module of a game must define, and the protocol that declares them."""


class ContractError(Exception):
    """A game's package does not fulfil the contract."""


def contract_error(name: str) -> str | None:
    """Return why a game's package cannot be used, as a clause, or None if it can."""
    return _error_of(check_contract, name)


def module_error(name: str) -> str | None:
    """Return why a game's package cannot be loaded, as a clause, or None if it can."""
    return _error_of(check_modules, name)


def _error_of(check: Callable[[str], None], name: str) -> str | None:
    try:
        check(name)
    except ContractError as error:
        return str(error)
    except (Exception, SystemExit) as error:  # the package may raise anything
        return error_text(error)
    return None


def error_text(error: BaseException) -> str:
    """Return an exception of a game's code with the line that raised it, below any of the core."""
    text = f"{type(error).__name__}: {error}"
    frames = extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).parent != CORE] or frames
    if isinstance(error, SyntaxError) or not own:  # its text names the line
        return text
    return f"{text} ({Path(own[-1].filename).name}:{own[-1].lineno})"


def check_info(name: str) -> None:
    """Raise `ContractError` if a game's package does not define a valid `INFO`."""
    info = getattr(game_module(name), "INFO", None)
    if not isinstance(info, GameInfo):
        raise ContractError("its package does not define INFO as a GameInfo")


def check_modules(name: str) -> None:
    """Raise `ContractError` if a module or a function is missing; nothing of the game is played."""
    check_info(name)
    for part, (protocol, names) in REQUIRED.items():
        module = game_module(name, part)
        for function in names:
            _check_function(module, part, function, protocol)


def check_contract(name: str) -> None:
    """Raise `ContractError` if a game lacks something; its own exceptions pass through."""
    check_modules(name)
    _check_start(Game(name, {}))


def _check_function(module: ModuleType, part: str, name: str, protocol: type) -> None:
    """Raise `ContractError` if a module lacks a function or its arguments differ."""
    function = getattr(module, name, None)
    if not callable(function):
        raise ContractError(f"{part}.py does not define {name}()")
    expected = [*_parameters(getattr(protocol, name))][1:]  # without self
    try:
        inspect.signature(function).bind(*expected)
    except TypeError:
        raise ContractError(
            f"{part}.{name}() must take the arguments ({', '.join(expected)})"
        ) from None


def _parameters(function: Any) -> Iterator[str]:
    return iter(inspect.signature(function).parameters)


def _check_start(game: Game) -> None:
    """Raise `ContractError` unless the start with default options can be played and drawn."""
    if not all(isinstance(name, str) for name in (game.title, game.summary, *game.players)):
        raise ContractError("the title, the summary and the players' names must be text")
    if not isinstance(game.layout, Layout):
        raise ContractError("rules.layout() must return a Layout")
    missing = {"player", "over"} - set(game.layout.state.names or ())
    if missing:
        raise ContractError(f"the state has no field {' and no field '.join(sorted(missing))}")
    start = game.start()
    if start.over or not start.legal:
        raise ContractError("the start has no legal move")
    if game.position(str(start)) != start:
        raise ContractError("notation.read_position() does not restore the start")
    start.play(start.legal[0])
    if not isinstance(start.scene, Scene):
        raise ContractError("board.scene() must return a Scene")
    if len(start.scene.colours) != len(game.players):
        raise ContractError("the scene's colours must be one for each player")
    start.svg()  # pages that list all games draw each of them
