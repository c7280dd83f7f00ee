"""Play the games of a match: the job whose tasks are the games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

from teahouse.core.errors import IllegalMove, OptionError, TaskError
from teahouse.core.executor import Job
from teahouse.core.game import Game
from teahouse.core.random import game_seed
from teahouse.core.record import Record
from teahouse.core.result import UNFINISHED, winners_text
from teahouse.search.arena.players import Player
from teahouse.search.arena.schedule import Pairing, opening
from teahouse.search.ugi import EngineFailure, UgiPlayer
from teahouse.search.ugi.spec import is_ugi

PlayerFactory = Callable[[Game, str], Player]


class ArenaError(TaskError):
    """A match cannot continue, or its folder belongs to another match."""


class MatchFolderError(ArenaError, OptionError):
    """The folder named for a match belongs to another one, is in use, or is damaged."""


@dataclass(frozen=True)
class MoveCost:
    """The cost of one player's moves in a game; forced moves are not counted."""

    choices: int = 0
    seconds: float = 0.0
    simulations: int = 0


@dataclass(frozen=True)
class GameResult:
    """A finished game."""

    pairing: Pairing
    winner: int | None
    """The side that won; None for a draw."""
    plies: int
    costs: dict[int, MoveCost]
    """By the index of the player."""
    record: str
    failures: tuple[tuple[int, str], ...] = ()
    """What engines did wrong, with the index of the player; a failure may have lost the game."""


@dataclass(frozen=True)
class GameRunner(Job[Pairing, GameResult]):
    """Plays games of one match."""

    game: Game
    players: tuple[str, ...]
    make_player: PlayerFactory
    opening: int
    _warm: set[int] = field(default_factory=set, compare=False)
    """Players that have chosen a move in this process, so that their kernels are loaded."""
    _engines: dict[int, list[UgiPlayer]] = field(default_factory=dict, compare=False)
    """Engines that run and wait for their next game, by the index of the player."""

    @property
    def cores(self) -> int:
        """The most threads that a player searches with."""
        players = (self.make_player(self.game, text) for text in self.players)
        return max(getattr(player, "threads", 1) for player in players)

    def prepare(self) -> None:
        """Load the kernels of all players except external engines."""
        for index, text in enumerate(self.players):
            if not is_ugi(text):
                self._new_player(index)

    def run(self, pairing: Pairing) -> GameResult:
        """Play a game to its end."""
        game = self.game
        seats = {seat: pairing.seating[game.side(seat)] for seat in range(len(game.players))}
        players: dict[int, Player] = {}
        try:
            for seat, index in seats.items():
                players[seat] = self._new_player(index)
            return self._play(pairing, seats, players)
        except BaseException:
            for player in players.values():
                if isinstance(player, UgiPlayer):
                    player.close()
            raise

    def _play(
        self, pairing: Pairing, seats: dict[int, int], players: dict[int, Player]
    ) -> GameResult:
        """Play a game to its end; `seats` has the index of each seat's player."""
        game = self.game
        record = Record.new(game, pairing.opening_seed)
        record.names = {game.players[seat]: self.players[index] for seat, index in seats.items()}
        record.tags = {"Bout": str(pairing.round + 1)}
        for move in opening(record.position, self.opening, pairing.opening_seed):
            record.play(move)
        record.tags["Opening"] = str(len(record.moves))
        engines = {seat: one for seat, one in players.items() if isinstance(one, UgiPlayer)}
        for engine in engines.values():
            engine.record = record
        choices = dict.fromkeys(seats.values(), 0)
        seconds = dict.fromkeys(seats.values(), 0.0)
        while record.result == UNFINISHED:
            position = record.position
            if len(position.legal) == 1:
                record.play(position.legal[0])
                continue
            index = seats[position.player]
            started = perf_counter()
            seed = game_seed(pairing.seed, position.ply)
            try:
                move = players[position.player].choose(position, seed=seed)
            except EngineFailure as failure:
                _forfeit(record, failure)
                break
            seconds[index] += perf_counter() - started
            choices[index] += 1
            try:
                record.play(move)
            except IllegalMove as error:
                raise ArenaError(f"Illegal move of {self.players[index]}: {error}") from None
        simulations = dict.fromkeys(seats.values(), 0)
        for seat, player in players.items():
            simulations[seats[seat]] += getattr(player, "simulations", 0)
        failures = [(seats[seat], text) for seat, one in engines.items() for text in one.failures]
        for seat, engine in engines.items():
            self._engines.setdefault(seats[seat], []).append(engine)
        winner = next((name for name in record.result.split("+") if name in game.players), None)
        return GameResult(
            pairing,
            game.side(game.players.index(winner)) if winner else None,
            len(record.moves),
            {
                index: MoveCost(choices[index], seconds[index], simulations[index])
                for index in choices
            },
            record.text(),
            tuple(failures),
        )

    def close(self) -> None:
        """Close the engines that are idle between games."""
        for engines in self._engines.values():
            for engine in engines:
                engine.close()
        self._engines.clear()

    def _new_player(self, index: int) -> Player:
        """Return a new player, after an untimed first move in this process to load its kernels.

        An engine in a process of its own plays one game after the other.
        """
        waiting = self._engines.get(index)
        player = waiting.pop() if waiting else self.make_player(self.game, self.players[index])
        if isinstance(player, UgiPlayer):
            player.new_game()
        elif index not in self._warm:
            self._warm.add(index)
            player.choose(self.game.start(), seed=0)
            player = self.make_player(self.game, self.players[index])
        return player


def _forfeit(record: Record, failure: EngineFailure) -> None:
    """End a game between two sides: the one whose engine failed loses."""
    game = record.game
    winners = game.teams[1 - game.side(record.position.player)]
    record.end(winners_text(game, winners))
    record.tags["Termination"] = failure.report
