"""A game played line by line: prints the board, reads moves and plain-word commands."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TextIO

import teahouse as th

HELP = "Type a move, or: ? (list the legal moves), undo, board, rules, quit"


class Table:
    """People and bots around one record."""

    def __init__(
        self, record: th.Record, bots: set[int], seconds: float, save: Path | None
    ) -> None:
        self.record = record
        self.bots = bots
        self.seconds = seconds
        self.save = save

    def run(self, lines: TextIO, out: TextIO) -> None:
        """Play until the game is over, or nothing more is typed."""
        game = self.record.game
        bots = ", ".join(game.players[player] for player in sorted(self.bots)) or "none"
        print(f"{game.title}. Bots: {bots}. {HELP}.", file=out)
        shown = None
        while not self.record.position.over:
            position = self.record.position
            if position.player in self.bots:
                self._bot_moves(out)
                continue
            if position != shown:
                print(f"\n{position.text()}", file=out)
                shown = position
            print("> ", end="", file=out, flush=True)
            line = lines.readline()
            if not line or line.strip().lower() in ("quit", "exit", "q"):
                print("\nGood-bye." if not line else "Good-bye.", file=out)
                return
            self._heed(line.strip(), out)
        print(f"\n{self.record.position.text()}", file=out)
        print(f"Result: {self.record.result}", file=out)

    def _heed(self, text: str, out: TextIO) -> None:
        """Follow one line that somebody typed."""
        position = self.record.position
        if text == "?":
            print(" ".join(position.legal), file=out)
        elif text == "undo":
            self._take_back(out)
        elif text == "rules":
            print(self.record.game.rules_page, file=out)
        elif text == "board":
            print(position.text(), file=out)
        elif text in ("", "help"):
            print(HELP, file=out)
        else:
            try:
                self._play(text)
            except th.IllegalMove as error:
                print(error, file=out)

    def _take_back(self, out: TextIO) -> None:
        """Undo to the last decision that a person took."""
        people = [
            ply
            for ply, position in enumerate(self.record.positions[:-1])
            if position.player not in self.bots
        ]
        if not people:
            print("there is no move of yours to take back", file=out)
            return
        while len(self.record.moves) > people[-1]:
            self.record.undo()
        self._keep()

    def _bot_moves(self, out: TextIO) -> None:
        position = self.record.position
        name = self.record.game.players[position.player]
        move = position.legal[0]
        if len(position.legal) > 1:
            move = th.analyse(position, seconds=self.seconds, threads=2, seed=position.ply).best
        print(f"{name} (bot) plays {move}", file=out, flush=True)
        self._play(move)

    def _play(self, text: str) -> None:
        self.record.play(text)
        self._keep()

    def _keep(self) -> None:
        """Write the record to its file, whole or not at all."""
        if self.save is None:
            return
        with tempfile.NamedTemporaryFile(
            "w", dir=self.save.absolute().parent, delete=False, encoding="utf-8"
        ) as file:
            file.write(self.record.text())
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, self.save)
