"""The games and variants that tests run on."""

from pathlib import Path

import pytest

import teahouse as th
from teahouse.conformance.checks import STUDIED as STUDIED_TIER
from teahouse.conformance.samples import variants
from teahouse.core.game import Game, game_info, non_default_options

__all__ = ["ALL", "FOLDER", "KINDS", "STUDIED", "every_variant", "ids", "variants"]

FOLDER = Path(th.__file__).parent / "games"
ALL = [game for name in th.games() for game in variants(name)]
STUDIED = [name for name in th.games() if game_info(name).tier == STUDIED_TIER]
"""The games that promise perft.txt, signature.txt, suite.txt and all else of that tier."""


def ids(game: Game) -> str:
    """Return a game's name and options for test listings."""
    changed = [f"{name}={value}" for name, value in non_default_options(game).items()]
    return "-".join([game.name, *changed]).replace("\n", "/")[:60]


every_variant = pytest.mark.parametrize("game", ALL, ids=ids)

# One variant for each number of players and arrangement of teams.
KINDS = list({(game.name, game.teams): game for game in reversed(ALL)}.values())
