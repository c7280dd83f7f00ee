"""What chooses the moves of a bot account: a level, or a UGI engine with its watchdog."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Timer
from typing import Protocol

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.search.bot import Bot
from teahouse.search.ugi import EngineFailure, Go, parse_ugi

log = logging.getLogger("teahouse.connect")

CLOCK_SHARE = 12
"""A level uses at most this fraction of its remaining time for one move."""
MARGIN_SECONDS = 1.0
"""Time that is kept for the way to the server and back."""
RESTARTED_FAILURES = ("crash", "start", "timeout")
"""Failures after which an engine is started again, once in a game, and asked again."""


@dataclass(frozen=True)
class ClockReading:
    """Seconds that each player has left, None without a clock, and the increment."""

    seconds: tuple[float | None, ...]
    increment: float = 0.0


class MovePlayer(Protocol):
    """Chooses moves at one table; called in a thread."""

    def choose(self, position: Position, clock: ClockReading) -> str:
        """Return a move; raise `EngineFailure` if there is none."""

    def close(self) -> None:
        """End what the player has started."""


PlayerFactory = Callable[[Game], MovePlayer]


class LevelPlayer:
    """A bot of a level, which moves sooner when its time runs out."""

    def __init__(self, game: Game, level: int) -> None:
        self._bot = Bot(game, level, wait=False)

    def choose(self, position: Position, clock: ClockReading) -> str:
        """Return the bot's move, or the best one so far when its share of the time is used."""
        left = clock.seconds[position.player]
        if left is None:
            return self._bot.choose(position)
        cancel = Event()
        share = max(0.05, (left - MARGIN_SECONDS) / CLOCK_SHARE + clock.increment / 2)
        timer = Timer(share, cancel.set)
        timer.daemon = True
        timer.start()
        try:
            return self._bot.choose(position, cancel=cancel)
        finally:
            timer.cancel()

    def close(self) -> None:
        """Nothing to end."""


class EnginePlayer:
    """A UGI engine in a process of its own for each table."""

    def __init__(self, game: Game, spec: str) -> None:
        self._engine = parse_ugi(game, spec)
        self._game = game
        self._restarted = False
        self._engine.new_game()

    def choose(self, position: Position, clock: ClockReading) -> str:
        """Return the engine's move; an engine that died or hangs is started again once."""
        try:
            return self._engine.choose(position, go=self._go(position, clock))
        except EngineFailure as failure:
            if self._restarted or failure.kind not in RESTARTED_FAILURES:
                raise
            log.warning("The engine is started again: %s", failure.report)
            self._restarted = True
            return self._engine.choose(position, go=self._go(position, clock))

    def _go(self, position: Position, clock: ClockReading) -> Go | None:
        """Return the limits by the clock; None, for those of the settings, without one."""
        if self._engine.settings.seconds is not None or clock.seconds[position.player] is None:
            return None
        sides = tuple(
            min(
                (left for one in team if (left := clock.seconds[one]) is not None),
                default=float(clock.seconds[position.player] or 0.0),
            )
            for team in self._game.teams
        )
        usable = [max(0.1, seconds - MARGIN_SECONDS) for seconds in sides]
        increments = (clock.increment, clock.increment)
        return Go(clocks=(usable[0], usable[1]), increments=increments)

    def close(self) -> None:
        """End the engine."""
        self._engine.close()


def level_factory(level: int) -> PlayerFactory:
    """Return the factory of players of a level."""
    return lambda game: LevelPlayer(game, level)


def engine_factory(spec: str) -> PlayerFactory:
    """Return the factory of players that run a UGI engine."""
    return lambda game: EnginePlayer(game, spec)
