"""Seats of a local game: people on this device, and bots of a level."""

from __future__ import annotations

import re
from collections.abc import Mapping

import teahouse as th
from teahouse.search.levels import LEVELS, level_ratings
from teahouse.session.events import BotSeat, HumanSeat, SeatSpec
from teahouse.session.state import Seat

HUMAN = HumanSeat()
DEFAULT_LEVEL = 5
ALLOWED = f"human, bot, or level{LEVELS[0]} to level{LEVELS[-1]}"
_LEVEL = re.compile(r"(?:bot, )?level ?(\d)", re.ASCII)


def parse_seat(text: str) -> SeatSpec:
    """Return who plays a seat; raise `OptionError` with the allowed values."""
    word = text.strip().lower()
    if word == "human":
        return HUMAN
    if word == "bot":
        return BotSeat(level=DEFAULT_LEVEL)
    match = _LEVEL.fullmatch(word)
    if match and int(match[1]) in LEVELS:
        return BotSeat(level=int(match[1]))
    raise th.OptionError(f"Unknown player {text!r}; allowed: {ALLOWED}.")


def seat_tag(seat: SeatSpec | Seat) -> str:
    """Return who plays a seat as records store it and `parse_seat` reads it."""
    return f"level{_level(seat)}" if seat.kind == "bot" else "human"


def seat_label(seat: SeatSpec | Seat, game: th.Game | None = None) -> str:
    """Return who plays a seat as players read it, with a bot's rating in a game."""
    if seat.kind != "bot":
        return "human"
    level = _level(seat)
    ratings = {one.level: f" (rating {one.elo:.0f})" for one in level_ratings(game)} if game else {}
    return f"level {level}{ratings.get(level, '')}"


def _level(seat: SeatSpec | Seat) -> int:
    level = None if isinstance(seat, HumanSeat) else seat.level
    assert level is not None, "a bot has a level"
    return level


def assign_seats(game: th.Game, given: Mapping[str, str]) -> dict[str, SeatSpec]:
    """Return who plays each seat: as given, else a person the first one and bots the others."""
    seats: dict[str, SeatSpec] = {
        seat: BotSeat(level=DEFAULT_LEVEL) if index else HUMAN
        for index, seat in enumerate(game.players)
    }
    by_lower_case = {seat.lower(): seat for seat in seats}
    for word, who in given.items():
        if word.lower() not in by_lower_case:
            raise th.OptionError(f"Unknown seat {word!r}; seats: {', '.join(seats)}.")
        seats[by_lower_case[word.lower()]] = parse_seat(who)
    return seats


def seats_of_record(record: th.Record) -> dict[str, SeatSpec]:
    """Return who plays each seat of a record; names that are not a bot's are people."""
    seats: dict[str, SeatSpec] = {}
    for seat in record.game.players:
        try:
            seats[seat] = parse_seat(record.names.get(seat, "human"))
        except th.OptionError:
            seats[seat] = HUMAN
    return seats
