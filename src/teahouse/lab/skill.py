"""Depth of skill: how many levels of 64 % can be stacked, and what doubling the search is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from teahouse.core.game import Game, non_default_options
from teahouse.core.options import format_options
from teahouse.lab.curves import Curve, CurvePoint
from teahouse.lab.figures import Figure, sample_slug
from teahouse.lab.games import PlayedGame
from teahouse.lab.measures import LANTZ, THOMPSON
from teahouse.search.arena.ratings import Z95, Estimate, dispersion, expected_score, wilson
from teahouse.search.levels import level_ratings, measured_options, profile

SECTION = "Depth of skill"
STEP_SCORE = 0.64
STEP_ELO = 400 * math.log10(STEP_SCORE / (1 - STEP_SCORE))
MAX_ELO = 1200.0
"""Where the score of a match says no more than that one side always wins."""


@dataclass(frozen=True)
class LevelStep:
    """How much stronger a level is than the one below."""

    level: int
    elo: Estimate
    games: int

    @property
    def deviation(self) -> float:
        """The standard deviation of the Elo difference."""
        return (self.elo.high - self.elo.low) / (2 * Z95)


def match_kind(level: int) -> str:
    """Return the kind of games between a level and the one below.

    >>> match_kind(3)
    'level 3 against 2'
    """
    return f"level {level} against {level - 1}"


def steps(game: Game, matches: Mapping[int, Sequence[PlayedGame]]) -> list[LevelStep]:
    """Return the step to each level from that below, from level 2 up to the first one unknown.

    Matches played here are pooled with those behind the ratings of `bots.json`, where the ratings
    are of these very options.
    """
    rated = {one.level: one for one in level_ratings(game)} if _rated_as_is(game) else {}
    found = []
    for level in range(2, len(profile(game).levels) + 1):
        rounds, size = _rounds(game, level, matches.get(level, ()))
        games = len(rounds) * size
        points = sum(rounds) * size
        effective = games / dispersion(rounds, size) if rounds else 0.0
        one = rated.get(level)
        if one is not None and one.score is not None and one.games:
            points, games = points + one.score * one.games, games + one.games
            effective += one.games
        if not games:
            break
        found.append(LevelStep(level, _elo(points / games, effective, len(game.teams)), games))
    return found


def skill_figures(game: Game, found: Sequence[LevelStep]) -> Iterator[Figure]:
    """Yield the steps, their sum in levels of 64 %, and the gain by doubling simulations."""
    for step in found:
        sample = match_kind(step.level)
        definition = (
            "Elo difference between a level of the bots and the one below. Each setup is played "
            "with all seatings; games behind the published ratings of the same options count too."
        )
        yield _figure(
            f"skill.step.{sample_slug(sample)}",
            "Step between levels",
            step.elo,
            step.games,
            "Elo",
            definition,
            sample=sample,
        )
    if not found:
        return
    games = sum(step.games for step in found)
    depth = _sum(found, STEP_ELO)
    yield _figure(
        "skill.depth",
        f"Levels of {100 * STEP_SCORE:.0f} % from level 1 to level {found[-1].level}",
        depth,
        games,
        "",
        f"How many players can be stacked on level 1, each scoring {100 * STEP_SCORE:.0f} % against"
        f" the one below: the Elo range of the bots divided by {STEP_ELO:.0f}. Stronger players"
        " than our bots would add to it, so it is a lower bound of the game's depth.",
        f"{LANTZ} (depth as a chain of skill levels)",
    )
    doubled = [step for step in found if _doublings(game, step.level)]
    doublings = sum(_doublings(game, step.level) for step in doubled)
    if doublings:
        yield _figure(
            "skill.doubling",
            "Strength for twice the simulations",
            _sum(doubled, doublings),
            sum(step.games for step in doubled),
            "Elo",
            "Elo gained by doubling a bot's simulations, averaged from level "
            f"{doubled[0].level - 1} to {doubled[-1].level}, which differ in nothing else.",
            f"{THOMPSON} (strength by search effort)",
        )


def skill_curve(found: Sequence[LevelStep]) -> Curve | None:
    """Return the Elo of each level above level 1."""
    if not found:
        return None
    points = [CurvePoint(1, 0.0, 0.0, 0.0, 0)]
    for count in range(1, len(found) + 1):
        elo = _sum(found[:count], 1.0)
        games = sum(step.games for step in found[:count])
        points.append(CurvePoint(found[count - 1].level, elo.value, elo.low, elo.high, games))
    return Curve(
        "skill.levels",
        "Strength of the levels",
        SECTION,
        "level",
        "Elo",
        "Elo of each level above level 1, from matches between neighbours.",
        "",
        tuple(points),
    )


def _figure(
    key: str,
    label: str,
    found: Estimate,
    count: int,
    unit: str,
    definition: str,
    source: str = "",
    sample: str = "",
) -> Figure:
    bounds = (found.value, found.low, found.high)
    return Figure(key, label, SECTION, *bounds, count, unit, definition, source, sample)


def _sum(found: Sequence[LevelStep], divisor: float) -> Estimate:
    """Return the sum of independent steps, divided."""
    value = sum(step.elo.value for step in found) / divisor
    half = Z95 * math.sqrt(sum(step.deviation**2 for step in found)) / divisor
    return Estimate(value, value - half, value + half)


def _rounds(game: Game, level: int, games: Sequence[PlayedGame]) -> tuple[list[float], int]:
    """Return the level's mean score in each complete round, and the games of a round."""
    count = len(game.teams)
    size = (1 << count) - 2
    rounds: dict[int, list[float]] = {}
    for one in games:
        if one.ended:
            points = 1 / count * one.seating.count(level) if one.winner is None else 0.0
            if one.winner is not None:
                points = float(one.seating[one.winner] == level)
            rounds.setdefault(one.number // size, []).append(points)
    return [sum(points) / size for points in rounds.values() if len(points) == size], size


def _elo(score: float, games: float, sides: int) -> Estimate:
    """Return the Elo difference of a mean score with its interval, within ± `MAX_ELO`.

    If all games were won or lost, half a drawn game is added, as the arena does.
    """
    share = wilson(score, games)
    value = (score * games + 0.25) / (games + 0.5) if score in (0.0, 1.0) else score
    return Estimate(*(_inverse(one, sides) for one in (value, share.low, share.high)))


def _inverse(score: float, sides: int) -> float:
    """Return the Elo difference with this expected score, by bisection."""
    low, high = -MAX_ELO, MAX_ELO
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if expected_score(middle, sides) < score else (low, middle)
    return (low + high) / 2


def _doublings(game: Game, level: int) -> float:
    """Return how often a level doubles the simulations of that below; 0 if it differs in more."""
    below, above = profile(game).levels[level - 2 : level]
    plain = not (below.temperature or above.temperature) and below.engine == above.engine
    if not (plain and below.simulations and above.simulations):
        return 0.0
    return math.log2(above.simulations / below.simulations)


def _rated_as_is(game: Game) -> bool:
    """Return whether the ratings of `bots.json` are of these options, not of similar ones."""
    return format_options(non_default_options(game)) in measured_options(game.name)
