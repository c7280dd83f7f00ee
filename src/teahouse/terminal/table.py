"""A table: people and bots around one record, kept on disk after every move."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from threading import Event, Lock

import teahouse as th
from teahouse.search.bot import Bot
from teahouse.terminal.saved_games import Kept, write_whole
from teahouse.terminal.seats import HUMAN, from_record, names


def new_record(game: th.Game, seed: int | None = None) -> th.Record:
    """A record of a game about to begin, with a setup by chance if no seed is told."""
    return th.Record.new(game, secrets.randbelow(1 << 31) if seed is None else seed)


class Table:
    """A game being played: every change is on disk before anybody sees it."""

    def __init__(
        self,
        record: th.Record,
        seats: Mapping[str, int],
        kept: Kept | None = None,
        copy: Path | None = None,
    ) -> None:
        self.record = record
        self.seats = dict(seats)
        self.kept = kept or Kept()
        self.copy = copy
        """A file of the player's own that is kept up to date as well."""
        self._bots: dict[str, Bot] = {}
        self._thinking = Lock()
        record.names = names(self.seats)
        record.tags.setdefault("Date", f"{datetime.now():%Y-%m-%d}")

    @classmethod
    def take_up(cls, path: Path) -> Table:
        """The table of a kept game; nobody else can take it until it is let go."""
        kept = Kept(path)
        try:
            record = kept.read()
        except BaseException:
            kept.let_go()
            raise
        return cls(record, from_record(record), kept)

    @property
    def position(self) -> th.Position:
        """The last position."""
        return self.record.position

    @property
    def over(self) -> bool:
        """Whether nothing more can be played."""
        return self.record.result != "*"

    @property
    def seat(self) -> str:
        """The seat that decides."""
        return self.record.game.players[self.position.player]

    @property
    def bot_decides(self) -> bool:
        """Whether a bot takes the next decision."""
        return not self.over and self.seats[self.seat] != HUMAN

    def play(self, text: str) -> str:
        """Play a move; its exact text. One that cannot be written to disk is not played."""
        self.record.play(text)
        try:
            self._keep()
        except OSError:
            self.record.undo()
            raise
        return self.record.moves[-1]

    def bot_move(
        self, progress: Callable[[th.Analysis], None] | None = None, cancel: Event | None = None
    ) -> str:
        """The move of the bot that decides, not played yet; each seat's bot stays the same."""
        with self._thinking:  # one that was hurried on may still be thinking
            if self.seat not in self._bots:
                self._bots[self.seat] = th.bot(self.record.game, self.seats[self.seat])
            bot = self._bots[self.seat]
            return bot.choose(self.position, progress=progress, cancel=cancel)

    def take_back(self) -> bool:
        """Undo to the last decision that a person took; whether there is one."""
        positions = self.record.positions[:-1]
        players = self.record.game.players
        people = [
            ply
            for ply, position in enumerate(positions)
            if self.seats[players[position.player]] == HUMAN
        ]
        if people:
            self.go_back(people[-1])
        return bool(people)

    def go_back(self, ply: int) -> None:
        """Undo all moves but so many."""
        while len(self.record.moves) > ply:
            self.record.undo()
        self._keep()

    def branch(self, ply: int) -> Table:
        """A new table for the game as it was after so many moves."""
        record = th.Record.parse(self.record.text())
        while len(record.moves) > ply:
            record.undo()
        return Table(record, self.seats)

    def again(self) -> Table:
        """A new table for a game with the same options and seats."""
        return Table(new_record(self.record.game), self.seats)

    def resign(self) -> None:
        """End the game with a loss for who decides, or for their team."""
        game = self.record.game
        player = self.position.player
        others = [team for team in game.teams if player not in team]
        if len(others) != 1:
            raise th.IllegalMove(f"with {len(game.teams)} sides nobody can resign: play on or quit")
        self.record.end("+".join(game.players[other] for other in sorted(others[0])))
        self._keep()

    def save(self, path: Path) -> None:
        """Write the record to a file of the player's own."""
        write_whole(path, self.record.text())

    def let_go(self) -> None:
        """Leave the table; the game stays on disk."""
        self.kept.let_go()

    def _keep(self) -> None:
        if self.record.moves:
            self.kept.write(self.record)
        else:
            self.kept.remove()
        if self.copy is not None:
            self.save(self.copy)
