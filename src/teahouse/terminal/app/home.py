"""The door of the house: games left before, games to begin, games to look at."""

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
from teahouse.terminal import saved_games
from teahouse.terminal.app.board import Board
from teahouse.terminal.app.canvas import Marks
from teahouse.terminal.app.dialogs import Asked, Page, Sure
from teahouse.terminal.app.setup import SetupScreen
from teahouse.terminal.app.table import GameScreen
from teahouse.terminal.seats import from_record
from teahouse.terminal.table import Table

MAX_FINISHED = 50
WIDE = 100
"""Columns from which on there is a picture beside the list."""


class HomeScreen(Screen[None]):
    """What there is to play."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "open", "Open a record"),
        Binding("delete,d", "forget", "Forget", key_display="d"),
        Binding("r", "rules", "Rules"),
        Binding("q", "app.quit", "Quit"),
    ]

    def compose(self) -> ComposeResult:
        yield Static("Teahouse", id="title")
        with Horizontal(id="middle"):
            yield OptionList(id="list", markup=False)
            with VerticalScroll(id="preview", can_focus=False):
                yield Static(id="about", markup=False)
                yield Board(th.load(th.games()[0]).start().scene, shown_only=True, id="picture")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.fill()

    def on_screen_resume(self) -> None:
        self.fill()

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#preview").display = event.size.width >= WIDE
        room = (event.size.width * 55 // 100 - 4, event.size.height - 8)
        self.query_one("#picture", Board).fit(room)

    def fill(self) -> None:
        """List what there is now."""
        left = saved_games.unfinished()
        done = [entry for entry in saved_games.entries() if not entry.unfinished][:MAX_FINISHED]
        self._entries = {str(entry.path): entry for entry in (*left, *done)}
        options: list[Option | None] = []
        if left:
            options += [_heading("Go on with"), *(_option(entry) for entry in left), None]
        options.append(_heading("New game"))
        for name in th.games():
            declared = game_info(name)
            options.append(Option(f"{declared.title}: {declared.summary}", id=name))
        if done:
            options += [None, _heading("Look at"), *(_option(entry) for entry in done)]
        listing = self.query_one("#list", OptionList)
        listing.clear_options()
        listing.add_options(options)
        listing.highlighted = 1
        listing.focus()

    @property
    def _here(self) -> str:
        """The id of the highlighted line."""
        listing = self.query_one("#list", OptionList)
        if listing.highlighted is None:
            return ""
        return listing.get_option_at_index(listing.highlighted).id or ""

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show what the line stands for."""
        here = event.option.id or ""
        try:
            position = (
                saved_games.read(Path(here)).position
                if here in self._entries
                else th.load(here).start(seed=1)
            )
        except (OSError, ValueError) as error:
            self.query_one("#about", Static).update(str(error))
            return
        board = self.query_one("#picture", Board)
        self.query_one("#about", Static).update(f"{position.game.title}\n{position.scene.prompt}\n")
        board.show(position.scene, Marks())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        here = event.option.id or ""
        if here not in self._entries:
            self.app.push_screen(SetupScreen(here))
            return
        try:
            table = Table.take_up(Path(here))
        except (OSError, ValueError) as error:
            self.app.notify(str(error), markup=False, severity="warning")
            self.fill()
        else:
            self.app.push_screen(GameScreen(table))

    @work
    async def action_open(self) -> None:
        """Open a record from a file."""
        name = await self.app.push_screen_wait(Asked("Open which file?"))
        if name is None:
            return
        try:
            record = saved_games.read(Path(name).expanduser())
        except (OSError, ValueError) as error:
            self.app.notify(f"{name}: {error}", markup=False, severity="warning")
        else:
            self.app.push_screen(GameScreen(Table(record, from_record(record))))

    @work
    async def action_forget(self) -> None:
        """Remove a kept game."""
        entry = self._entries.get(self._here)
        if entry is not None and await self.app.push_screen_wait(
            Sure(f"Forget this game for good?\n{entry.text}")
        ):
            try:
                saved_games.Kept(entry.path).remove()
            except (OSError, ValueError) as error:
                self.app.notify(str(error), markup=False, severity="warning")
            self.fill()

    def action_rules(self) -> None:
        """Read the rules of the highlighted game."""
        entry = self._entries.get(self._here)
        name = entry.game if entry else self._here
        if name:
            self.app.push_screen(Page(th.load(name).rules_page))


def _heading(text: str) -> Option:
    return Option(text.upper(), disabled=True)


def _option(entry: saved_games.Entry) -> Option:
    return Option(entry.text, id=str(entry.path))
