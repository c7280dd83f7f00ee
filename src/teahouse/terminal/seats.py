"""Seats of a local game: people on this device, and bots of a level."""

from __future__ import annotations

from collections.abc import Mapping

import teahouse as th
from teahouse.search.levels import LEVEL_NAMES, LEVELS, level_of_bot, level_text
from teahouse.search.ugi.spec import is_ugi
from teahouse.session.events import BotSeat, HumanSeat, SeatSpec
from teahouse.session.state import Seat

HUMAN = HumanSeat()
DEFAULT_LEVEL = 5
ALLOWED = (
    f"human, bot, level{LEVELS[0]} to level{LEVELS[-1]}, a level's name: "
    f"{', '.join(LEVEL_NAMES).lower()}; or ugi:PROGRAM for an engine"
)
_BY_NAME = dict(zip(map(str.lower, LEVEL_NAMES), LEVELS, strict=True))


def parse_seat(text: str) -> SeatSpec:
    """Return who plays a seat; raise `OptionError` with the allowed values."""
    word = text.strip().lower()
    if is_ugi(text):
        return BotSeat(level=DEFAULT_LEVEL)  # `LocalGame` asks the engine instead
    if word == "human":
        return HUMAN
    if word == "bot":
        return BotSeat(level=DEFAULT_LEVEL)
    if word in _BY_NAME:
        return BotSeat(level=_BY_NAME[word])
    if (level := level_of_bot(word)) is not None:
        return BotSeat(level=level)
    raise th.OptionError(f"Unknown player {text!r}; allowed: {ALLOWED}.")


def seat_tag(seat: SeatSpec | Seat) -> str:
    """Return who plays a seat as records store it and `parse_seat` reads it."""
    return f"level{_level(seat)}" if seat.kind == "bot" else "human"


def seat_label(seat: SeatSpec | Seat, game: th.Game | None = None) -> str:
    """Return who plays a seat as players read it, with a bot's rating in a game."""
    if seat.kind != "bot":
        return "human"
    return level_text(_level(seat), game)


def _level(seat: SeatSpec | Seat) -> int:
    level = None if isinstance(seat, HumanSeat) else seat.level
    assert level is not None, "a bot has a level"
    return level


def assign_engines(game: th.Game, given: Mapping[str, str]) -> dict[str, str]:
    """Return the UGI engines among the players of seats."""
    by_lower_case = {seat.lower(): seat for seat in game.players}
    return {
        by_lower_case[word.lower()]: who
        for word, who in given.items()
        if is_ugi(who) and word.lower() in by_lower_case
    }


def assign_seats(game: th.Game, given: Mapping[str, str]) -> dict[str, SeatSpec]:
    """Return who plays each seat: as given, else a person the first one and bots the others.

    If the first one is given to a bot and no other to a person, a person plays the next one.
    """
    seats: dict[str, SeatSpec] = {}
    by_lower_case = {seat.lower(): seat for seat in game.players}
    for word, who in given.items():
        if word.lower() not in by_lower_case:
            raise th.OptionError(f"Unknown seat {word!r}; seats: {', '.join(game.players)}.")
        seats[by_lower_case[word.lower()]] = parse_seat(who)
    for seat in game.players:
        default = HUMAN if HUMAN not in seats.values() else BotSeat(level=DEFAULT_LEVEL)
        if seat == game.players[0]:
            default = HUMAN
        seats.setdefault(seat, default)
    return {seat: seats[seat] for seat in game.players}


def seats_of_record(record: th.Record) -> dict[str, SeatSpec]:
    """Return who plays each seat of a record; names that are not a bot's are people.

    A record starts no program: a bot plays the seat of an engine.
    """
    seats: dict[str, SeatSpec] = {}
    for seat in record.game.players:
        name = record.names.get(seat, "")
        level = DEFAULT_LEVEL if is_ugi(name) else level_of_bot(name)
        seats[seat] = HUMAN if level is None else BotSeat(level=level)
    return seats
