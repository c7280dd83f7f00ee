"""The next game of the same players."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from teahouse.core.game import game_info
from teahouse.session.events import BotSeat, Created, HumanSeat, SeatSpec
from teahouse.session.forfeits import REPLACEMENT_LEVEL
from teahouse.session.state import GameSession


def seat_order(session: GameSession) -> list[int]:
    """Return, for every seat of the next game, the seat its player has in this one.

    Players move on by one seat, unless the game assigns the loser a seat (`GameInfo.loser_seat`).
    """
    count = len(session.seats)
    shift = 1
    loser_seat = game_info(session.game.name).loser_seat
    if loser_seat is not None and session.winners:
        loser = next(seat for seat in range(count) if seat not in session.winners)
        shift = (session.game.players.index(loser_seat) - loser) % count
    return [(seat - shift) % count for seat in range(count)]


def next_game(session: GameSession, seed: int, without: Collection[int] = ()) -> Created:
    """Return the first event of the rematch; `seed` is unused with a start position of its own.

    Bots play for the people of the seats in `without`, who did not agree; then it is casual.
    """
    created = session.created
    return replace(
        created,
        seats=tuple(_spec(session, seat, seat in without) for seat in seat_order(session)),
        seed=None if created.start else seed,
        rated=created.rated and not without,
        tournament=None,
    )


def _spec(session: GameSession, seat: int, left_out: bool) -> SeatSpec:
    """Return the original player of a seat, under their current name, or a bot instead."""
    spec = session.created.seats[seat]
    if isinstance(spec, BotSeat):
        return spec
    now = session.seats[seat]
    if left_out:
        return BotSeat(level=now.level or REPLACEMENT_LEVEL)
    return HumanSeat(kind=spec.kind, name=now.name, account=now.account, program=now.program)
