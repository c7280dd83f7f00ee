"""Who sits where: people, and bots of a level."""

from __future__ import annotations

import re
from collections.abc import Mapping

import teahouse as th
from teahouse.search.levels import LEVELS

HUMAN = 0
"""Stands where a bot's level would."""
USUAL_LEVEL = 5
ALLOWED = f"human, bot, or level{LEVELS[0]} to level{LEVELS[-1]}"


def read_who(text: str) -> int:
    """A bot's level, or HUMAN; an OptionError says what is allowed."""
    word = text.strip().lower()
    if word == "human":
        return HUMAN
    if word == "bot":
        return USUAL_LEVEL
    match = re.fullmatch(r"level ?(\d)", word, re.ASCII)
    if match and int(match[1]) in LEVELS:
        return int(match[1])
    raise th.OptionError(f"a seat is taken by {ALLOWED}, not {text!r}")


def who_text(who: int) -> str:
    """The word for who takes a seat."""
    return "human" if who == HUMAN else f"level{who}"


def seated(game: th.Game, given: Mapping[str, str]) -> dict[str, int]:
    """Who takes each seat: as told, else a person the first one and bots the others."""
    seats = {seat: USUAL_LEVEL if number else HUMAN for number, seat in enumerate(game.players)}
    by_word = {seat.lower(): seat for seat in seats}
    for word, who in given.items():
        if word.lower() not in by_word:
            raise th.OptionError(f"there is no seat {word!r}; the seats are {', '.join(seats)}")
        seats[by_word[word.lower()]] = read_who(who)
    return seats


def names(seats: Mapping[str, int]) -> dict[str, str]:
    """The same as a record keeps it."""
    return {seat: who_text(who) for seat, who in seats.items()}


def from_record(record: th.Record) -> dict[str, int]:
    """Who takes each seat of a record; names that are no bot's are people."""
    seats = {}
    for seat in record.game.players:
        try:
            seats[seat] = read_who(record.names.get(seat, "human"))
        except th.OptionError:
            seats[seat] = HUMAN
    return seats
