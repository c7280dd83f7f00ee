"""Game options and start positions from requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from teahouse.core.catalog import load_untrusted
from teahouse.core.errors import OptionError, PositionError
from teahouse.core.game import Game
from teahouse.core.options import option_texts
from teahouse.core.position import Position
from teahouse.server.errors import ApiError


def load_setup(name: str, options: Mapping[str, Any], start: str | None) -> tuple[Game, str | None]:
    """Return the game and the exact text of the start position, or raise `ApiError`."""
    try:
        game = load_untrusted(name, option_texts(options))
        if start is None:
            return game, None
        position = game.position(start)
        return position.game, str(position)
    except (OptionError, PositionError) as error:
        raise ApiError("invalid", str(error)) from None


def load_position(name: str, options: Mapping[str, Any], text: str) -> Position:
    """Return a position of a game, or raise `ApiError`."""
    try:
        return load_untrusted(name, option_texts(options)).position(text)
    except (OptionError, PositionError) as error:
        raise ApiError("invalid", str(error)) from None
