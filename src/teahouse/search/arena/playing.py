"""Playing the games of a match: one after the other here, or in several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from threading import Thread
from time import perf_counter
from typing import Any

from teahouse.core.errors import IllegalMove, OptionError
from teahouse.core.game import Game
from teahouse.core.random import game_seed
from teahouse.core.record import Record
from teahouse.search.arena.entrants import Player
from teahouse.search.arena.schedule import Fixture, opening

MakePlayer = Callable[[Game, str], Player]


class ArenaError(RuntimeError):
    """A match cannot go on, or its folder holds another one."""


@dataclass(frozen=True)
class Spending:
    """What an entrant's choices took in one game; moves without an alternative take nothing."""

    choices: int = 0
    seconds: float = 0.0
    simulations: int = 0


@dataclass(frozen=True)
class Played:
    """A game that is over."""

    fixture: Fixture
    winner: int | None
    """The side that won; None for a draw."""
    decisions: int
    spent: dict[int, Spending]
    """By entrant."""
    record: str


@dataclass(frozen=True)
class Table:
    """What every game of a match has in common."""

    game: Game
    entrants: tuple[str, ...]
    make_player: MakePlayer
    opening: int
    warm: set[int] = field(default_factory=set, compare=False)
    """Entrants that have chosen a move in this process, so that all they use is loaded."""

    def play(self, fixture: Fixture) -> Played:
        """Play a game to its end."""
        game = self.game
        seats = {
            player: fixture.sides[side] for side, team in enumerate(game.teams) for player in team
        }
        players = {seat: self._player(entrant) for seat, entrant in seats.items()}
        record = Record.new(game, fixture.start_seed)
        record.names = {game.players[seat]: self.entrants[seats[seat]] for seat in sorted(seats)}
        record.tags = {"Bout": str(fixture.bout + 1)}
        for move in opening(record.position, self.opening, fixture.start_seed):
            record.play(move)
        record.tags["Opening"] = str(len(record.moves))
        choices = dict.fromkeys(seats.values(), 0)
        seconds = dict.fromkeys(seats.values(), 0.0)
        while not record.position.over:
            position = record.position
            if len(position.legal) == 1:
                record.play(position.legal[0])
                continue
            began = perf_counter()
            move = players[position.player].choose(
                position, seed=game_seed(fixture.seed, position.ply)
            )
            seconds[seats[position.player]] += perf_counter() - began
            choices[seats[position.player]] += 1
            try:
                record.play(move)
            except IllegalMove as error:
                raise ArenaError(f"{self.entrants[seats[position.player]]}: {error}") from None
        simulations = dict.fromkeys(seats.values(), 0)
        for seat, player in players.items():
            simulations[seats[seat]] += getattr(player, "simulations", 0)
        winners = record.position.winners
        return Played(
            fixture,
            next(
                (side for side, team in enumerate(game.teams) if winners and winners[0] in team),
                None,
            ),
            len(record.moves),
            {e: Spending(choices[e], seconds[e], simulations[e]) for e in choices},
            record.text(),
        )

    def _player(self, entrant: int) -> Player:
        """A new player, after a first choice in this process that nobody times."""
        if entrant not in self.warm:
            self.warm.add(entrant)
            self.make_player(self.game, self.entrants[entrant]).choose(self.game.start(), seed=0)
        return self.make_player(self.game, self.entrants[entrant])


def play_all(table: Table, fixtures: Iterable[Fixture], jobs: int) -> Iterator[Played]:
    """Play games in so many processes, giving each as soon as it is over."""
    if jobs == 1:
        for fixture in fixtures:
            yield table.play(fixture)
        return
    # Starting processes afresh takes longer than forking but is safe beside threads.
    context = multiprocessing.get_context("spawn")
    waiting = iter(fixtures)
    workers: dict[Connection, Any] = {}
    try:
        for _ in range(jobs):
            first = next(waiting, None)
            if first is None:
                break
            here, there = context.Pipe()
            worker = context.Process(target=_work, args=(there, table), daemon=True)
            worker.start()
            there.close()
            here.send(first)
            workers[here] = worker
        while workers:
            for connection in wait(list(workers)):
                assert isinstance(connection, Connection)
                try:
                    answer = connection.recv()
                except (EOFError, OSError):
                    raise ArenaError("a process that played games has died") from None
                if isinstance(answer, str):
                    raise ArenaError(f"a game cannot be played to its end:\n{answer}")
                if isinstance(answer, Exception):
                    raise answer
                after = next(waiting, None)
                if after is None:
                    connection.close()
                    workers.pop(connection).join()
                else:
                    connection.send(after)
                yield answer
    finally:
        for connection, worker in workers.items():
            worker.kill()
            worker.join()
            connection.close()


def _work(connection: Connection, table: Table) -> None:
    """Play the games that come through the connection until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us decides what to do about it
    Thread(target=_leave_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            fixture = connection.recv()
            try:
                answer: Played | Exception | str = table.play(fixture)
            except (ArenaError, OptionError) as error:
                answer = error
            except Exception:
                answer = traceback.format_exc()
            connection.send(answer)


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
