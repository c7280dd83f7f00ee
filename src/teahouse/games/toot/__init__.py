"""Toot, by joushi: place tiles, jump over the other colour, and outlast the opponent's pieces."""

from typing import Any

from teahouse.core.game import STUDIED, GameInfo
from teahouse.core.options import BoolOption, IntOption


def _check(options: dict[str, Any]) -> None:
    if options["pieces"] >= options["tiles"]:
        raise ValueError(
            f"pieces must be fewer than tiles, got {options['pieces']} and {options['tiles']}"
        )


INFO = GameInfo(
    title="Toot",
    summary="Place tiles, jump over the other colour, and leave your opponent a single piece.",
    options={
        "tiles": IntOption(
            3, 20, default=12, help="Tiles per player, more than pieces", label="Tiles per player"
        ),
        "pieces": IntOption(
            2, 19, default=5, help="Pieces per player, fewer than tiles", label="Pieces per player"
        ),
        "most_pieces": BoolOption(
            default=False,
            help="After 60 turns without progress the player with more pieces left wins",
            label="More pieces win instead of a draw",
        ),
    },
    players=lambda options: ("Blue", "Red"),
    check=_check,
    tier=STUDIED,
)
