"""The screen of a table: the board, what is to be decided, the moves, and a bot's view."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, ScrollableContainer, Vertical
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

import teahouse as th
from teahouse.terminal.app.board import Board
from teahouse.terminal.app.dialogs import Asked, Page, Sure
from teahouse.terminal.app.keys import KEYS
from teahouse.terminal.app.showing import Showing
from teahouse.terminal.app.thinker import Thinker
from teahouse.terminal.seats import HUMAN
from teahouse.terminal.table import Table
from teahouse.terminal.views import judged, listed

PANEL = 28
"""Columns of the panel; it shows itself where the board leaves so many free."""
OTHER_LINES = 6
"""Lines that the board cannot have."""
HINT_SECONDS = 10.0


class GameScreen(Screen[None]):
    """A game being played or replayed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo", "Undo"),
        Binding("h", "hint", "Hint"),
        Binding("t", "type", "Type"),
        Binding("comma", "view(-1)", "Back", key_display=","),
        Binding("full_stop", "view(1)", "On", key_display="."),
        Binding("home", "view(-100000)", "First move", show=False),
        Binding("end", "view(100000)", "Last move", show=False),
        Binding("b", "branch", "Play from here"),
        Binding("n", "again", "New game"),
        Binding("m", "panel", "Moves"),
        Binding("p", "pause", "Pause"),
        Binding("s", "save", "Save"),
        Binding("r", "rules", "Rules", show=False),
        Binding("x", "resign", "Resign", show=False),
        Binding("escape", "stop", "Stop", show=False),
        Binding("question_mark", "keys", "Keys", key_display="?"),
        Binding("q", "leave", "Leave"),
    ]

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table = table
        self.showing = Showing(table, len(table.record.moves))
        self.bot: Thinker | None = None
        self.adviser: Thinker | None = None
        self.paused = False
        self.panel_asked: bool | None = None
        self.walked = False
        """Whether the cursor was moved since the last move, which is told until then."""
        self._keys: list[bool] = []

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Static(id="prompt", markup=False)
        with Horizontal(id="middle"):
            with ScrollableContainer(id="room", can_focus=False):
                yield Board(self.table.position.scene, id="board")
                yield Static(id="notes", markup=False)
            with Vertical(id="panel"):
                yield Static(id="findings", markup=False)
                yield OptionList(id="moves", markup=False)
        yield Input(placeholder="type a move and Enter, or Escape", id="typed", compact=True)
        yield Static(id="status", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.query_one("#typed").display = False
        self.board.focus()
        self.turn_to(len(self.table.record.moves))

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._fit)

    def on_unmount(self) -> None:
        self._halt()
        self.table.let_go()

    # What is shown

    @property
    def board(self) -> Board:
        return self.query_one("#board", Board)

    def turn_to(self, ply: int) -> None:
        """Show the position after so many moves; if it is a bot's turn there, let it play."""
        if self.adviser is not None:
            self.adviser.hurry()
            self.adviser = None
        self.showing = Showing(self.table, ply)
        self.walked = False
        self._show_keys()
        waits = self.showing.live and self.table.bot_decides and not self.paused
        if waits and self.bot is None:
            self.bot = Thinker(self, self.table.bot_move)
        moves = self.query_one("#moves", OptionList)
        moves.clear_options()
        moves.add_options(Option(line) for line in self.showing.moves)
        moves.highlighted = ply - 1 if ply else None
        self.show()

    def show(self) -> None:
        """Bring every part of the screen up to date."""
        showing = self.showing
        scene = showing.position.scene
        self._write("title", showing.title)
        self._write("prompt", showing.prompt)
        self._write("notes", "\n".join(scene.footer).strip("\n"))
        self._write("findings", listed(showing.analysis) if showing.analysis else "")
        self.query_one("#findings").display = showing.analysis is not None
        self.board.show(scene, showing.marks)
        self._show_status()
        self._fit()

    def _show_keys(self) -> None:
        """Renew the keys below if others do something now; that takes a while."""
        keys = [bool(self.check_action(action, ())) for action in ("branch", "again", "pause")]
        if keys != self._keys:
            self._keys = keys
            self.refresh_bindings()

    def _write(self, name: str, text: str) -> None:
        self.query_one(f"#{name}", Static).update(text)

    def _show_status(self, thought: str = "") -> None:
        """The line at the bottom: who thinks, or what the cursor is on."""
        if self.bot is not None:
            status = f"{self.showing.who} thinks, Escape: play now. {thought}"
        elif self.paused and self.table.bot_decides:
            status = "The bots wait; p lets them go on."
        elif self.walked:
            status = self.showing.under(self.board.cursor, self.board.words())
        else:
            status = self.showing.under("", "")
        self._write("status", status)
        self.query_one("#status").remove_class("told")

    def _fit(self) -> None:
        """Give the board the space there is, and the panel what the board leaves."""
        if not self.is_mounted:
            return
        panel = self.query_one("#panel")
        smallest = self.board.canvas.smallest + 4
        panel.display = (
            self.size.width - PANEL >= smallest if self.panel_asked is None else self.panel_asked
        )
        room = self.size.width - (PANEL if panel.display else 0) - 2
        self.board.fit((room, self.size.height - OTHER_LINES))

    def _tell(self, text: str) -> None:
        """Say something in the line at the bottom, until something else happens."""
        self._write("status", text)
        self.query_one("#status").add_class("told")

    # Moves

    def on_board_pointed(self, event: Board.Pointed) -> None:
        pointing = self.showing.pointing
        if pointing is None:
            self._tell(self.showing.why_not)
            return
        target = pointing.meant(event.name)
        if target is None and pointing.drop():  # begin anew with another piece
            target = pointing.meant(event.name)
        move = pointing.point(target) if target else None
        if move is not None:
            self.board.stand_on(pointing.chosen)
            self.play(move)
            return
        self.show()
        if target is None:
            self._tell("Nothing can be done there now; the marked places can be chosen.")

    def on_board_walked(self) -> None:
        self.walked = True
        self._show_status()

    def play(self, move: str) -> None:
        """Play a move for whoever decides."""
        try:
            self.table.play(move)
        except th.IllegalMove as error:
            self._tell(str(error))
            return
        except OSError as error:
            self.paused = True  # or a bot would try for ever
            self.turn_to(len(self.table.record.moves))
            self._tell(f"The move was not played: {error}")
        else:
            self.turn_to(len(self.table.record.moves))

    def action_type(self) -> None:
        """Type a move."""
        if self.showing.pointing is None:
            self._tell(self.showing.why_not)
            return
        typed = self.query_one("#typed", Input)
        typed.display = True
        typed.value = ""
        self.set_focus(typed)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        self._close_input()
        if text:
            self.play(text)

    def _close_input(self) -> None:
        self.query_one("#typed").display = False
        self.board.focus()

    def action_undo(self) -> None:
        """Take back to the last decision of a person."""
        self._halt()
        wrong = ""
        try:
            if not self.table.take_back():
                wrong = "There is no move of yours to take back."
        except OSError as error:
            wrong = str(error)
        self.turn_to(len(self.table.record.moves))
        if wrong:
            self._tell(wrong)

    @work
    async def action_resign(self) -> None:
        """Give the game up."""
        if self.showing.pointing is None:
            self._tell(self.showing.why_not)
        elif await self.app.push_screen_wait(Sure(f"{self.table.seat} gives up the game?")):
            try:
                self.table.resign()
            except (th.IllegalMove, OSError) as error:
                self._tell(str(error))
            else:
                self.turn_to(len(self.table.record.moves))

    # Thinking

    def on_thinker_found(self, event: Thinker.Found) -> None:
        if event.thinker is self.bot:
            self._show_status(judged(event.analysis))
        elif event.thinker is self.adviser:
            self.showing.analysis = event.analysis
            self.show()

    def on_thinker_answered(self, event: Thinker.Answered) -> None:
        """Heed an answer, unless it was asked for before an undo or the like."""
        if event.thinker is self.bot and isinstance(event.answer, str):
            self.bot = None
            self.play(event.answer)
        elif event.thinker is self.adviser and isinstance(event.answer, th.Analysis):
            self.adviser = None
            self.showing.analysis = event.answer
            self.show()

    def _halt(self) -> None:
        """Stop everything that thinks, and do not heed its answer."""
        for thinker in (self.bot, self.adviser):
            if thinker is not None:
                thinker.hurry()
        self.bot = self.adviser = None

    def action_pause(self) -> None:
        """Let the bots wait, or go on."""
        self.paused = not self.paused
        if self.paused:
            self._halt()
        self.turn_to(self.showing.ply)

    def action_hint(self) -> None:
        """Show a bot's view, better and better; the same key or Escape stops it."""
        position = self.showing.position
        if self.adviser is not None:
            self.adviser.hurry()
        elif position.over:
            self._tell("The game is over: there is no move to advise on.")
        else:
            self.panel_asked = True
            self.adviser = Thinker(
                self,
                lambda progress, cancel: th.analyse(
                    position, seconds=HINT_SECONDS, threads=2, progress=progress, cancel=cancel
                ),
            )

    def action_stop(self) -> None:
        """Stop thinking; else drop what was chosen; else put the advice away."""
        thinker = self.bot or self.adviser
        if self.query_one("#typed").display:
            self._close_input()
        elif thinker is not None:
            thinker.hurry()
        elif self.showing.pointing is not None and self.showing.pointing.drop():
            self.show()
        elif self.showing.analysis is not None:
            self.showing.analysis = None
            self.panel_asked = None
            self.show()
        else:
            self.board.focus()

    # Looking back, and leaving

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show the keys that do something now."""
        if action == "branch":
            return not self.showing.live
        if action == "again":
            return self.table.over
        if action == "pause":
            return any(who != HUMAN for who in self.table.seats.values()) and not self.table.over
        return True

    def action_view(self, step: int) -> None:
        """Replay: show another position of the game."""
        self._halt()
        self.turn_to(max(0, min(len(self.table.record.moves), self.showing.ply + step)))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.action_view(event.option_index + 1 - self.showing.ply)

    def action_branch(self) -> None:
        """Play on from the position shown; the game as it was stays kept."""
        self._halt()
        branched = self.table.branch(self.showing.ply)
        self.table.let_go()
        self.table = branched
        self.turn_to(self.showing.ply)
        self._tell("A new game from here; the other one stays as it was.")

    def action_again(self) -> None:
        """Play another game with the same options and seats."""
        self._halt()
        self.table.let_go()
        self.table = self.table.again()
        self.turn_to(0)

    def action_panel(self) -> None:
        """Show or hide the moves."""
        self.panel_asked = not self.query_one("#panel").display
        self._fit()

    @work
    async def action_save(self) -> None:
        """Write the record to a file."""
        name = await self.app.push_screen_wait(
            Asked("Save the record in which file?", f"{self.table.record.game.name}.txt")
        )
        path = Path(name or "").expanduser()
        if name is None or (
            path.exists()
            and not await self.app.push_screen_wait(
                Sure(f"{path} is there already. Write over it?")
            )
        ):
            return
        try:
            self.table.save(path)
        except OSError as error:
            self._tell(f"It was not saved: {error}")
        else:
            self._tell(f"Saved in {path}")

    def action_rules(self) -> None:
        """Read the rules."""
        self.app.push_screen(Page(self.table.record.game.rules_page))

    def action_keys(self) -> None:
        """Read what the keys do."""
        self.app.push_screen(Page(KEYS))

    def action_leave(self) -> None:
        """Go back to the door; the game stays kept."""
        self._halt()
        self.table.let_go()
        self.dismiss()
