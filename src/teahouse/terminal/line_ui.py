"""Playing line by line: prints the board, reads moves and commands."""

from __future__ import annotations

import shlex
import time
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import teahouse as th
from teahouse.draw.rules_text import rules_text
from teahouse.draw.text import render_text
from teahouse.search.analysis import STRONGEST
from teahouse.search.threads import default_threads
from teahouse.search.ugi import EngineFailure
from teahouse.session.errors import CommandError
from teahouse.terminal.command_ui import INTRODUCTION, LIST_MOVES, CommandUI, Quit
from teahouse.terminal.line_input import Ask
from teahouse.terminal.local_game import LocalGame
from teahouse.terminal.preparation import preparation_notice, prepare_bots
from teahouse.terminal.progress import SearchProgress
from teahouse.terminal.texts import (
    board_in_words,
    every_move_loses,
    player_to_move,
    players_text,
    status_text,
    value_text,
)

HINT_SECONDS = 2.0
MAX_HINTS = 5
WATCHING = "Bots play on all seats; Ctrl-C quits."


class LineUI(CommandUI):
    """Plays one local game through lines of text."""

    def __init__(
        self,
        local_game: LocalGame,
        ask: Ask,
        out: TextIO,
        progress: SearchProgress,
        *,
        words: bool = False,
        pause: float = 0.0,
    ) -> None:
        super().__init__(ask, out)
        self.local_game = local_game
        self.progress = progress
        self.words = words
        """Whether boards are described in words instead of drawn."""
        self.pause = pause
        """Seconds between the moves of bots that play alone."""
        self._noticed = False
        self.commands = {
            "?": (self.list_moves, LIST_MOVES),
            "board": (self.show_board, "show the board"),
            "look": (self.look, "describe the board in words; look PLACE: one place"),
            "explain": (self.explain, "explain PLACE: what is there, and what it does"),
            "moves": (self.show_moves, "list the moves so far"),
            "hint": (self.hint, "show the best moves and their values"),
            "undo": (self.undo, "take back your last move"),
            "save": (self.save, "save FILE: write the record to a file"),
            "resign": (self.resign, "resign; with three sides a bot takes over your seat"),
            "rules": (self.rules, "show the rules"),
            "help": (self.help, "show this list"),
            "quit": (self.quit, "quit; the game is saved"),
        }

    def run(self) -> None:
        """Play until the game is over, the player quits, or the input ends."""
        local_game = self.local_game
        self.print(f"{local_game.game.title}. {players_text(local_game, ratings=True)}.")
        for seat, spec in local_game.dropped_engines.items():
            option = shlex.join([f"--{seat.lower()}", spec])
            self.print(
                f"The engine of {seat} is not running: a bot plays on. To start it: {option}"
            )
        self.print(WATCHING if self._watching else INTRODUCTION)
        prepare_bots(local_game.session)
        shown = None
        try:
            while not local_game.over:
                if local_game.bot_to_move:
                    self._play_bot()
                    if self._watching and not local_game.over:
                        self._show_position()
                    continue
                if local_game.position != shown:
                    shown = local_game.position
                    self.print("")
                    self.show_board("")
                self.handle(self.read_line())
        except Quit:
            saved = " The game is saved; continue it with: teahouse play --continue"
            self.goodbye(f"Goodbye.{saved if local_game.ply else ''}")
            return
        self.print("")
        self.show_board("")
        self.print(f"Result: {local_game.record.result}")

    @property
    def _watching(self) -> bool:
        """Whether bots play alone."""
        return not self.local_game.people

    def _show_position(self) -> None:
        """Show the board between two moves of bots for a while; the moves are in words already."""
        if not self.words:
            self.print("")
            self.show_board("")
            self.print("")
        try:
            time.sleep(self.pause)
        except KeyboardInterrupt:
            self.interrupted = True
            raise Quit from None

    @property
    def position(self) -> th.Position:
        """The current position."""
        return self.local_game.position

    def handle(self, text: str) -> None:
        """Carry out one line: a command or a move."""
        try:
            if self.run_command(text):
                return
        except OSError as error:
            self.print(f"Failed: {error.strerror or error}")  # it may name a temporary file
            return
        self.play(text)

    def play(self, text: str) -> None:
        seat, position = self.local_game.seat_to_move, self.position
        try:
            move = self.local_game.play(text)
        except CommandError as error:
            self.print(error.message)
        else:
            self._print_move(seat, position, move)

    def _play_bot(self) -> None:
        who, position = player_to_move(self.local_game), self.position
        failures = len(self.local_game.engine_failures)
        try:
            action = "quit" if self._watching else "move now"
            text = f"{who} is thinking (Ctrl-C: {action})"
            with self.progress(text, self._notice) as (on_progress, cancel):
                move = self.local_game.bot_move(on_progress, cancel)
        except EngineFailure as failure:
            self.print(f"{who} failed: {failure.report}")
            self.local_game.forfeit()
            return
        if self._watching and cancel.is_set():
            self.interrupted = True
            raise Quit
        for report in self.local_game.engine_failures[failures:]:
            self.print(f"{who} failed: {report} A bot plays on.")
        self.local_game.play(move)
        self._print_move(who, position, move)

    def _print_move(self, who: str, position: th.Position, move: str) -> None:
        """Print a move, and in words if the game has any for it."""
        words = position.describe(move)
        known = words.endswith(f" played {move}")
        self.print(f"{who} plays {move}." if known else f"{who} plays {move}: {words}.")

    def _notice(self) -> str:
        """Return how far the bots are prepared, once in a game; empty if they are ready."""
        if self._noticed:
            return ""
        notice = preparation_notice(self.local_game.session)
        self._noticed = bool(notice)
        return notice

    def show_board(self, _: str) -> None:
        if self.words:
            self.look("")
            return
        position, status = self.position, status_text(self.local_game)
        if not (self.local_game.over or self._watching):
            status = f"{status} {position.scene.notation_hint}".rstrip()
        self.print(render_text(position, status, self.width))

    def look(self, place: str) -> None:
        self.print(board_in_words(self.position, place))
        if not place:
            self.print(status_text(self.local_game))

    def explain(self, place: str) -> None:
        names = self.position.scene.item_labels
        found = next((name for name in names if name.lower() == place.lower()), place)
        try:
            self.print(self.position.explain(found))
        except th.OptionError as error:
            self.print(str(error))

    def show_moves(self, _: str) -> None:
        moves = [f"{number}. {move}" for number, move in enumerate(self.local_game.record.moves, 1)]
        self.print(" ".join(moves) or "No move has been played yet.")

    def hint(self, _: str) -> None:
        position = self.position
        text = "Searching for the best moves (Ctrl-C: show them now)"
        with self.progress(text, self._notice) as (on_progress, cancel):
            analysis = th.analyse(
                position,
                seconds=HINT_SECONDS,
                threads=default_threads(),
                progress=on_progress,
                cancel=cancel,
                wait=False,
                engine=STRONGEST,
            )
        if every_move_loses(analysis):
            self.print("Every move loses.")
        for found in analysis.moves[:MAX_HINTS]:
            proven = f", proven {found.proof}" if found.proof else ""
            sentence = position.describe(found.move, "imperative")
            self.print(f"{found.move}: {value_text(found)}{proven}: {sentence}")
        self.print(f"Expected continuation: {' '.join(analysis.line)}")

    def undo(self, _: str) -> None:
        try:
            self.local_game.take_back()
        except CommandError as error:
            self.print(error.message)

    def save(self, name: str) -> None:
        with suppress(ValueError):  # unbalanced quotes
            name = " ".join(shlex.split(name))
        if not name:
            self.print("File name missing: save FILE")
            return
        path = Path(name).expanduser()
        if path.exists() and not self._confirm(f"{path} exists. Overwrite it?"):
            self.print("Nothing was written.")
            return
        self.local_game.save_copy(path)
        self.print(f"Saved to {path}")

    def resign(self, _: str) -> None:
        if not self._confirm("Resign?"):
            self.print("The game continues.")
            return
        try:
            replaced = self.local_game.resign()
        except CommandError as error:
            self.print(error.message)
        else:
            if replaced:
                self.print(replaced)

    def _confirm(self, question: str) -> bool:
        return (self.ask(f"{question} yes or no: ") or "").strip().lower() in ("yes", "y")

    def rules(self, _: str) -> None:
        self.print(rules_text(self.local_game.game))
