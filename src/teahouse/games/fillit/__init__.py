"""Fillit, by Ryo Nakamura: slide your pawn, move stones, and be the first to lay all chips."""

from typing import Any

from teahouse.core.game import STUDIED, GameInfo
from teahouse.core.options import ChoiceOption, IntOption, TextOption
from teahouse.games.fillit import layouts
from teahouse.games.fillit.layouts import MODES


class ModeOption(ChoiceOption):
    """A mode's name; modes 2 and 3 may be given as numbers."""

    def parse(self, value: Any) -> str:
        return super().parse(str(value) if type(value) is int else value)


INFO = GameInfo(
    title="Fillit",
    summary="Slide your pawn and move a stone each turn; lay all your chips first to win.",
    options={
        "mode": ModeOption(
            tuple(MODES),
            default="2",
            help="Number of players and size of the board",
            label="Players and board",
            choice_labels=tuple(mode.title for mode in MODES.values()),
        ),
        "layout": TextOption(
            default="A",
            help="Starting places of pawns and stones",
            allowed="A, B or a drawing of the board",
            parser=layouts.read_layout,
            examples=("A", "B"),
            label="Starting layout",
            drawing=layouts.start_drawing,
            files=True,
        ),
        "first": ChoiceOption(
            ("Red", "Yellow", "Blue", "Green"),
            default="Red",
            help="The player who takes the first turn",
            label="First player",
        ),
        "chips": IntOption(  # F12
            0,
            layouts.MAX_CHIPS,
            default=0,
            help="Chips per side; 0 for the usual number",
            label="Chips per side",
            house_rule=True,
        ),
    },
    players=lambda options: MODES[options["mode"]].players,
    teams=lambda options: MODES[options["mode"]].sides,
    check=layouts.check_options,
    tier=STUDIED,
)
