"""The home screen: unfinished games, new games, finished games."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

import teahouse as th
from teahouse.core.game import game_info
from teahouse.draw.rules_text import rules_text
from teahouse.terminal.app.board import BoardWidget
from teahouse.terminal.app.canvas import Highlights
from teahouse.terminal.app.dialogs import ConfirmDialog, InputDialog, TextDialog
from teahouse.terminal.app.game_screen import GameScreen
from teahouse.terminal.app.new_game import NewGameScreen
from teahouse.terminal.local_game import LocalGame
from teahouse.terminal.saved_games import (
    SavedGame,
    SavedGameInfo,
    read_record,
    saved_games,
    unfinished_games,
)
from teahouse.terminal.seats import seats_of_record

MAX_FINISHED = 50
PREVIEW_MIN_WIDTH = 100
"""Columns of the terminal from which on a preview is shown."""


class HomeScreen(Screen[None]):
    """The list of games."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "open", "Open a record"),
        Binding("delete,d", "delete", "Delete", key_display="d"),
        Binding("r", "rules", "Rules"),
        Binding("q", "app.quit", "Quit"),
    ]

    def compose(self) -> ComposeResult:
        yield Static("Teahouse", id="title")
        with Horizontal(id="middle"):
            yield OptionList(id="list", markup=False)
            with VerticalScroll(id="preview", can_focus=False):
                yield Static(id="about", markup=False)
                scene = th.load(th.games()[0]).start().scene
                yield BoardWidget(scene, interactive=False, id="picture")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.update_list()

    def on_screen_resume(self) -> None:
        self.update_list()

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#preview").display = event.size.width >= PREVIEW_MIN_WIDTH
        available = (event.size.width * 55 // 100 - 4, event.size.height - 8)
        self.query_one("#picture", BoardWidget).fit(available)

    def update_list(self) -> None:
        """List the saved games and the games there are."""
        unfinished = unfinished_games()
        finished = [info for info in saved_games() if not info.unfinished][:MAX_FINISHED]
        self._saved = {str(info.path): info for info in (*unfinished, *finished)}
        options: list[Option | None] = []
        if unfinished:
            options += [_heading("Continue"), *(_option(info) for info in unfinished), None]
        options.append(_heading("New game"))
        for name in th.games():
            declared = game_info(name)
            options.append(Option(f"{declared.title}: {declared.summary}", id=name))
        if finished:
            options += [None, _heading("Finished games"), *(_option(info) for info in finished)]
        listing = self.query_one("#list", OptionList)
        listing.clear_options()
        listing.add_options(options)
        listing.highlighted = 1
        listing.focus()

    @property
    def _highlighted(self) -> str:
        """The id of the highlighted line."""
        listing = self.query_one("#list", OptionList)
        if listing.highlighted is None:
            return ""
        return listing.get_option_at_index(listing.highlighted).id or ""

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show a preview."""
        highlighted = event.option.id or ""
        info = self._saved.get(highlighted)
        try:
            position = read_record(info.path).position if info else th.load(highlighted).start(1)
            status, scene = position.status, position.scene
        except Exception as error:  # an unreadable file, or code of an external game
            self.query_one("#about", Static).update(str(error))
            return
        if info and not info.unfinished and not position.over:
            status = f"{info.result_text[0].upper()}{info.result_text[1:]}."  # not by the rules
        self.query_one("#about", Static).update(f"{position.game.title}\n{status}\n")
        self.query_one("#picture", BoardWidget).show(scene, Highlights())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        selected = event.option.id or ""
        if selected not in self._saved:
            self.app.push_screen(NewGameScreen(selected))
            return
        try:
            local_game = LocalGame.resume(Path(selected))
        except (OSError, ValueError) as error:
            self.app.notify(str(error), markup=False, severity="warning")
            self.update_list()
        else:
            self.app.push_screen(GameScreen(local_game))

    @work
    async def action_open(self) -> None:
        """Open a record from a file."""
        name = await self.app.push_screen_wait(InputDialog("Open record file:"))
        if name is None:
            return
        try:
            record = read_record(Path(name).expanduser())
        except (OSError, ValueError) as error:
            self.app.notify(f"{name}: {error}", markup=False, severity="warning")
        else:
            self.app.push_screen(GameScreen(LocalGame(record, seats_of_record(record))))

    @work
    async def action_delete(self) -> None:
        """Delete a saved game."""
        info = self._saved.get(self._highlighted)
        if info is not None and await self.app.push_screen_wait(
            ConfirmDialog(f"Delete this game?\n{info.text}")
        ):
            try:
                SavedGame(info.path).delete()
            except (OSError, ValueError) as error:
                self.app.notify(str(error), markup=False, severity="warning")
            self.update_list()

    def action_rules(self) -> None:
        """Show the rules of the highlighted game."""
        info = self._saved.get(self._highlighted)
        name = info.game if info else self._highlighted
        if name:
            self.app.push_screen(TextDialog(rules_text(th.load(name))))


def _heading(text: str) -> Option:
    return Option(text.upper(), disabled=True)


def _option(info: SavedGameInfo) -> Option:
    return Option(info.text, id=str(info.path))
