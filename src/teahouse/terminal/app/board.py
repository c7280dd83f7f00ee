"""The board on the screen: shown, walked over with the arrow keys, and clicked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from teahouse.core.scene import Scene
from teahouse.terminal.app.canvas import Canvas, Marks, button
from teahouse.terminal.app.colours import DAY, NIGHT


class Board(Widget, can_focus=True):
    """A scene to look at and to point at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "walk(0, -1)", "Up", show=False),
        Binding("down", "walk(0, 1)", "Down", show=False),
        Binding("left", "walk(-1, 0)", "Left", show=False),
        Binding("right", "walk(1, 0)", "Right", show=False),
        Binding("tab", "hop(1)", "Next target", show=False),
        Binding("shift+tab", "hop(-1)", "Previous target", show=False),
        Binding("enter,space", "point", "Choose", show=False),
    ]

    class Pointed(Message):
        """Somebody pointed at a spot or a choice."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    class Walked(Message):
        """The cursor stands elsewhere."""

    def __init__(self, scene: Scene, *, shown_only: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.can_focus = not shown_only
        self._room = (0, 0)
        self._marks = Marks()
        self.cursor = ""
        self.canvas = Canvas(scene, self._room)
        self._painted: tuple[Any, list[list[Segment]]] | None = None

    def show(self, scene: Scene, marks: Marks) -> None:
        """Show another scene, or other marks on it."""
        self._marks = marks
        self._lay(scene)

    def fit(self, room: tuple[int, int]) -> None:
        """Use the space there is."""
        if room != self._room:
            self._room = room
            self._lay(self.canvas.scene)

    def _lay(self, scene: Scene) -> None:
        self.canvas = Canvas(scene, self._room)
        if self.cursor not in self.canvas.places:
            self.cursor = ""
        self.refresh(layout=True)

    def painted(self) -> list[list[Segment]]:
        """The lines as they look now."""
        dark = self.app.current_theme.dark
        looks = (self.canvas, self._marks, self.cursor if self.has_focus else "", dark)
        if self._painted is None or self._painted[0] != looks:
            marks = replace(self._marks, cursor=looks[2])
            self._painted = (looks, self.canvas.paint(marks, NIGHT if dark else DAY))
        return self._painted[1]

    def render_line(self, y: int) -> Strip:
        lines = self.painted()
        strip = Strip(lines[y] if y < len(lines) else [])
        return strip.adjust_cell_length(self.size.width).apply_style(self.rich_style)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return self.canvas.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.canvas.height

    def words(self) -> str:
        """What the cursor stands on."""
        scene = self.canvas.scene
        for spot in scene.spots:
            if spot.name == self.cursor:
                return spot.label or spot.name
        return next((it.label for it in scene.choices if it.name == self.cursor), "")

    def stand_on(self, names: Iterable[str]) -> None:
        """Put the cursor on the last of these that is a spot of the board."""
        spots = {spot.name for spot in self.canvas.scene.spots}
        self.cursor = ([name for name in names if name in spots] or [self.cursor])[-1]

    def action_walk(self, across: int, down: int) -> None:
        """Go to the next spot in a direction, from the middle at first."""
        if self.cursor:
            self._move_to(self.canvas.next(self.cursor, across, down))
        else:
            self._move_to(self._middle())

    def action_hop(self, step: int) -> None:
        """Go to the next target in reading order."""
        places = self.canvas.places
        targets = sorted(
            (name for name in self._marks.targets if name in places),
            key=lambda name: places[name][::-1],
        )
        if not targets:
            return
        here = places.get(self.cursor, (-1, -1))[::-1]
        if step > 0:
            onward = [name for name in targets if places[name][::-1] > here]
            self._move_to(onward[0] if onward else targets[0])
        else:
            before = [name for name in targets if places[name][::-1] < here]
            self._move_to(before[-1] if before else targets[-1])

    def action_point(self) -> None:
        """Point at what the cursor stands on."""
        if self.cursor:
            self.post_message(self.Pointed(self.cursor))
        else:
            self.action_hop(1)

    def on_click(self, event: events.Click) -> None:
        name = self.canvas.near(event.x, event.y)
        if name is not None and self.can_focus:
            self._move_to(name)
            self.post_message(self.Pointed(name))

    def _middle(self) -> str:
        column, line = self.canvas.width // 2, self.canvas.lines // 2
        return self.canvas.near(column, line) or next(iter(self.canvas.places), "")

    def _move_to(self, name: str) -> None:
        self.cursor = name
        self.refresh()
        column, line = self.canvas.places[name]
        width = next((len(button(it)) for it in self.canvas.scene.choices if it.name == name), 3)
        self.scroll_visible_part(Region(column - 1, line - 1, width + 2, 3))
        self.post_message(self.Walked())

    def scroll_visible_part(self, region: Region) -> None:
        """Scroll so that a part of the board can be seen."""
        if self.parent is not None and isinstance(self.parent, Widget):
            part = region.translate(self.virtual_region.offset)
            self.parent.scroll_to_region(part, force=True, animate=False)
