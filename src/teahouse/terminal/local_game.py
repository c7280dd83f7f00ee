"""A game session on this device: every change is on disk before it is shown."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from threading import Event, Lock

import teahouse as th
from teahouse.core.files import write_atomic
from teahouse.core.result import winners_text
from teahouse.search.bot import Bot
from teahouse.search.ugi.player import parse_ugi
from teahouse.search.ugi.spec import is_ugi
from teahouse.session import commands, events
from teahouse.session.errors import CommandError
from teahouse.session.events import SeatSpec, Timestamp
from teahouse.session.rematch import next_game
from teahouse.session.result import reason_text, replacement_text
from teahouse.session.state import GameSession, Seat
from teahouse.terminal.preparation import prepare_bots
from teahouse.terminal.saved_games import TERMINATION, SavedGame
from teahouse.terminal.seats import assign_engines, assign_seats, seat_tag, seats_of_record


def new_record(game: th.Game, seed: int | None = None) -> th.Record:
    """Return a record without moves; the setup is random if no seed is given."""
    return th.Record.new(game, _random_seed() if seed is None else seed)


def branch_record(record: th.Record, ply: int) -> th.Record:
    """Return a record of the first moves, without the result."""
    branch = th.Record.played(
        record.game, record.positions[: ply + 1], record.moves[:ply], record.seed
    )
    branch.names = dict(record.names)
    branch.tags = {name: value for name, value in record.tags.items() if name != TERMINATION}
    branch.comments = {at: text for at, text in record.comments.items() if at <= ply}
    return branch


class LocalGame:
    """People on this device and bots playing one game, which is saved after every change."""

    def __init__(
        self,
        record: th.Record,
        seats: Mapping[str, SeatSpec],
        saved: SavedGame | None = None,
        copy: Path | None = None,
        engines: Mapping[str, str] | None = None,
    ) -> None:
        """Continue a record; `engines` are the UGI engines that play some of the seats."""
        specs = [seats[name] for name in record.game.players]
        self.session = GameSession.from_record(record, specs, _now())
        self.record = record
        """The game so far, with every position."""
        self.saved = saved or SavedGame()
        self.copy = copy
        """A file of the player's own that is written after every change too."""
        self._bots: dict[tuple[int, int], Bot] = {}
        self._engine_specs = dict(engines or {})
        self._engines = {
            record.game.players.index(seat): parse_ugi(record.game, spec)
            for seat, spec in self._engine_specs.items()
        }
        self.dropped_engines = {
            seat: name
            for seat, name in record.names.items()
            if is_ugi(name) and seat not in self._engine_specs
        }
        """Engines that played before; a bot plays on, since a record starts no program."""
        self._search_lock = Lock()
        record.names = self._names(self.session)
        record.tags.setdefault("Date", f"{datetime.now():%Y-%m-%d}")

    @classmethod
    def resume(cls, path: Path, players: Mapping[str, str] | None = None) -> LocalGame:
        """Continue a saved game; no other process can do so until it is closed.

        `players` are seats that are played by others than before.
        """
        saved = SavedGame(path)
        try:
            record = saved.read()
            seats, players = seats_of_record(record), players or {}
            if players:
                given = assign_seats(record.game, players)
                named = {word.lower() for word in players}
                seats |= {seat: who for seat, who in given.items() if seat.lower() in named}
            return cls(record, seats, saved, engines=assign_engines(record.game, players))
        except BaseException:
            saved.close()
            raise

    @property
    def game(self) -> th.Game:
        return self.record.game

    @property
    def position(self) -> th.Position:
        """The last position."""
        return self.record.position

    @property
    def ply(self) -> int:
        """The number of moves played."""
        return len(self.record.moves)

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or otherwise."""
        return self.session.over

    @property
    def seats(self) -> dict[str, Seat]:
        """Who plays each seat at the moment."""
        return dict(zip(self.game.players, self.session.seats, strict=True))

    @property
    def seat_to_move(self) -> str:
        """The name of the seat to move."""
        return self.game.players[self.position.player]

    @property
    def bot_to_move(self) -> bool:
        """Whether it is a bot's turn."""
        return self.session.bot_to_move

    @property
    def people(self) -> list[int]:
        """The seats that people play."""
        return [seat for seat in range(len(self.session.seats)) if not self.session.is_bot(seat)]

    def play(self, text: str) -> str:
        """Play a move for the seat to move and return its exact text.

        Raise `CommandError` if it is not allowed. If it cannot be saved (`OSError`), it is not
        played.
        """
        session, player = self.session, self.position.player
        if session.bot_to_move:
            self._commit([commands.play(session, player, session.ply, text)])
        else:
            self._command(commands.Play(seat=player, ply=session.ply, move=text))
        return self.record.moves[-1]

    def bot_move(
        self, progress: Callable[[th.Analysis], None] | None = None, cancel: Event | None = None
    ) -> str:
        """Return the move of the bot to move, without playing it; each seat keeps its bot."""
        with self._search_lock:  # a cancelled search may still be running
            player = self.position.player
            engine = self._engines.get(player)
            if engine is not None:
                engine.record = self.record
                return engine.choose(self.position, cancel=cancel)
            level = self.session.seats[player].level
            assert level is not None, "a bot has a level"
            bot = self._bots.get((player, level))
            if bot is None:
                prepare_bots(self.session)
                bot = th.bot(self.game, level, seed=self.record.seed, wait=False)
                self._bots[player, level] = bot
            return bot.choose(self.position, progress=progress, cancel=cancel)

    def take_back(self) -> None:
        """Take back the last move of a person and all after it, before the end of the game."""
        ply = self.session.last_ply_of(self.people)
        if ply is None:
            raise CommandError("invalid_offer", "You have not played a move yet.")
        seat = self.session.moves[ply].player
        self._command(commands.Offer(seat=seat, offer="takeback", ply=ply))

    def resign(self) -> str | None:
        """Resign for the seat to move.

        With two sides the other one wins. With more, a bot takes over the seat and the game goes
        on: return a sentence that says so.
        """
        happened = self._command(commands.Resign(seat=self.position.player))
        replaced = [event for event in happened if isinstance(event, events.Replaced)]
        return replacement_text(self.session, replaced[0]) if replaced else None

    def engine_name(self, seat: str) -> str | None:
        """Return the name of the UGI engine that plays a seat, or None if none does."""
        engine = self._engines.get(self.game.players.index(seat))
        return None if engine is None else engine.name

    @property
    def engine_failures(self) -> list[str]:
        """What the engine to move did wrong so far."""
        engine = self._engines.get(self.position.player)
        return list(engine.failures) if engine else []

    def forfeit(self) -> None:
        """End the game between two sides: that of the engine to move has lost."""
        player = self.position.player
        winners = self.game.teams[1 - self.game.side(player)]
        result = winners_text(self.game, winners)
        self._commit([events.Ended(result=result, reason="failed", seat=player)])

    def branch(self, ply: int) -> LocalGame:
        """Return a new game that starts with the first moves of this one."""
        record = branch_record(self.record, ply)
        return LocalGame(record, seats_of_record(record))

    def rematch(self) -> LocalGame:
        """Return the next game of the same players, with seats by the game's rule."""
        created = next_game(self.session, _random_seed())
        session = GameSession(created, _now())
        seats = dict(zip(self.game.players, created.seats, strict=True))
        return LocalGame(th.Record(session.game, session.start, created.seed), seats)

    def save_copy(self, path: Path) -> None:
        """Write the record to a file of the player's own."""
        write_atomic(path, self.record.text())

    def close(self) -> None:
        """Release the saved game for other processes, and end the engines."""
        self.saved.close()
        for engine in self._engines.values():
            engine.close()

    def _command(self, command: commands.Command) -> list[events.Event]:
        happened = commands.decide(self.session, command, _now(), str)
        self._commit(happened)
        return happened

    def _commit(self, happened: Sequence[events.Event]) -> None:
        """Apply events and save the result; if that fails, nothing has changed."""
        session, record = self.session.copy(), self.record.copy()
        session.commit(happened, _now())
        for event in happened:
            match event:
                case events.Moved(move=move):
                    record.play(move)
                case events.TookBack(ply=ply):
                    record = branch_record(record, ply)
                case events.Ended(result=result):
                    record.end(result)
                    record.tags[TERMINATION] = reason_text(session) or ""
        record.names = self._names(session)
        if record.moves:
            self.saved.write(record)
        else:
            self.saved.delete()
        self.session, self.record = session, record
        if self.copy is not None:
            self.save_copy(self.copy)

    def _names(self, session: GameSession) -> dict[str, str]:
        seats = zip(session.game.players, session.seats, strict=True)
        return {name: self._engine_specs.get(name) or seat_tag(seat) for name, seat in seats}


def _random_seed() -> int:
    return secrets.randbelow(1 << 31)


def _now() -> Timestamp:
    return Timestamp(time.time())
