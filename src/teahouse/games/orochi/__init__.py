"""Orochi, by Kanare Kato: two serpents grow around the last empty cell."""

from teahouse.core.game import STUDIED, GameInfo
from teahouse.core.options import ChoiceOption, IntOption

INFO = GameInfo(
    title="Orochi",
    summary="Place stones of either colour; the longer serpent at the last empty cell wins.",
    options={
        "side": IntOption(
            2, 8, default=4, help="Cells along each edge of the hex board", label="Board side"
        ),
        "opening": ChoiceOption(  # C1, C10
            ("two", "swap"),
            default="two",
            help="How Black answers White's first stone",
            label="Opening",
            choice_labels=("Black places two stones", "Black may swap sides"),
            house_rule=True,
        ),
    },
    players=lambda options: ("White", "Black"),
    tier=STUDIED,
)
