"""The app: themes, and the door one comes in by."""

from __future__ import annotations

import os
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from teahouse.terminal.app.colours import DARK, LIGHT, THEMES, first_theme, remember_theme
from teahouse.terminal.app.home import HomeScreen


class House(App[None]):
    """The house in the terminal."""

    TITLE = "Teahouse"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f2", "light", "Light/dark", show=False)]

    def __init__(self) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = first_theme()

    def on_mount(self) -> None:
        self.push_screen(HomeScreen())

    def action_light(self) -> None:
        """Change from light to dark or back, and remember it."""
        self.theme = LIGHT if self.theme == DARK else DARK
        remember_theme(self.theme)
