"""Data of heat maps: a number for each spot of the board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.lab.figures import count_estimate, weighted_percentage_estimate
from teahouse.lab.games import PlayedGame, target_spot
from teahouse.lab.openings import OpeningScore
from teahouse.search.arena.ratings import Estimate
from teahouse.search.openings import opening_key

MIN_USES = 10
"""Moves on a spot at least, for its score to be shown."""
BOARDS = 20
"""Games whose last position may be the board that a heat map is drawn on."""


@dataclass(frozen=True)
class Heatmap:
    """A number for each spot of the board."""

    key: str
    """The measure, such as `spots.uses`."""
    label: str
    """The measure in words."""
    definition: str
    """What is measured, in a sentence or two."""
    unit: str
    """per game, or %."""
    values: dict[str, float]
    """By the name of the spot, as in `Scene.spots`."""
    count: int
    """Games."""
    position: str
    """Text of a position whose scene has the spots, to draw them on."""
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Bounds of the 95 % intervals; reports of earlier versions have none."""


def heatmaps(
    game: Game, games: Sequence[PlayedGame], openings: Sequence[OpeningScore]
) -> Iterator[Heatmap]:
    """Yield heat maps of where moves end, how they score, and how first moves score."""
    played = [one for one in games if one.spots]
    uses = Counter(spot for one in played for spot in one.spots if spot)
    if uses:
        board = _board(game, played, uses)
        spots = sorted(uses.keys() & {spot.name for spot in board.scene.spots})
        beyond = _beyond(uses, {*spots})
        used = _uses(played, spots)
        yield Heatmap(
            "spots.uses",
            "Where moves end",
            f"Moves that end on the spot, per game.{beyond}",
            "per game",
            {spot: found.value for spot, found in used.items()},
            len(played),
            str(board),
            {spot: (found.low, found.high) for spot, found in used.items()},
        )
        ended = [one for one in played if one.ended]
        scores = _scores(game, ended, spots)
        yield Heatmap(
            "spots.scores",
            "Score of moves by where they end",
            "Points of the side that moved there, over all such moves of finished games; at least "
            f"{MIN_USES} of them. The interval counts the moves of a side in a game as one "
            f"observation.{beyond}",
            "%",
            {spot: found.value for spot, found in scores.items()},
            len(ended),
            str(board),
            {spot: (found.low, found.high) for spot, found in scores.items()},
        )
    first = _first_moves(game.start(), openings)
    if first:
        yield Heatmap(
            "spots.openings",
            "Score of first moves",
            "Score of the side that moves first after the best opening that begins with a move "
            "there.",
            "%",
            {spot: best.value for spot, best in first.items()},
            sum(opening.count for opening in openings),
            str(game.start()),
            {spot: (best.low, best.high) for spot, best in first.items()},
        )


def _beyond(uses: Counter[str], shown: Set[str]) -> str:
    """Return the sentence on moves that ended on spots that the board shown does not have."""
    missing = sum(uses[spot] for spot in uses.keys() - shown)
    return (
        f" {missing / uses.total():.0%} of the moves ended beyond this board.".replace("%", " %")
        if missing
        else ""
    )


def _uses(games: Sequence[PlayedGame], spots: Sequence[str]) -> dict[str, Estimate]:
    """Return how often moves end on each spot in a game."""
    counts = [Counter(one.spots) for one in games]
    return {spot: count_estimate([count[spot] for count in counts]) for spot in spots}


def _scores(game: Game, games: Sequence[PlayedGame], spots: Sequence[str]) -> dict[str, Estimate]:
    """Return the points in % of the sides that moved to each spot often enough."""
    points: dict[str, list[float]] = {spot: [] for spot in spots}
    weights: dict[str, list[int]] = {spot: [] for spot in spots}
    drawn = 1 / len(game.teams)
    for one in games:
        moved = Counter(zip(one.sides, one.spots, strict=True))
        for (side, spot), count in moved.items():
            if spot in points:
                points[spot].append(drawn if one.winner is None else float(one.winner == side))
                weights[spot].append(count)
    return {
        spot: weighted_percentage_estimate(points[spot], weights[spot])
        for spot in spots
        if sum(weights[spot]) >= MIN_USES
    }


def _board(game: Game, games: Sequence[PlayedGame], uses: Counter[str]) -> Position:
    """Return the start, or else the end of the game with most of the spots that were used."""
    start = game.start()
    if uses.keys() <= {spot.name for spot in start.scene.spots}:
        return start
    ends = [start, *(one.record(game).position for one in games[:BOARDS])]
    return max(ends, key=lambda one: sum(uses[spot.name] for spot in one.scene.spots))


def _first_moves(start: Position, openings: Sequence[OpeningScore]) -> dict[str, OpeningScore]:
    """Return the best opening by the spot of its first move, mirror images too."""
    best: dict[str, OpeningScore] = {}
    for opening in openings:
        _keep_best(best, opening_key(start.play(opening.moves[0])), opening)
    found: dict[str, OpeningScore] = {}
    for move in start.legal:
        key, spot = opening_key(start.play(move)), target_spot(start, move)
        if key in best and spot:
            _keep_best(found, spot, best[key])
    return found


def _keep_best(best: dict[str, OpeningScore], key: str, opening: OpeningScore) -> None:
    if key not in best or opening.value > best[key].value:
        best[key] = opening
