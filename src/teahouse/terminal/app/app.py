"""The full-screen app."""

from __future__ import annotations

import os
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from teahouse.terminal.app.home import HomeScreen
from teahouse.terminal.app.themes import DARK, LIGHT, THEMES, initial_theme, save_theme


class TeahouseApp(App[None]):
    """Teahouse in the terminal."""

    TITLE = "Teahouse"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f2", "theme", "Theme", show=False)]

    def __init__(self) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = initial_theme()

    def on_mount(self) -> None:
        self.push_screen(HomeScreen())

    def action_theme(self) -> None:
        """Switch between light and dark, and save the choice."""
        self.theme = LIGHT if self.theme == DARK else DARK
        save_theme(self.theme)
