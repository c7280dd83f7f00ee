"""Pools: the games in which players are rated, each with a scale of its own.

A pool is a game with the options for which its levels were measured, so that a rating says which
level a player matches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from teahouse.core.catalog import games, load
from teahouse.core.errors import OptionError
from teahouse.core.game import Game, game_info
from teahouse.core.options import BoolOption, ChoiceOption, option_label, option_texts
from teahouse.search.arena.ratings import Z95
from teahouse.search.levels import level_ratings, measured_options
from teahouse.server.ratings.scale import START_DEVIATION, Rating

MAX_LEVEL_DEVIATION = 150.0  # a less certain rating would mislead those of its opponents


@dataclass(frozen=True)
class Pool:
    """A game with certain options, in which players are rated."""

    id: str
    """The game's name, and after a colon the options that are not the default ones."""
    game: Game
    title: str
    levels: tuple[tuple[int, Rating], ...]
    """The bots' levels on the scale that were measured well enough, in ascending order."""

    @property
    def start(self) -> Rating:
        """The rating of a player without a game: in the middle of the levels."""
        middle = (self.levels[0][1].value + self.levels[-1][1].value) / 2
        return Rating(middle, START_DEVIATION)

    @property
    def duel(self) -> bool:
        """Whether two single players play each other: rated by Glicko-2, others by OpenSkill."""
        return len(self.game.teams) == len(self.game.players) == 2

    def level(self, level: int) -> Rating | None:
        """Return a level's rating, or None if it was not measured well enough."""
        return dict(self.levels).get(level)

    def level_text(self, value: float) -> str:
        """Return which level a rating matches: "about level 5", "above level 6"."""
        nearest, rating = min(self.levels, key=lambda one: abs(one[1].value - value))
        ends = (self.levels[0][0], self.levels[-1][0])
        if nearest in ends and len(self.levels) > 1:
            ordered = self.levels[:2] if nearest == ends[0] else self.levels[-2:]
            step = ordered[1][1].value - ordered[0][1].value
            if nearest == ends[0] and value < rating.value - step / 2:
                return f"below level {nearest}"
            if nearest == ends[1] and value > rating.value + step / 2:
                return f"above level {nearest}"
        return f"about level {nearest}"


@cache
def pools() -> dict[str, Pool]:
    """Return all pools by id, those of a game in the order in which they were measured."""
    return {pool.id: pool for name in games() for pool in _pools_of(name)}


def pool_of(game: Game) -> Pool | None:
    """Return the pool of a game with its options, or None if nobody is rated in it."""
    return _by_game().get(game)


@cache
def _by_game() -> dict[Game, Pool]:
    return {pool.game: pool for pool in pools().values()}


def _pools_of(name: str) -> list[Pool]:
    found = []
    for key in measured_options(name):
        texts = dict(part.split("=", 1) for part in key.split(",") if part)
        try:
            game = load(name, **texts)
        except OptionError:  # of another version of the game
            continue
        rated = (
            (one.level, Rating(one.elo, (one.high - one.low) / (2 * Z95)))
            for one in sorted(level_ratings(game), key=lambda one: one.level)
        )
        levels = tuple((level, one) for level, one in rated if one.deviation <= MAX_LEVEL_DEVIATION)
        if levels:
            pool_id = f"{name}:{key}" if key else name
            found.append(Pool(pool_id, game, _title(game, list(texts)), levels))
    return found


def _title(game: Game, names: list[str]) -> str:
    """Return a pool's name for players: the game, and the options by which the pool differs."""
    info = game_info(game.name)
    texts = option_texts(game.all_options)
    parts = []
    for name in names:
        option = info.options[name]
        label = option_label(name, option)
        if isinstance(option, ChoiceOption) and option.choice_labels:
            parts.append(option.choice_labels[option.names.index(game.all_options[name])])
        elif isinstance(option, BoolOption):
            parts.append(label if game.all_options[name] else f"no {label}")
        else:
            parts.append(f"{label} {texts[name]}")
    return " · ".join([game.title, *parts])
