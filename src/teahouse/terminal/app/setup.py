"""The screen before a game: its options, and who sits where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button, Checkbox, Footer, Input, Label, Select, Static

import teahouse as th
from teahouse.core import options as kinds
from teahouse.core.game import game_info
from teahouse.search.levels import LEVELS, level_ratings
from teahouse.terminal.app.dialogs import Page
from teahouse.terminal.app.table import GameScreen
from teahouse.terminal.seats import HUMAN, seated
from teahouse.terminal.table import Table, new_record

MAX_CHOICES = 30


class SetupScreen(Screen[None]):
    """Options and opponents."""

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
        yield Static(f"{self.game_info.title}: a new game", id="title", markup=False)
        with VerticalScroll(id="form", can_focus=False):
            yield Static(self.game_info.summary, markup=False)
            for name, option in self.game_info.options.items():
                with Horizontal(classes="row"):
                    yield Label(kinds.option_label(name, option), markup=False)
                    yield _field(f"option-{name}", option)
                yield Static(option.help, classes="quiet", markup=False)
            yield VerticalScroll(id="seats", can_focus=False)
            with Horizontal(classes="row"):
                yield Label("seed")
                yield Input(id="seed", placeholder="by chance", type="integer", compact=True)
            yield Static("only matters where the setup is random", classes="quiet")
        yield Static(id="wrong", markup=False)
        with Horizontal(id="buttons"):
            yield Button("Start", variant="primary", id="start")
            yield Button("Back", id="back")
        yield Footer(show_command_palette=False, compact=True)

    async def on_mount(self) -> None:
        await self._changed()
        self.query_one("#start").focus()

    def values(self) -> dict[str, Any]:
        """The options as they stand in the form; the game checks them."""
        values: dict[str, Any] = {}
        for name, option in self.game_info.options.items():
            field = self.query_one(f"#option-{name}")
            assert isinstance(field, Checkbox | Select | Input)
            value = field.value
            values[name] = value if value != "" else option.default
        return values

    def chosen(self) -> th.Game | None:
        """The game with these options, if they go together; else what is wrong is shown."""
        wrong = self.query_one("#wrong", Static)
        try:
            game = th.load(self.game, **self.values())
        except th.OptionError as error:
            wrong.update(str(error))
            return None
        wrong.update("")
        return game

    async def _changed(self) -> None:
        """Check the options, and ask for the seats that they give."""
        game = self.chosen()
        if game is None or game.players == self._seats:
            return
        self._seats = game.players
        seats = self.query_one("#seats")
        await seats.remove_children()
        await seats.mount_all(
            Horizontal(Label(seat, markup=False), _who(game, f"seat-{number}", who), classes="row")
            for number, (seat, who) in enumerate(seated(game, {}).items())
        )

    async def on_select_changed(self, event: Select.Changed) -> None:
        if not (event.select.id or "").startswith("seat-"):
            await self._changed()

    async def on_checkbox_changed(self) -> None:
        await self._changed()

    async def on_input_changed(self) -> None:
        await self._changed()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "start":
            self.action_start()
        else:
            self.action_close()

    def on_input_submitted(self) -> None:
        self.action_start()

    def action_start(self) -> None:
        """Begin the game."""
        game = self.chosen()
        if game is None:
            return
        seed_text = self.query_one("#seed", Input).value
        try:
            record = new_record(game, int(seed_text) if seed_text else None)
        except ValueError as error:
            self.query_one("#wrong", Static).update(str(error))
            return
        seats = dict(zip(game.players, self._who_sits(), strict=True))
        self.app.switch_screen(GameScreen(Table(record, seats)))

    def _who_sits(self) -> Iterator[int]:
        for number in range(len(self._seats)):
            select: Select[int] = self.query_one(f"#seat-{number}", Select)
            yield int(select.value)  # type: ignore[arg-type]  # never blank

    def action_rules(self) -> None:
        """Read the rules."""
        self.app.push_screen(Page(th.load(self.game).rules_page))

    def action_close(self) -> None:
        """Go back to the door."""
        self.dismiss()


def _field(name: str, option: kinds.Option) -> Widget:
    """The field for an option."""
    if isinstance(option, kinds.BoolOption):
        return Checkbox(value=option.default, id=name, compact=True)
    values: tuple[Any, ...] = ()
    if isinstance(option, kinds.ChoiceOption):
        values = option.names
    elif isinstance(option, kinds.IntOption) and option.high - option.low < MAX_CHOICES:
        values = tuple(range(option.low, option.high + 1))
    if values:
        choices = [(str(value), value) for value in values]
        return Select(choices, value=option.default, allow_blank=False, id=name, compact=True)
    text = "" if option.default is None else str(option.default)
    return Input(text, placeholder=option.allowed, id=name, compact=True)


def _who(game: th.Game, name: str, who: int) -> Select[int]:
    """The field for who takes a seat."""
    elo = {rating.level: f" (Elo {rating.elo:.0f})" for rating in level_ratings(game)}
    bots = ((f"bot, level {level}{elo.get(level, '')}", level) for level in LEVELS)
    choices = [("human", HUMAN), *bots]
    return Select(choices, value=who, allow_blank=False, id=name, compact=True)
