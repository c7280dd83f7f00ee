"""A game played line by line: prints the board, reads moves and plain-word commands."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import teahouse as th
from teahouse.terminal.seats import who_text
from teahouse.terminal.table import Table
from teahouse.terminal.thinking import Engine
from teahouse.terminal.views import in_words, standing

HINT_SECONDS = 2.0
HINTS = 5


class Leave(Exception):  # noqa: N818 - nothing is wrong
    """The player wants to stop."""


class LinePlay:
    """One table, and somebody who types."""

    def __init__(
        self,
        table: Table,
        ask: Callable[[str], str | None],
        out: TextIO,
        thinking: Engine,
        *,
        words: bool = False,
    ) -> None:
        self.table = table
        self.ask = ask
        """Shows a prompt and gives the next line; None when there are no more."""
        self.out = out
        self.thinking = thinking
        self.words = words
        """Whether boards are said instead of drawn."""
        self.commands: dict[str, tuple[Callable[[str], None], str]] = {
            "?": (self.list_moves, "list the legal moves; ? TEXT those with TEXT in them"),
            "board": (self.show_board, "show the board again"),
            "look": (self.look, "the board in words; look PLACE what is there"),
            "moves": (self.show_moves, "the moves so far"),
            "hint": (self.hint, "what a bot would play, and how it judges the best moves"),
            "undo": (self.undo, "take back your last move"),
            "save": (self.save, "save FILE writes the record to a file"),
            "resign": (self.resign, "give up the game"),
            "rules": (self.rules, "the rules of the game"),
            "help": (self.help, "this list"),
            "quit": (self.quit, "stop; the game is kept"),
        }

    def run(self) -> None:
        """Play until the game is over, or nothing more is typed."""
        table = self.table
        game = table.record.game
        who = ", ".join(f"{seat} {who_text(who)}" for seat, who in table.seats.items())
        self.say(f"{game.title}: {who}.")
        self.say("Type a move, ? for the legal moves, or help for other words.")
        shown = None
        try:
            while not table.over:
                if table.bot_decides:
                    self._bot_plays()
                    continue
                if table.position != shown:
                    shown = table.position
                    self.say("")
                    self.show_board("")
                line = self.ask("> ")
                if line is None:
                    self.say("")
                    raise Leave
                self.heed(line.strip())
        except Leave:
            kept = " The game is kept: teahouse play --continue goes on with it."
            self.say(f"Good-bye.{kept if table.record.moves else ''}")
            return
        self.say("")
        self.show_board("")
        self.say(f"Result: {table.record.result}")

    def say(self, text: str) -> None:
        """Print at once, so that whoever reads a pipe sees it."""
        print(text, file=self.out, flush=True)

    def heed(self, text: str) -> None:
        """Follow one line that somebody typed."""
        word, _, rest = text.partition(" ")
        command = {"": "help", "exit": "quit", "q": "quit"}.get(word.lower(), word.lower())
        if command not in self.commands:
            self.play(text)
            return
        try:
            self.commands[command][0](rest.strip())
        except OSError as error:
            self.say(f"That did not work: {error}")

    def play(self, text: str) -> None:
        seat, position = self.table.seat, self.table.position
        try:
            move = self.table.play(text)
        except th.IllegalMove as error:
            self.say(str(error))
        else:
            self.say(f"{seat} plays {move}: {position.describe(move)}.")

    def _bot_plays(self) -> None:
        seat, position = self.table.seat, self.table.position
        who = f"{seat} ({who_text(self.table.seats[seat])})"
        with self.thinking(who) as (progress, cancel):
            move = self.table.bot_move(progress, cancel)
        self.table.play(move)
        self.say(f"{who} plays {move}: {position.describe(move)}.")

    def list_moves(self, part: str) -> None:
        moves = [move for move in self.table.position.legal if part.lower() in move.lower()]
        self.say(" ".join(moves) or f"no legal move has {part!r} in it")

    def show_board(self, _: str) -> None:
        position = self.table.position
        self.say(in_words(position) if self.words else position.text())

    def look(self, place: str) -> None:
        self.say(in_words(self.table.position, place))

    def show_moves(self, _: str) -> None:
        moves = [f"{number}. {move}" for number, move in enumerate(self.table.record.moves, 1)]
        self.say(" ".join(moves) or "no move was played yet")

    def hint(self, _: str) -> None:
        with self.thinking("the bot") as (progress, cancel):
            analysis = th.analyse(
                self.table.position,
                seconds=HINT_SECONDS,
                threads=2,
                progress=progress,
                cancel=cancel,
            )
        for found in analysis.ranked[:HINTS]:
            proven = f", proven {found.proof}" if found.proof else ""
            sentence = self.table.position.describe(found.move)
            self.say(f"{found.move}: {standing(found)}{proven}: {sentence}")
        self.say(f"Expected line: {' '.join(analysis.line)}")

    def undo(self, _: str) -> None:
        if not self.table.take_back():
            self.say("there is no move of yours to take back")

    def save(self, name: str) -> None:
        with suppress(ValueError):  # quotes that do not close
            name = " ".join(shlex.split(name))
        if not name:
            self.say("save needs a file's name: save FILE")
            return
        path = Path(name).expanduser()
        if path.exists() and not self._sure(f"{path} is there already. Write over it?"):
            self.say("nothing was written")
            return
        self.table.save(path)
        self.say(f"saved in {path}")

    def resign(self, _: str) -> None:
        if not self._sure("Give up the game?"):
            self.say("the game goes on")
            return
        try:
            self.table.resign()
        except th.IllegalMove as error:
            self.say(str(error))

    def _sure(self, question: str) -> bool:
        return (self.ask(f"{question} yes or no: ") or "").strip().lower() in ("yes", "y")

    def rules(self, _: str) -> None:
        self.say(self.table.record.game.rules_page)

    def help(self, _: str) -> None:
        self.say(f"A move, such as {self.table.position.legal[0]}, or one of these words:")
        for word, command in self.commands.items():
            self.say(f"  {word:<7} {command[1]}")

    def quit(self, _: str) -> None:
        raise Leave
