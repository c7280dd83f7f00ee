"""The board widget: shows a scene, moves a cursor over it, and reports clicks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from teahouse.core.scene import Scene
from teahouse.terminal.app.canvas import Canvas, Highlights
from teahouse.terminal.app.themes import DARK_BOARD, LIGHT_BOARD


class BoardWidget(Widget, can_focus=True):
    """A scene with a cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move_cursor(0, -1)", "Up", show=False),
        Binding("down", "move_cursor(0, 1)", "Down", show=False),
        Binding("left", "move_cursor(-1, 0)", "Left", show=False),
        Binding("right", "move_cursor(1, 0)", "Right", show=False),
        Binding("tab", "next_target(1)", "Next target", show=False),
        Binding("shift+tab", "next_target(-1)", "Previous target", show=False),
        Binding("enter,space", "choose", "Choose", show=False),
        *(Binding(str(key), f"choose_button({key})", show=False) for key in range(1, 10)),
    ]

    class Chosen(Message):
        """A spot or choice was clicked, or chosen with a key."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    class CursorMoved(Message):
        """The cursor was moved."""

    def __init__(self, scene: Scene, *, interactive: bool = True, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.can_focus = interactive
        self._available = (0, 0)
        self._highlights = Highlights()
        self.cursor = ""
        self.canvas = Canvas(scene, self._available)
        self._line_cache: tuple[Any, list[list[Segment]]] | None = None

    def show(self, scene: Scene, highlights: Highlights) -> None:
        """Show another scene or other highlights."""
        self._highlights = highlights
        self._rebuild(scene)

    def fit(self, available: tuple[int, int]) -> None:
        """Fit the board into columns and lines."""
        if available != self._available:
            self._available = available
            self._rebuild(self.canvas.scene)

    def _rebuild(self, scene: Scene) -> None:
        self.canvas = Canvas(scene, self._available, self._highlights.usable)
        if self.cursor not in self.canvas.places:
            self.cursor = ""
        self.refresh(layout=True)

    def rendered_lines(self) -> list[list[Segment]]:
        """Return the rendered lines, memoised."""
        dark = self.app.current_theme.dark
        key = (self.canvas, self._highlights, self.cursor if self.has_focus else "", dark)
        if self._line_cache is None or self._line_cache[0] != key:
            highlights = replace(self._highlights, cursor=key[2])
            colours = DARK_BOARD if dark else LIGHT_BOARD
            self._line_cache = (key, self.canvas.render(highlights, colours))
        return self._line_cache[1]

    def render_line(self, y: int) -> Strip:
        lines = self.rendered_lines()
        strip = Strip(lines[y] if y < len(lines) else [])
        return strip.adjust_cell_length(self.size.width).apply_style(self.rich_style)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return self.canvas.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.canvas.height

    def cursor_label(self) -> str:
        """Return what is at the cursor, in words."""
        scene = self.canvas.scene
        for spot in scene.spots:
            if spot.name == self.cursor:
                return spot.label or spot.name
        return next((it.label for it in scene.choices if it.name == self.cursor), "")

    def place_cursor(self, names: Iterable[str]) -> None:
        """Put the cursor on the last of these names that is a spot."""
        spots = {spot.name for spot in self.canvas.scene.spots}
        self.cursor = ([name for name in names if name in spots] or [self.cursor])[-1]

    def action_move_cursor(self, dx: int, dy: int) -> None:
        """Move the cursor to the next spot in a direction, at first to the centre."""
        if self.cursor:
            self._move_to(self.canvas.neighbour(self.cursor, dx, dy))
        else:
            self._move_to(self._centre())

    def action_next_target(self, step: int) -> None:
        """Move the cursor to the next or previous target in reading order."""
        target = self.target_after(self.cursor, step)
        if target is not None:
            self._move_to(target)

    def target_after(self, name: str, step: int) -> str | None:
        """Return the target after (1) or before (-1) a place in reading order, cyclically."""
        places = self.canvas.places
        targets = sorted(
            (name for name in self._highlights.targets if name in places),
            key=lambda name: places[name][::-1],
        )
        if not targets:
            return None
        here = places.get(name, (-1, -1))[::-1]
        if step > 0:
            return next((one for one in targets if places[one][::-1] > here), targets[0])
        return next((one for one in reversed(targets) if places[one][::-1] < here), targets[-1])

    def action_choose(self) -> None:
        """Choose what is at the cursor; without a cursor, go to the first target."""
        if self.cursor:
            self.post_message(self.Chosen(self.cursor))
        else:
            self.action_next_target(1)

    def action_choose_button(self, number: int) -> None:
        """Choose the button with this number below the board."""
        choices = self.canvas.scene.choices
        if number <= len(choices) and choices[number - 1] in self.canvas.shown_choices:
            self.post_message(self.Chosen(choices[number - 1].name))

    def on_click(self, event: events.Click) -> None:
        name = self.canvas.hit_test(event.x, event.y)
        if name is not None and self.can_focus:
            self._move_to(name)
            self.post_message(self.Chosen(name))

    def _centre(self) -> str:
        column, line = self.canvas.width // 2, self.canvas.board_height // 2
        return self.canvas.hit_test(column, line) or next(iter(self.canvas.places), "")

    def _move_to(self, name: str) -> None:
        self.cursor = name
        self.refresh()
        column, line = self.canvas.places[name]
        canvas = self.canvas
        width = next((len(canvas.button(it)) for it in canvas.scene.choices if it.name == name), 3)
        self._scroll_into_view(Region(column - 1, line - 1, width + 2, 3))
        self.post_message(self.CursorMoved())

    def _scroll_into_view(self, region: Region) -> None:
        """Scroll so that a region of the board is visible."""
        area, offset = self.parent, self.virtual_region.offset
        while isinstance(area, Widget) and not isinstance(area, ScrollableContainer):
            offset += area.virtual_region.offset
            area = area.parent
        if isinstance(area, Widget):
            area.scroll_to_region(region.translate(offset), force=True, animate=False)
