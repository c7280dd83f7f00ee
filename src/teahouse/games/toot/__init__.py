"""Toot, by joushi: place tiles, jump over the other colour, and outlast the opponent's pieces."""

from typing import Any

from teahouse.core.game import STUDIED, GameInfo
from teahouse.core.options import ChoiceOption, IntOption

LAST_CAPTURE = "last_capture"
"""The value of `most_pieces` by which the last capture decides an equal count (T18)."""
FIELDS = 9
"""Fields of a position text before the number of moves, if the last capture counts."""
FIRST_DEFAULTS = {"tiles": 12, "pieces": 5}
"""The defaults before T18."""


def _check(options: dict[str, Any]) -> None:
    if options["pieces"] >= options["tiles"]:
        raise ValueError(
            f"pieces must be fewer than tiles, got {options['pieces']} and {options['tiles']}"
        )


def _position_options(options: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the options of a position text; one that does not name the last capture is by T17."""
    if options["most_pieces"] != LAST_CAPTURE or len(text.split(" ")) != FIELDS - 1:
        return options
    default = all(option.default == options[name] for name, option in INFO.options.items())
    return {**options, **(FIRST_DEFAULTS if default else {}), "most_pieces": False}


INFO = GameInfo(
    title="Toot",
    summary="Place tiles, jump over the other colour, and leave your opponent a single piece.",
    options={
        "tiles": IntOption(
            3, 20, default=10, help="Tiles per player, more than pieces", label="Tiles per player"
        ),
        "pieces": IntOption(
            2, 19, default=4, help="Pieces per player, fewer than tiles", label="Pieces per player"
        ),
        "most_pieces": ChoiceOption(
            (False, True, LAST_CAPTURE),
            default=LAST_CAPTURE,
            help="Who wins a game without progress; if even, perhaps the last to capture",
            label="Without progress",
            choice_labels=("Draw", "More pieces win", "More pieces, last capture"),
        ),
        "quiet_limit": IntOption(  # T19
            10,
            120,
            default=60,
            help="Turns without progress, of both players together, that end the game",
            label="Turns without progress",
            house_rule=True,
        ),
    },
    players=lambda options: ("Blue", "Red"),
    check=_check,
    position_options=_position_options,
    tier=STUDIED,
)
