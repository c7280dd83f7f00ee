"""Heat maps: numbers of the board's spots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.lab.games import PlayedGame, target_spot
from teahouse.lab.openings import OpeningScore
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


def heatmaps(
    game: Game, games: Sequence[PlayedGame], openings: Sequence[OpeningScore]
) -> Iterator[Heatmap]:
    """Yield where moves end, how these score, and how first moves score."""
    played = [one for one in games if one.spots]
    uses = Counter(spot for one in played for spot in one.spots if spot)
    if uses:
        board = _board(game, played, uses)
        shown = {spot.name for spot in board.scene.spots}
        beyond = _beyond(uses, shown)
        yield Heatmap(
            "spots.uses",
            "Where moves end",
            f"Moves that end on the spot, per game.{beyond}",
            "per game",
            {spot: uses[spot] / len(played) for spot in sorted(uses.keys() & shown)},
            len(played),
            str(board),
        )
        scores = _scores(game, played)
        yield Heatmap(
            "spots.scores",
            "Score of moves by where they end",
            "Points of the side that moved there, over all such moves; at least "
            f"{MIN_USES} of them.{beyond}",
            "%",
            {
                spot: 100 * scores[spot] / uses[spot]
                for spot in sorted(uses.keys() & shown)
                if uses[spot] >= MIN_USES
            },
            len(played),
            str(board),
        )
    first = _first_moves(game.start(), openings)
    if first:
        yield Heatmap(
            "spots.openings",
            "Score of first moves",
            "Score of the side that moves first after the best opening that begins with a move "
            "there.",
            "%",
            first,
            sum(opening.count for opening in openings),
            str(game.start()),
        )


def _beyond(uses: Counter[str], shown: Set[str]) -> str:
    """Return the sentence on moves that ended on spots that the board shown does not have."""
    missing = sum(uses[spot] for spot in uses.keys() - shown)
    return (
        f" {missing / uses.total():.0%} of the moves ended beyond this board.".replace("%", " %")
        if missing
        else ""
    )


def _scores(game: Game, games: Sequence[PlayedGame]) -> Counter[str]:
    """Return the points of the sides that moved to each spot."""
    points: Counter[str] = Counter()
    for one in games:
        for side, spot in zip(one.sides, one.spots, strict=True):
            drawn = 1 / len(game.teams)
            points[spot] += drawn if one.winner is None else one.winner == side  # type: ignore[assignment]
    return points


def _board(game: Game, games: Sequence[PlayedGame], uses: Counter[str]) -> Position:
    """Return the start, or else the end of the game with most of the spots that were used."""
    start = game.start()
    if uses.keys() <= {spot.name for spot in start.scene.spots}:
        return start
    ends = [start, *(one.record(game).position for one in games[:BOARDS])]
    return max(ends, key=lambda one: sum(uses[spot.name] for spot in one.scene.spots))


def _first_moves(start: Position, openings: Sequence[OpeningScore]) -> dict[str, float]:
    """Return the best score of an opening by the spot of its first move, mirror images too."""
    best: dict[str, float] = {}
    for opening in openings:
        key = opening_key(start.play(opening.moves[0]))
        best[key] = max(opening.value, best.get(key, 0.0))
    found: dict[str, float] = {}
    for move in start.legal:
        key, spot = opening_key(start.play(move)), target_spot(start, move)
        if key in best and spot:
            found[spot] = max(best[key], found.get(spot, 0.0))
    return found
