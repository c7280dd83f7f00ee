"""Kinds of games that a bot account accepts, as the command line names them."""

from __future__ import annotations

from enum import StrEnum


class Clock(StrEnum):
    """Kinds of time controls."""

    REALTIME = "realtime"
    CORRESPONDENCE = "correspondence"
    NONE = "none"


class Rated(StrEnum):
    """Whether games count for the rating."""

    ANY = "any"
    RATED = "rated"
    CASUAL = "casual"
