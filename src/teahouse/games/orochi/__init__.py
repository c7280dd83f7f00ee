"""Orochi, by Kanare Kato: two serpents grow around the last empty cell."""

from teahouse.core.game import STUDIED, GameInfo
from teahouse.core.options import IntOption

INFO = GameInfo(
    title="Orochi",
    summary="Place stones of either colour; the longer serpent at the last empty cell wins.",
    options={
        "side": IntOption(
            2, 8, default=4, help="Cells along each edge of the hex board", label="Board side"
        )
    },
    players=lambda options: ("White", "Black"),
    tier=STUDIED,
)
