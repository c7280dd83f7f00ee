"""Warnings: options that make a game endless, trivial or decided by the seat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from teahouse.core.game import Game
from teahouse.lab.figures import mean_estimate, share_estimate
from teahouse.lab.games import MAX_PLIES, RANDOM, PlayedGame
from teahouse.lab.measures import side_name

ENDLESS = 0.5
"""Share of unfinished games from which on the game is called endless."""
FORCED = 0.9
"""Share of plies with one legal move from which on the game is called trivial."""
ONE_SIDED = 0.95
"""Lower bound of a side's share of wins from which on the seat decides."""
DRAWN = 0.5
"""Lower bound of the share of draws from which on they are warned of."""
SHORT = 4
"""Plies of a game at least, on average, to be more than a moment."""
REPEATED = 0.1
"""Share of different games below which the bots play the same games again and again."""
FEW = 10
"""Games of a sample at least, to judge them."""


def warnings(game: Game, samples: Mapping[str, Sequence[PlayedGame]]) -> tuple[str, ...]:
    """Return problems of a game with its options, as sentences."""
    found = []
    for sample, games in samples.items():
        if len(games) >= FEW:
            name = "Random play" if sample == RANDOM else sample.capitalize()
            found += [f"{name}: {text}" for text in _warnings(game, games)]
    return tuple(found)


def _warnings(game: Game, games: Sequence[PlayedGame]) -> Iterator[str]:
    count = len(games)
    unfinished = sum(not one.ended for one in games)
    if unfinished >= ENDLESS * count:
        yield (
            f"the game is endless under these options: {unfinished} of {count} games did not end "
            f"within {MAX_PLIES:,} plies."
        )
    elif unfinished:
        yield f"{unfinished} of {count} games did not end within {MAX_PLIES:,} plies."
    plies = [choices for one in games for choices in one.choices]
    forced = sum(choices == 1 for choices in plies) / len(plies) if plies else 1.0
    if forced >= FORCED:
        yield (
            f"the game is trivial under these options: {100 * forced:.0f} % of the plies have one "
            "legal move."
        )
    length = mean_estimate([float(len(one.moves)) for one in games])
    if length.high < SHORT:
        yield (
            "the game is trivial under these options: it is over after "
            f"{length.value:.1f} plies on average."
        )
    yield from _result_warnings(game, [one for one in games if one.ended])
    different = len({(one.seed, one.moves) for one in games})
    if different <= max(1, REPEATED * count):
        yield f"only {different} of {count} games are different; more games would add nothing."


def _result_warnings(game: Game, ended: Sequence[PlayedGame]) -> Iterator[str]:
    if len(ended) < FEW:
        return
    for side in range(len(game.teams)):
        share = share_estimate([float(one.winner == side) for one in ended])
        if share.low >= ONE_SIDED or share.value == 1:
            yield (
                f"{side_name(game, side)} won {100 * share.value:.0f} % of {len(ended)} games; the "
                "seat decides."
            )
    draws = share_estimate([float(one.winner is None) for one in ended])
    if draws.low >= DRAWN:
        yield f"{100 * draws.value:.0f} % of {len(ended)} games were drawn."
