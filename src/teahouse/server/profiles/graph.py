"""The graph of a rating from game to game, as SVG without inline styles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from teahouse.server.ratings.pools import Pool
from teahouse.server.ratings.scale import number_text

WIDTH, HEIGHT = 400, 160
LEFT, RIGHT, EDGE = 4, 112, 10
MAX_POINTS = 300
MARGIN = 60.0
"""Points of rating that are shown above and below."""

History = Sequence[tuple[float, float]]
"""Times of games and the ratings after them."""


@dataclass(frozen=True)
class _Axes:
    games: int
    low: float
    high: float

    def x(self, game: int) -> float:
        return round(LEFT + game / self.games * (WIDTH - LEFT - RIGHT), 1)

    def y(self, rating: float) -> float:
        share = (rating - self.low) / (self.high - self.low)
        return round(HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE), 1)


def rating_graph(pool: Pool, history: History, games: int) -> str:
    """Return the graph of a history with at least one entry; the levels are its grid."""
    ratings = [pool.start.value, *(rating for _, rating in history)]
    axes = _Axes(len(ratings) - 1, min(ratings) - MARGIN, max(ratings) + MARGIN)
    points = [f"{axes.x(game)} {axes.y(rating)}" for game, rating in enumerate(ratings)]
    grid = "".join(
        f'<path class="grid" d="M{LEFT} {axes.y(one.value)}H{WIDTH - RIGHT}"/>'
        f'<text class="grid-label" x="{WIDTH - RIGHT + 8}" y="{axes.y(one.value) + 4}">'
        f"Level {level} · {number_text(one.value)}</text>"
        for level, one in pool.levels
        if axes.low <= one.value <= axes.high
    )
    end = f'<circle class="end" cx="{axes.x(axes.games)}" cy="{axes.y(ratings[-1])}" r="4"/>'
    played = "1 game" if games == 1 else f"{games:,} games"
    label = (
        f"Rating in {pool.title} from {number_text(ratings[0])} to {number_text(ratings[-1])}"
        f" in {played}"
    )
    return (
        f'<svg class="rating-graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' aria-label="{escape(label)}">{grid}<path class="line" d="M{"L".join(points)}"/>{end}'
        "</svg>"
    )
