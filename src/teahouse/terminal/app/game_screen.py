"""The game screen: playing, replaying, searches, and the keys for them."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

import teahouse as th
from teahouse.draw.rules_text import rules_text
from teahouse.search.analysis import STRONGEST
from teahouse.search.threads import default_threads
from teahouse.session.errors import CommandError
from teahouse.terminal.app.background_search import BackgroundSearch
from teahouse.terminal.app.board import BoardWidget
from teahouse.terminal.app.dialogs import ConfirmDialog, InputDialog, TextDialog
from teahouse.terminal.app.game_display import GameDisplay
from teahouse.terminal.app.game_view import GameView
from teahouse.terminal.app.keys import KEYS
from teahouse.terminal.local_game import LocalGame
from teahouse.terminal.preparation import prepare_bots
from teahouse.terminal.texts import progress_text

HINT_SECONDS = 10.0
NOTICE_SECONDS = 1.0  # between two updates of the notice
CHANGING_KEYS: tuple[tuple[str, tuple[object, ...]], ...] = (
    *((name, ()) for name in ("branch", "rematch", "pause", "undo", "hint", "type")),
    *(("view", (step,)) for step in (-1, 1)),
)
"""Actions that are enabled in some states, with their parameters."""


class GameScreen(GameDisplay):
    """A game being played or replayed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo", "Undo"),
        Binding("h", "hint", "Hint"),
        Binding("t", "type", "Type"),
        Binding("e", "explain", "Explain", show=False),
        Binding("comma", "view(-1)", "Back", key_display=","),
        Binding("full_stop", "view(1)", "Forward", key_display="."),
        Binding("home", "view(-100000)", "First move", show=False),
        Binding("end", "view(100000)", "Last move", show=False),
        Binding("m", "panel", "Moves"),
        Binding("s", "save", "Save"),
        Binding("r", "rules", "Rules", show=False),
        Binding("x", "resign", "Resign", show=False),
        Binding("escape", "stop", "Stop", show=False),
        Binding("question_mark", "keys", "Keys", key_display="?"),
        Binding("q", "leave", "Leave"),
        # Those that come and go are last, so that the others keep their places.
        Binding("p", "pause", "Pause"),
        Binding("b", "branch", "Play on"),
        Binding("n", "rematch", "Rematch"),
    ]

    def __init__(self, local_game: LocalGame) -> None:
        super().__init__(local_game)
        self._enabled: list[bool] = []
        """Whether each key that depends on the state was enabled at the last update."""

    def on_mount(self) -> None:
        self.query_one("#move-input").display = False
        self.board.focus()
        prepare_bots(self.local_game.session)
        self.set_interval(NOTICE_SECONDS, self.update_notice)
        self.update_notice()
        self.show_ply(self.local_game.ply)

    def on_unmount(self) -> None:
        self._cancel_searches()
        self.local_game.close()

    def show_ply(self, ply: int) -> None:
        """Show the position after a number of moves; start a bot's search if it is its turn."""
        if self.hint_search is not None:
            self.hint_search.stop()
            self.hint_search = None
        self.view = GameView(self.local_game, ply)
        self.cursor_moved = False
        self._update_bindings()
        bot_due = self.view.live and self.local_game.bot_to_move and not self.paused
        if bot_due and self.bot_search is None:
            self.bot_search = BackgroundSearch(self, self.local_game.bot_move)
        moves = self.query_one("#moves", OptionList)
        moves.clear_options()
        moves.add_options(Option(line) for line in self.view.moves)
        moves.highlighted = ply - 1 if ply else None
        self.update_all()

    def _update_bindings(self) -> None:
        """Refresh the key hints if another set is enabled; that is slow."""
        enabled = [
            bool(self.check_action(action, parameters)) for action, parameters in CHANGING_KEYS
        ]
        if enabled != self._enabled:
            self._enabled = enabled
            self.refresh_bindings()

    # Moves

    def on_board_widget_chosen(self, event: BoardWidget.Chosen) -> None:
        pointing = self.view.pointing
        if pointing is None:
            self._show_message(self.view.blocked_reason)
            return
        before = pointing.chosen
        move = pointing.click(event.name)
        if move is not None:
            self.board.place_cursor(pointing.chosen)
            self.play(move)
            return
        self.update_all()
        if not pointing.chosen and (why := self.view.position.refuse(event.name, before)):
            self._show_message(why)

    def action_explain(self) -> None:
        cursor = self.board.cursor
        if cursor:
            self._show_message(self.view.position.explain(cursor))
        else:
            self._show_message("Move the cursor to what you would like to have explained.")

    def on_board_widget_cursor_moved(self) -> None:
        self.cursor_moved = True
        self._update_status()

    def play(self, move: str) -> None:
        """Play a move for the seat to move."""
        try:
            self.local_game.play(move)
        except CommandError as error:
            self._show_message(error.message)
            return
        except OSError as error:
            self.paused = True  # or a bot would try again and again
            self.show_ply(self.local_game.ply)
            self._show_message(f"The move was not played. {error}")
        else:
            self.show_ply(self.local_game.ply)

    def action_type(self) -> None:
        """Type a move."""
        if self.view.pointing is None:
            self._show_message(self.view.blocked_reason)
            return
        field = self.query_one("#move-input", Input)
        field.display = True
        field.value = ""
        self.set_focus(field)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        self._close_input()
        if text:
            self.play(text)

    def _close_input(self) -> None:
        self.query_one("#move-input").display = False
        self.board.focus()

    def action_undo(self) -> None:
        """Take back the last move of a person."""
        self._cancel_searches()
        message = ""
        try:
            self.local_game.take_back()
        except (CommandError, OSError) as error:
            message = str(error)
        self.show_ply(self.local_game.ply)
        if message:
            self._show_message(message)

    @work
    async def action_resign(self) -> None:
        """Resign for the seat to move."""
        if self.view.pointing is None:
            self._show_message(self.view.blocked_reason)
            return
        question = f"Resign for {self.local_game.seat_to_move}?"
        if not await self.app.push_screen_wait(ConfirmDialog(question)):
            return
        try:
            replaced = self.local_game.resign()
        except (CommandError, OSError) as error:
            self._show_message(str(error))
        else:
            self.show_ply(self.local_game.ply)
            if replaced:
                self.app.notify(replaced, markup=False)

    # Searches

    def on_background_search_progress(self, event: BackgroundSearch.Progress) -> None:
        if event.search is self.bot_search:
            self._update_status(progress_text(event.analysis))
        elif event.search is self.hint_search:
            self.view.analysis = event.analysis
            self.update_all()

    def on_background_search_finished(self, event: BackgroundSearch.Finished) -> None:
        """Use the result of a search that was not cancelled."""
        if event.search is self.bot_search and isinstance(event.result, str):
            self.bot_search = None
            self.play(event.result)
        elif event.search is self.hint_search and isinstance(event.result, th.Analysis):
            self.hint_search = None
            self.view.analysis = event.result
            self.update_all()

    def _cancel_searches(self) -> None:
        """Stop all searches and ignore their results."""
        for search in (self.bot_search, self.hint_search):
            if search is not None:
                search.stop()
        self.bot_search = self.hint_search = None

    def action_pause(self) -> None:
        """Pause or resume the bots."""
        self.paused = not self.paused
        if self.paused:
            self._cancel_searches()
        self.show_ply(self.view.ply)

    def action_hint(self) -> None:
        """Start an analysis of the position shown; again or Escape: stop it."""
        position = self.view.position
        if self.hint_search is not None:
            self.hint_search.stop()
        elif position.over:
            self._show_message(self.view.blocked_reason)
        else:
            self.panel_shown = True
            self.hint_search = BackgroundSearch(
                self,
                lambda progress, cancel: th.analyse(
                    position,
                    seconds=HINT_SECONDS,
                    threads=default_threads(),
                    progress=progress,
                    cancel=cancel,
                    wait=False,
                    engine=STRONGEST,
                ),
            )

    def action_stop(self) -> None:
        """Stop a search; else clear the selection; else close the analysis."""
        search = self.bot_search or self.hint_search
        if self.query_one("#move-input").display:
            self._close_input()
        elif search is not None:
            search.stop()
        elif self.view.pointing is not None and self.view.pointing.clear():
            self.update_all()
        elif self.view.analysis is not None:
            self.view.analysis = None
            self.panel_shown = None
            self.update_all()
        else:
            self.board.focus()

    # Replay, next game and leaving

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key is enabled now; None shows it as disabled, False not at all."""
        local_game, view = self.local_game, self.view
        match action, *parameters:
            case ("branch",):
                return not view.position.over and (local_game.over or not view.live)
            case ("rematch",):
                return local_game.over
            case ("pause",):
                bots = any(seat.kind == "bot" for seat in local_game.session.seats)
                return bots and not local_game.over
            case ("undo",):
                played = local_game.session.last_ply_of(local_game.people) is not None
                return (played and view.live and not local_game.over) or None
            case ("hint",):
                return not view.position.over or None
            case ("type",):
                return view.pointing is not None or None
            case ("view", int(step)):
                return (view.ply > 0 if step < 0 else not view.live) or None
        return True

    def action_view(self, step: int) -> None:
        """Replay: show another position of the game."""
        self._cancel_searches()
        self.show_ply(max(0, min(self.local_game.ply, self.view.ply + step)))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.action_view(event.option_index + 1 - self.view.ply)

    def _switch_to(self, local_game: LocalGame) -> None:
        self._cancel_searches()
        self.local_game.close()
        self.local_game = local_game
        self.show_ply(local_game.ply)

    def action_branch(self) -> None:
        """Play from the position shown as a new game; this one stays saved."""
        self._switch_to(self.local_game.branch(self.view.ply))
        self._show_message("A new game from here. The other one stays as it was.")

    def action_rematch(self) -> None:
        """Play the next game of the same players, with seats by the game's rule."""
        self._switch_to(self.local_game.rematch())

    def action_panel(self) -> None:
        """Show or hide the panel."""
        self.panel_shown = not self.query_one("#panel").display
        self._fit()

    @work
    async def action_save(self) -> None:
        """Save the record to a file."""
        name = await self.app.push_screen_wait(
            InputDialog("Save the record to file:", f"{self.local_game.game.name}.txt")
        )
        path = Path(name or "").expanduser()
        if name is None or (
            path.exists()
            and not await self.app.push_screen_wait(ConfirmDialog(f"{path} exists. Overwrite it?"))
        ):
            return
        try:
            self.local_game.save_copy(path)
        except OSError as error:
            self._show_message(f"Not saved: {error}")
        else:
            self._show_message(f"Saved to {path}")

    def action_rules(self) -> None:
        """Show the rules."""
        self.app.push_screen(TextDialog(rules_text(self.local_game.game)))

    def action_keys(self) -> None:
        """Show what the keys do."""
        self.app.push_screen(TextDialog(KEYS))

    def action_leave(self) -> None:
        """Go back to the home screen; the game stays saved."""
        self._cancel_searches()
        self.local_game.close()
        self.dismiss()
