"""Games of a sample: game number i is a function of the options, the kind, the seed and i alone.

So samples grow, are resumed and are played by any number of processes with the same result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import advance, bounded, game_seed, generator, setup_seed
from teahouse.core.record import Record
from teahouse.core.validate import check_seed
from teahouse.lab.evaluate import evaluate
from teahouse.lab.events import events
from teahouse.search.arena.schedule import seatings
from teahouse.search.bot import Bot
from teahouse.search.levels import check_level

RANDOM = "random"
MAX_PLIES = 2000
"""A game that lasts longer is stored as unfinished."""
_KIND = re.compile(r"random|level (\d)(?: against (\d)| after each opening)?")


@dataclass(frozen=True)
class PlayedGame:
    """A game of a sample, with what was measured while it was played."""

    number: int
    seed: int
    """Of the setup."""
    seating: tuple[int, ...]
    """The level of each side; 0 plays at random."""
    moves: tuple[str, ...]
    sides: tuple[int, ...]
    """The side that made each move."""
    choices: tuple[int, ...]
    """Legal moves before each move."""
    winner: int | None
    """The side that won; None for a draw and for an unfinished game."""
    ended: bool
    chances: tuple[tuple[float, ...], ...] = ()
    """Winning chance of each side before each move and at the end; empty if not evaluated.

    What follows is empty then too.
    """
    only: tuple[int, ...] = ()
    """The plies at which one move was clearly better than all others; 0 is the first move."""
    events: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The plies at which each kind of event happened."""
    spots: tuple[str, ...] = ()
    """The spot on the board that each move ends on; empty for a move without one."""

    def json(self) -> dict[str, Any]:
        """Return the game as one line of a sample's file."""
        return {name: value for name, value in vars(self).items() if value not in ((), {})}

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> PlayedGame:
        """Read what `json` returned; raise `ValueError`, `KeyError` or `TypeError`."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        values["events"] = {name: tuple(plies) for name, plies in data.get("events", {}).items()}
        values["chances"] = tuple(tuple(sides) for sides in data.get("chances", ()))
        return cls(**values)

    def record(self, game: Game) -> Record:
        """Return the game as a record with the players' names."""
        record = Record.new(game, self.seed)
        for move in self.moves:
            record.play(move)
        for side, level in enumerate(self.seating):
            for player in game.teams[side]:
                record.names[game.players[player]] = f"level {level}" if level else RANDOM
        return record


@dataclass(frozen=True)
class GameRun:
    """The games of one sample, numbered from 0."""

    game: Game
    kind: str
    """`random`, `level N`, `level N against M` or `level N after each opening`."""
    seed: int = 0
    simulations: int = 0
    """Of the search that evaluates each position; 0 for games without winning chances."""
    openings: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    """First moves to play in rotation, for the kind `level N after each opening`.

    A random setup may not allow one; then the bots choose.
    """

    def __post_init__(self) -> None:
        match = _KIND.fullmatch(self.kind)
        if match is None:
            raise OptionError(
                f"Unknown kind of games {quoted(self.kind)}; kinds: random, level N, "
                "level N against M, level N after each opening."
            )
        for level in match.groups():
            if level is not None:
                check_level(int(level))
        check_seed(self.seed)

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The levels that play: none, one or two."""
        match = _KIND.fullmatch(self.kind)
        assert match
        return tuple(int(level) for level in match.groups() if level is not None)

    @cached_property
    def round_size(self) -> int:
        """Games with the same setup, one for each seating of two different levels."""
        return len(self._seatings)

    @cached_property
    def _seatings(self) -> Sequence[tuple[int, ...]]:
        if len(self.levels) == 2:
            first, second = self.levels
            return seatings(self.game, (first, second))
        return [(self.levels or (0,)) * len(self.game.teams)]

    def play(self, number: int) -> PlayedGame:
        """Play a game to its end, or to `MAX_PLIES`."""
        game = self.game
        seating = self._seatings[number % self.round_size]
        own_seed = game_seed(self.seed, number)
        setup = setup_seed(game_seed(self.seed, number // self.round_size))
        chooser = _RandomMoves(own_seed) if not self.levels else _BotMoves(game, seating, own_seed)
        position = game.start(setup)
        opening = self.openings[number % len(self.openings)] if self.openings else ()
        moves: list[str] = []
        sides: list[int] = []
        choices: list[int] = []
        spots: list[str] = []
        found: dict[str, list[int]] = {}
        chances: list[tuple[float, ...]] = []
        only: list[int] = []
        while not position.over and len(moves) < MAX_PLIES:
            ply = len(moves)
            if self.simulations:
                evaluated = evaluate(position, self.simulations, own_seed)
                chances.append(evaluated.chances)
                if evaluated.only:
                    only.append(ply)
            given = opening[ply] if ply < len(opening) else ""
            move = given if given in position.legal else chooser.choose(position)
            choices.append(len(position.legal))
            sides.append(game.side(position.player))
            moves.append(move)
            if self.simulations:
                spots.append(target_spot(position, move))
                for event in dict.fromkeys(events(position, move)):
                    found.setdefault(event, []).append(ply)
            position = position.play(move)
        winners = {game.side(player) for player in position.winners}
        if self.simulations:
            chances.append(evaluate(position, self.simulations, own_seed).chances)
        return PlayedGame(
            number=number,
            seed=setup,
            seating=seating,
            moves=tuple(moves),
            sides=tuple(sides),
            choices=tuple(choices),
            winner=min(winners) if winners else None,
            ended=position.over,
            chances=tuple(chances),
            only=tuple(only),
            events={event: tuple(plies) for event, plies in found.items()},
            spots=tuple(spots),
        )


class _RandomMoves:
    """The moves of the playout with the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = generator(seed)

    def choose(self, position: Position) -> str:
        self._random = advance(self._random)
        return position.legal[bounded(self._random, len(position.legal))]


class _BotMoves:
    """The moves of the bots of a seating."""

    def __init__(self, game: Game, seating: Sequence[int], seed: int) -> None:
        self._seating = seating
        self._seed = seed
        self._bots = {level: Bot(game, level, seed=seed, threads=1) for level in set(seating)}

    def choose(self, position: Position) -> str:
        bot = self._bots[self._seating[position.game.side(position.player)]]
        return bot.choose(position, seed=game_seed(self._seed, position.ply))


def target_spot(position: Position, move: str) -> str:
    """Return the last spot of the clicks that make a move; empty if there is none."""
    spots = {spot.name for spot in position.scene.spots}
    return next((name for name in reversed(position.click_path(move)) if name in spots), "")
