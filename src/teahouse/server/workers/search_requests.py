"""Requests to a worker that search: bots' moves, pondering and analyses.

A worker keeps the bots of its tables, so that each continues the tree of its last move. Those that
were used least recently are dropped.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Event, Timer
from typing import Any

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.search.analysis import STRONGEST, analyse
from teahouse.search.bot import Bot
from teahouse.search.evaluations import described

MAX_BOTS = 32
MAX_MOVES = 50
"""Moves of an analysis; the best ones."""
MAX_LINE = 30

BotKey = tuple[str, int]
"""A table and a seat."""


class BotCache:
    """The bots of the tables that were served last."""

    def __init__(self, size: int = MAX_BOTS) -> None:
        self._size = size
        self._bots: OrderedDict[BotKey, Bot] = OrderedDict()

    def __len__(self) -> int:
        return len(self._bots)

    def get(self, key: BotKey, game: Game, level: int, seed: int) -> Bot:
        """Return the bot of a seat, a new one if that has changed or was dropped."""
        bot = self._bots.pop(key, None)
        if bot is None or (bot.game, bot.level, bot.seed) != (game, level, seed):
            bot = Bot(game, level, seed=seed, wait=False)
        self._bots[key] = bot
        if len(self._bots) > self._size:
            self.drop_oldest()
        return bot

    def drop_oldest(self) -> None:
        """Drop the bot that was used least recently."""
        self._bots.popitem(last=False)


def choose(bots: BotCache, request: dict[str, Any], position: Position, cancel: Event) -> str:
    """Return a bot's move; after `seconds`, the best one found so far."""
    bot = _bot(bots, request, position)
    stop = Timer(request["seconds"], cancel.set)
    stop.daemon = True
    stop.start()
    try:
        return bot.choose(position, cancel=cancel)
    finally:
        stop.cancel()


def ponder(bots: BotCache, request: dict[str, Any], position: Position, cancel: Event) -> None:
    """Grow a bot's tree while its opponent is to move."""
    _bot(bots, request, position).ponder(position, request["seconds"], cancel)


def _bot(bots: BotCache, request: dict[str, Any], position: Position) -> Bot:
    key = (request["table"], request["seat"])
    return bots.get(key, position.game, request["level"], request["seed"])


def analysis(request: dict[str, Any], position: Position, cancel: Event) -> dict[str, Any]:
    """Return an analysis of a position within `seconds`, with moves in words."""
    found = analyse(
        position,
        seconds=request["seconds"],
        seed=request["seed"],
        cancel=cancel,
        wait=False,
        engine=STRONGEST,
    )
    moves = [
        {
            "move": one.move,
            "description": position.describe(one.move, "imperative"),
            "value": one.value,
            "visits": one.visits,
            "proof": one.proof,
        }
        for one in found.moves[:MAX_MOVES]
    ]
    return {
        "best": found.best,
        "click_path": position.click_path(found.best),
        "description": position.describe(found.best, "imperative"),
        "value": found.value,
        "line": described(position, found.line[:MAX_LINE]),
        "moves": moves,
    }
