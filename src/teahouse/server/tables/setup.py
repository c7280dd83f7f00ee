"""Game options and start positions from requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from teahouse.core.catalog import games, load_untrusted
from teahouse.core.errors import OptionError, PositionError
from teahouse.core.game import Game, game_info
from teahouse.core.options import (
    ChoiceOption,
    TextOption,
    option_label,
    option_text,
    option_texts,
    resolve,
)
from teahouse.core.position import Position
from teahouse.server.web.errors import ApiError


def load_setup(name: str, options: Mapping[str, Any], start: str | None) -> tuple[Game, str | None]:
    """Return the game and the exact text of the start position, or raise `ApiError`."""
    _check_options(name, option_texts(options))
    try:
        game = load_untrusted(name, option_texts(options))
        if start is None:
            return game, None
        position = game.position(start)
        return position.game, str(position)
    except (OptionError, PositionError) as error:
        raise ApiError("invalid", str(error).removeprefix(f"{name}: ")) from None


def load_position(name: str, options: Mapping[str, Any], text: str) -> Position:
    """Return a position of a game, or raise `ApiError`."""
    try:
        return load_untrusted(name, option_texts(options)).position(text)
    except (OptionError, PositionError) as error:
        raise ApiError("invalid", str(error)) from None


def _check_options(name: str, texts: Mapping[str, str]) -> None:
    """Raise `ApiError` for a value that is not allowed, in the words of the form."""
    declared = game_info(name).options if name in games() else {}
    for option, kind in declared.items():
        if option in texts and not (
            isinstance(kind, TextOption) and kind.is_path(texts[option])  # refused by the loading
        ):
            try:
                kind.parse(texts[option])
            except (ValueError, TypeError, KeyError, OverflowError) as error:
                reason = f" ({error})" if isinstance(kind, TextOption) and str(error) else ""
                message = f"{option_label(option, kind)} must be {kind.allowed}{reason}."
                raise ApiError("invalid", message) from None


def drawings(game: Game) -> dict[str, str]:
    """Return the lines that the value of each option with a drawing stands for."""
    return {
        name: kind.drawing(game.all_options)
        for name, kind in game_info(game.name).options.items()
        if isinstance(kind, TextOption) and kind.drawing is not None
    }


def fitting_choices(name: str, options: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the choices of every option that fit the options declared before it."""
    info, texts = game_info(name), option_texts(options)
    found: dict[str, list[str]] = {}
    before: dict[str, str] = {}
    for option, kind in info.options.items():
        if isinstance(kind, ChoiceOption):
            choices = [option_text(choice) for choice in kind.names]
            found[option] = [one for one in choices if _fits(name, {**before, option: one})]
        if option in texts and texts[option] in found.get(option, [texts[option]]):
            before[option] = texts[option]
    return found


def _fits(name: str, texts: Mapping[str, str]) -> bool:
    info = game_info(name)
    try:
        resolve(name, info.options, texts, info.check)
    except OptionError:
        return False
    return True


def adjusted_options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options without choices that do not fit the options declared before them."""
    if name not in games():
        return dict(options)
    fitting = fitting_choices(name, options)
    return {
        option: value
        for option, value in options.items()
        if option not in fitting or option_text(value) in fitting[option]
    }
