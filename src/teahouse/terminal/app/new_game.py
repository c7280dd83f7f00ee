"""The screen before a game: its options and its players."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button, Checkbox, Footer, Input, Label, Select, Static

import teahouse as th
from teahouse.core.game import game_info
from teahouse.core.options import (
    BoolOption,
    ChoiceOption,
    IntOption,
    Option,
    allowed_text,
    option_label,
    option_text,
)
from teahouse.draw.rules_text import rules_text
from teahouse.search.levels import LEVELS, level_text
from teahouse.session.events import BotSeat, SeatSpec
from teahouse.terminal.app.dialogs import TextDialog
from teahouse.terminal.app.game_screen import GameScreen
from teahouse.terminal.local_game import LocalGame, new_record
from teahouse.terminal.seats import HUMAN, assign_seats

MAX_CHOICES = 30
"""Values of an integer option up to which they are listed."""
YES_NO = {True: "yes", False: "no"}


class YesNo(Checkbox):
    """A checkbox whose mark and word say whether it is on, also without colours."""

    def __init__(self, value: bool, id: str) -> None:  # noqa: A002
        self.BUTTON_INNER = self.MARKS[value]
        super().__init__(YES_NO[value], value, id=id, compact=True)

    MARKS: ClassVar[dict[bool, str]] = {True: "X", False: " "}

    def watch_value(self) -> None:
        self.BUTTON_INNER = self.MARKS[self.value]
        self.label = YES_NO[self.value]
        super().watch_value()


class NewGameScreen(Screen[None]):
    """Options and players of a new game."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "start", "Start"),
        Binding("f1", "rules", "Rules"),
        Binding("escape", "close", "Back"),
    ]

    def __init__(self, name: str) -> None:
        super().__init__()
        self.game = name
        self.game_info = game_info(name)
        self._seats: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        yield Static(f"New game: {self.game_info.title}", id="title", markup=False)
        with VerticalScroll(id="form", can_focus=False):
            yield Static(self.game_info.summary, markup=False)
            for name, option in self.game_info.options.items():
                with Horizontal(classes="row"):
                    yield Label(option_label(name, option), markup=False)
                    yield _option_field(f"option-{name}", option)
                yield Static(option.help, classes="muted", markup=False)
            yield VerticalScroll(id="seats", can_focus=False)
            with Horizontal(classes="row"):
                yield Label("Seed")
                yield Input(id="seed", placeholder="random", type="integer", compact=True)
            yield Static("For a random setup", classes="muted")
        yield Static(id="error", markup=False)
        with Horizontal(id="buttons"):
            yield Button("Start", variant="primary", id="start")
            yield Button("Back", id="back")
        yield Footer(show_command_palette=False, compact=True)

    async def on_mount(self) -> None:
        await self._update_seats()
        self.query_one("#start").focus()

    def values(self) -> dict[str, Any]:
        """Return the options in the form, unchecked."""
        values: dict[str, Any] = {}
        for name, option in self.game_info.options.items():
            field = self.query_one(f"#option-{name}")
            assert isinstance(field, Checkbox | Select | Input)
            value = field.value
            values[name] = value if value != "" else option.default
        return values

    def selected_game(self) -> th.Game | None:
        """Return the game with these options; show the error if they are not allowed."""
        message = self.query_one("#error", Static)
        try:
            game = th.load(self.game, **self.values())
        except th.OptionError as error:
            message.update(str(error))
            return None
        message.update("")
        return game

    async def _update_seats(self) -> None:
        """Check the options and show a field for each seat."""
        game = self.selected_game()
        if game is None or game.players == self._seats:
            return
        self._seats = game.players
        seats = self.query_one("#seats")
        await seats.remove_children()
        await seats.mount_all(
            Horizontal(
                Label(name, markup=False), _seat_field(game, f"seat-{index}", seat), classes="row"
            )
            for index, (name, seat) in enumerate(assign_seats(game, {}).items())
        )

    async def on_select_changed(self, event: Select.Changed) -> None:
        if not (event.select.id or "").startswith("seat-"):
            await self._update_seats()

    async def on_checkbox_changed(self) -> None:
        await self._update_seats()

    async def on_input_changed(self) -> None:
        await self._update_seats()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "start":
            self.action_start()
        else:
            self.action_close()

    def on_input_submitted(self) -> None:
        self.action_start()

    def action_start(self) -> None:
        """Start the game."""
        game = self.selected_game()
        if game is None:
            return
        seed_text = self.query_one("#seed", Input).value
        try:
            record = new_record(game, int(seed_text) if seed_text else None)
        except ValueError as error:
            self.query_one("#error", Static).update(str(error))
            return
        seats = dict(zip(game.players, self._selected_seats(), strict=True))
        self.app.switch_screen(GameScreen(LocalGame(record, seats)))

    def _selected_seats(self) -> Iterator[SeatSpec]:
        for index in range(len(self._seats)):
            select: Select[SeatSpec] = self.query_one(f"#seat-{index}", Select)
            yield cast("SeatSpec", select.value)  # never blank

    def action_rules(self) -> None:
        """Show the rules."""
        self.app.push_screen(TextDialog(rules_text(th.load(self.game))))

    def action_close(self) -> None:
        """Go back to the home screen."""
        self.dismiss()


def _option_field(name: str, option: Option) -> Widget:
    """Return the form field of an option."""
    if isinstance(option, BoolOption):
        return YesNo(option.default, name)
    choices: list[tuple[str, Any]] = []
    if isinstance(option, ChoiceOption):
        labels = option.choice_labels or map(option_text, option.names)
        choices = list(zip(labels, option.names, strict=True))
    elif isinstance(option, IntOption) and option.high - option.low < MAX_CHOICES:
        choices = [(str(value), value) for value in range(option.low, option.high + 1)]
    if choices:
        return Select(choices, value=option.default, allow_blank=False, id=name, compact=True)
    text = "" if option.default is None else str(option.default)
    return Input(text, placeholder=allowed_text(option), id=name, compact=True)


def _seat_field(game: th.Game, name: str, seat: SeatSpec) -> Select[SeatSpec]:
    """Return the form field of a seat."""
    choices: list[tuple[str, SeatSpec]] = [
        ("Human", HUMAN),
        *((level_text(level, game), BotSeat(level=level)) for level in LEVELS),
    ]
    return Select(choices, value=seat, allow_blank=False, id=name, compact=True)
