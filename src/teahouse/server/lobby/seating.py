"""Who gets which seat, and the tables of those who were brought together."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from teahouse.core.game import Game
from teahouse.server.lobby.messages import ChallengeIn
from teahouse.server.lobby.models import Visitor
from teahouse.server.tables.quota import TableQuota
from teahouse.server.tables.registry import Registry
from teahouse.server.web import messages as ms

START_SECONDS: dict[str, int | None] = {"realtime": 60, "none": 180, "correspondence": None}
"""Seconds in which players have to come, and then to make their first move, by time control."""

_random = secrets.SystemRandom()


@dataclass(frozen=True)
class SeatAt:
    """A visitor's seat at a new table."""

    table: str
    seat: int
    secret: str | None
    """None for an account, which needs none."""

    @property
    def body(self) -> dict[str, Any]:
        """What its owner is sent."""
        return {"table": self.table, "seat": self.seat, "secret": self.secret}


def seat_players(request: ChallengeIn, game: Game, count: int) -> list[int]:
    """Return a seat for each of `count` players; the first one may have chosen theirs."""
    taken = {bot.seat for bot in request.bots}
    free = [seat for seat in range(len(game.players)) if seat not in taken]
    _random.shuffle(free)
    if request.seat is not None:
        free.sort(key=lambda seat: seat != request.seat)
    return free[:count]


async def create_table(
    registry: Registry,
    quota: TableQuota,
    request: ChallengeIn,
    game: Game,
    players: Sequence[Visitor],
    address: str,
) -> dict[str, SeatAt]:
    """Create a table; return each player's seat by their key."""
    seats = seat_players(request, game, len(players))
    by_seat = dict(zip(seats, players, strict=True))
    levels = {bot.seat: bot.level for bot in request.bots}
    specs: list[ms.SeatIn] = [
        ms.HumanSeatIn(kind="remote", name=by_seat[seat].name)
        if seat in by_seat
        else ms.BotSeatIn(kind="bot", level=levels[seat])
        for seat in range(len(game.players))
    ]
    wanted = ms.NewTableIn(
        game=request.game,
        options=request.options,
        seats=specs,
        time_control=request.time_control,
        listed=request.listed,
    )
    accounts = [
        by_seat[seat].account if seat in by_seat else None for seat in range(len(game.players))
    ]
    async with quota.creating(address, registry.store, bots_only=False) as created:
        table, keys = await registry.create(
            wanted,
            address,
            accounts,
            rated=request.rated,
            start_within=START_SECONDS[request.time_control.kind],
        )
        created.table = table
    return {by_seat[seat].key: SeatAt(table, seat, keys.get(seat)) for seat in seats}
