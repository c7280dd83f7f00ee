"""Events of Orochi for reports: the kinds of moves of its puzzles."""

from collections.abc import Iterator, Mapping
from typing import Any

from teahouse.games.orochi.themes import THEMES, themes

EVENTS = THEMES
events = themes


def impossible(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the events that these options rule out: there is a swap only by C10."""
    if options["opening"] != "swap":
        yield "swap"
