"""The layout of the game screen, and how its parts are updated."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Center, Horizontal, ScrollableContainer, Vertical
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static

from teahouse.terminal.app.background_search import BackgroundSearch
from teahouse.terminal.app.board import BoardWidget
from teahouse.terminal.app.game_view import GameView
from teahouse.terminal.local_game import LocalGame
from teahouse.terminal.preparation import preparation_notice
from teahouse.terminal.texts import analysis_lines, player_to_move

PANEL_WIDTH = 28
"""Columns of the side panel; by default it is shown if the board leaves that many."""
OTHER_LINES = 6
"""Lines that are not available for the board: title, prompt (2), status (2) and keys."""


class GameDisplay(Screen[None]):
    """Board, prompt, move list and analysis of a game; `GameScreen` adds the actions."""

    def __init__(self, local_game: LocalGame) -> None:
        super().__init__()
        self.local_game = local_game
        self.view = GameView(local_game, local_game.ply)
        self.bot_search: BackgroundSearch | None = None
        self.hint_search: BackgroundSearch | None = None
        self.paused = False
        self.panel_shown: bool | None = None
        """Whether the player wants the panel; None: where it fits."""
        self.cursor_moved = False
        """Whether the cursor was moved since the last move, which is described until then."""

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Static(id="prompt", markup=False)
        with Horizontal(id="middle"):
            with ScrollableContainer(id="board-area", can_focus=False), Vertical(id="centred"):
                with Center():
                    yield BoardWidget(self.local_game.position.scene, id="board")
                with Center():
                    yield Static(id="footer-text", markup=False)
            with Vertical(id="panel"):
                yield Static(id="analysis", markup=False)
                yield OptionList(id="moves", markup=False)
        yield Input(
            placeholder="type a move, then Enter; Escape: cancel", id="move-input", compact=True
        )
        yield Static(id="notice", markup=False)
        yield Static(id="status", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._fit)

    @property
    def board(self) -> BoardWidget:
        return self.query_one("#board", BoardWidget)

    def update_all(self) -> None:
        """Update every part of the screen."""
        view = self.view
        scene = view.position.scene
        self._update("title", view.title)
        self._update("prompt", view.prompt)
        self._update("footer-text", "\n".join(scene.footer).strip("\n"))
        self._update("analysis", analysis_lines(view.analysis) if view.analysis else "")
        self.query_one("#analysis").display = view.analysis is not None
        self.board.show(scene, view.highlights)
        self._update_status()
        self._fit()

    def _update(self, name: str, text: str) -> None:
        self.query_one(f"#{name}", Static).update(text)

    def _update_status(self, progress: str = "") -> None:
        """Show who is thinking, or what is at the cursor, in the bottom line."""
        if self.bot_search is not None:
            who = player_to_move(self.local_game)
            status = f"{who} is thinking. Escape: move now. {progress}"
        elif self.paused and self.local_game.bot_to_move:
            status = "The bots are paused; p resumes."
        elif self.cursor_moved:
            status = self.view.status(self.board.cursor, self.board.cursor_label())
        else:
            status = self.view.status("", "")
        self._update("status", status)
        self.query_one("#status").remove_class("message")

    def update_notice(self) -> None:
        """Show how far the bots are prepared, if they are not ready."""
        text = preparation_notice(self.local_game.session)
        self._update("notice", text)
        self.query_one("#notice").display = bool(text)

    def _show_message(self, text: str) -> None:
        """Show a message in the bottom line until the next change."""
        self._update("status", text)
        self.query_one("#status").add_class("message")

    def _fit(self) -> None:
        """Fit the board into the screen, and show the panel if there is space left."""
        if not self.is_mounted:
            return
        panel = self.query_one("#panel")
        min_width = self.board.canvas.min_width + 4
        panel.display = (
            self.size.width - PANEL_WIDTH >= min_width
            if self.panel_shown is None
            else self.panel_shown
        )
        columns = self.size.width - (PANEL_WIDTH if panel.display else 0) - 2
        self.query_one("#footer-text").styles.max_width = columns - 1  # beside a scroll bar
        self.board.fit((columns, self.size.height - OTHER_LINES))
