"""Measures: a number for each game of a sample, and what it means.

A figure is the mean of these numbers over the games of a sample, so that intervals rest on games,
which are independent, and not on the plies of a game, which are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

from teahouse.core.game import Game
from teahouse.lab import story
from teahouse.lab.evaluate import ONLY_GOOD
from teahouse.lab.events import event_label, event_names
from teahouse.lab.figures import (
    Figure,
    count_estimate,
    mean_estimate,
    percentage_estimate,
    quantile_estimate,
    sample_slug,
)
from teahouse.lab.games import MAX_PLIES, PlayedGame
from teahouse.search.arena.ratings import Estimate

LENGTH, CHOICE, SEATS, DRAMA, USES = (
    "Length",
    "Choice",
    "Seats and draws",
    "Decision and drama",
    "What is used",
)
BROWNE, LUDII, LANTZ, THOMPSON = (
    "Browne 2008",
    "Piette et al. 2021",
    "Lantz et al. 2017",
    "Thompson 1982",
)
LITERATURE = {
    BROWNE: "Cameron Browne, Automatic Generation and Evaluation of Recombination Games, PhD "
    "thesis, Queensland University of Technology, 2008",
    LUDII: "Éric Piette, Matthew Stephenson, Dennis Soemers and Cameron Browne, General Board Game "
    "Concepts, IEEE Conference on Games, 2021: the concepts of Ludii",
    LANTZ: "Frank Lantz, Aaron Isaksen, Alexander Jaffe, Andy Nealen and Julian Togelius, Depth in "
    "Strategic Games, AAAI Workshop on What's Next for AI in Games, 2017",
    THOMPSON: "Ken Thompson, Computer Chess Strength, Advances in Computer Chess 3, 1982",
}
"""What the sources of figures stand for."""
QUANTILES = (0.1, 0.5, 0.9)
Value = Callable[[PlayedGame], float | None]


@dataclass(frozen=True)
class Measure:
    """A number of each game, with its definition."""

    key: str
    label: str
    section: str
    unit: str
    definition: str
    value: Value
    """Of a game; None where the game has none, so that it is not counted."""
    estimator: Literal["mean", "count", "share"] = "mean"
    """`count` for events, `share` for numbers from 0 to 1, which are shown in %."""
    source: str = ""
    evaluated: bool = False
    """Whether only games with winning chances have it; these have events and spots too."""
    quantiles: tuple[float, ...] = ()
    """Quantiles that are figures too."""

    def values(self, games: Iterable[PlayedGame]) -> list[float]:
        """Return the numbers of the games that have one, not scaled to %."""
        found = (self.value(game) for game in games if game.chances or not self.evaluated)
        return [value for value in found if value is not None]

    def estimate(self, values: Sequence[float]) -> Estimate:
        """Return the mean with its interval; a share in %."""
        if self.estimator != "share":
            return (mean_estimate if self.estimator == "mean" else count_estimate)(values)
        return percentage_estimate(values)

    def figures(self, sample: str, games: Sequence[PlayedGame]) -> Iterator[Figure]:
        """Yield the mean and the quantiles over a sample; nothing if no game has a number."""
        values = self.values(games)
        if not values:
            return
        yield self._figure(sample, self.key, self.label, self.estimate(values), len(values))
        for share in self.quantiles:
            name = "Median" if share == 0.5 else f"{share:.0%} quantile".replace("%", " %")
            label = f"{name} of the {self.label[0].lower()}{self.label[1:]}"
            quantile = quantile_estimate(values, share)
            key = f"{self.key.removesuffix('.mean')}.q{100 * share:.0f}"
            yield self._figure(sample, key, label, quantile, len(values))

    def _figure(self, sample: str, key: str, label: str, found: Estimate, count: int) -> Figure:
        definition = self.definition
        if key != self.key:
            definition += " Interval between order statistics."
        return Figure(
            key=f"{key}.{sample_slug(sample)}",
            label=label,
            section=self.section,
            value=found.value,
            low=found.low,
            high=found.high,
            count=count,
            unit=self.unit,
            definition=definition,
            source=self.source,
            sample=sample,
        )


def side_name(game: Game, side: int) -> str:
    """Return the players of a side.

    >>> import teahouse as th
    >>> len({side_name(th.load(name), 0) for name in th.games()}) > 1
    True
    """
    return " and ".join(game.players[player] for player in game.teams[side])


def references(sources: Iterable[str]) -> tuple[str, ...]:
    """Return in full what sources such as `Browne 2008 (drama)` stand for, each once."""
    cited = {part.partition(" (")[0] for source in sources for part in source.split("; ")}
    return tuple(f"{short}: {full}." for short, full in LITERATURE.items() if short in cited)


@cache
def measures(game: Game) -> tuple[Measure, ...]:
    """Return all measures of a game, in the order of the report."""
    return (*_lengths(), *_choices(), *_seats(game), *_dramas(), *_uses(game))


def _lengths() -> Iterator[Measure]:
    yield Measure(
        "length.mean",
        "Length",
        LENGTH,
        "plies",
        "Decisions of all players in a game.",
        lambda game: float(len(game.moves)),
        source=f"{BROWNE} (duration); {LUDII} (duration)",
        quantiles=QUANTILES,
    )
    yield Measure(
        "length.unfinished",
        "Unfinished games",
        LENGTH,
        "%",
        f"Games that were stopped after {MAX_PLIES:,} plies.",
        lambda game: float(not game.ended),
        "share",
        source=f"{BROWNE} (completion)",
    )


def _choices() -> Iterator[Measure]:
    yield Measure(
        "choice.branching",
        "Legal moves",
        CHOICE,
        "",
        "Legal moves of a position, averaged over each game: the branching factor.",
        lambda game: sum(game.choices) / len(game.choices) if game.choices else None,
        source=f"{LUDII} (branching factor)",
    )
    yield Measure(
        "choice.forced",
        "Forced moves",
        CHOICE,
        "%",
        "Share of a game's plies with one legal move only.",
        lambda game: _share(choices == 1 for choices in game.choices),
        "share",
        source=f"{LUDII} (decision moves)",
    )
    yield Measure(
        "choice.one-good",
        "One good move",
        CHOICE,
        "%",
        "Share of a game's plies with a choice where every move but the best one gives away "
        f"{100 * ONLY_GOOD:.0f} points of winning chances or more.",
        story.one_good_move,
        "share",
        evaluated=True,
    )


def _seats(game: Game) -> Iterator[Measure]:
    first = game.side(game.start().player)
    count = len(game.teams)
    for side in range(count) if count > 2 else (first,):
        name = side_name(game, side)
        yield Measure(
            f"seats.{side + 1}",
            f"Score of {name}, who moves first" if side == first else f"Score of {name}",
            SEATS,
            "%",
            f"Points of {name} between equal players: 1 for a win, "
            f"{'half a point' if count == 2 else f'1/{count}'} for a draw. Even seats score "
            f"{100 / count:.3g} %.",
            partial(_points, side, count),
            "share",
            source=f"{BROWNE} (advantage); {LUDII} (advantage of the first player)",
        )
    yield Measure(
        "seats.draws",
        "Draws",
        SEATS,
        "%",
        "Games that ended without a winner.",
        lambda one: float(one.winner is None) if one.ended else None,
        "share",
        source=f"{BROWNE} (drawishness); {LUDII} (drawishness)",
    )


def _dramas() -> Iterator[Measure]:
    yield Measure(
        "drama.settled",
        "Point where the game is decided",
        DRAMA,
        "%",
        "Part of a won game after which the winner's chance was never again below "
        f"{100 * story.SETTLED:.0f} %.",
        story.settled,
        "share",
        source=f"{BROWNE} (decisiveness)",
        evaluated=True,
    )
    yield Measure(
        "drama.browne",
        "Drama",
        DRAMA,
        "",
        "How far the winner was behind: the mean square root of the winner's deficit in winning "
        "chances over the positions in which another side led; 0 if none did.",
        story.drama,
        source=f"{BROWNE} (drama)",
        evaluated=True,
    )
    yield Measure(
        "drama.behind",
        "Time the winner was behind",
        DRAMA,
        "%",
        "Share of a won game's positions in which another side had better chances than the winner.",
        story.behind,
        "share",
        evaluated=True,
    )
    yield Measure(
        "drama.lead-changes",
        "Changes of the lead",
        DRAMA,
        "",
        "How often in a game the lead passes to another side. A side takes the lead when its "
        f"chances are {100 * story.LEAD:.0f} points better than any other's.",
        story.lead_changes,
        "count",
        source=f"{BROWNE} (lead change)",
        evaluated=True,
    )
    yield Measure(
        "drama.comebacks",
        "Comebacks",
        DRAMA,
        "%",
        "Won games in which the winner's chances were at some time at most half of an even share.",
        story.comeback,
        "share",
        evaluated=True,
    )
    yield Measure(
        "drama.killer",
        "Biggest swing",
        DRAMA,
        "points",
        "The most that a side's winning chances rose in a game within a round, by a mistake of "
        "another side or by a move of its own that was better than expected, in points of %.",
        story.killer_move,
        source=f"{BROWNE} (killer moves)",
        evaluated=True,
    )


def _uses(game: Game) -> Iterator[Measure]:
    for event in event_names(game):
        label = event_label(game.name, event)
        yield Measure(
            f"uses.{event}",
            label,
            USES,
            "per game",
            f"Moves of the kind “{label}” in a game.",
            partial(_uses_of, event),
            "count",
            evaluated=True,
        )


def _points(side: int, count: int, game: PlayedGame) -> float | None:
    if not game.ended:
        return None
    return 1 / count if game.winner is None else float(game.winner == side)


def _uses_of(event: str, game: PlayedGame) -> float:
    return float(len(game.events.get(event, ())))


def _share(found: Iterable[bool]) -> float | None:
    values = list(found)
    return sum(values) / len(values) if values else None
