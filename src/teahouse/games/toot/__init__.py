"""Toot, by joushi: lay tiles, jump over the other colour, and outlive the other player's pieces."""

from typing import Any

from teahouse.core.game import GameInfo
from teahouse.core.options import BoolOption, IntOption


def _check(options: dict[str, Any]) -> None:
    if options["pieces"] >= options["tiles"]:
        raise ValueError(
            f"pieces must be fewer than tiles, not {options['pieces']} to {options['tiles']}"
        )


INFO = GameInfo(
    title="Toot",
    summary="Lay tiles, jump over the other colour, and leave the other player a single piece.",
    options={
        "tiles": IntOption(3, 20, default=12, meaning="tiles of each player, more than pieces"),
        "pieces": IntOption(2, 19, default=5, meaning="pieces of each player, fewer than tiles"),
        "most_pieces": BoolOption(
            False, meaning="a game without progress goes to who has more pieces"
        ),
    },
    players=lambda options: ("Blue", "Red"),
    check=_check,
)
