"""Plots of a match's ratings: a dot for each player and a line for its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from xml.sax.saxutils import escape

from teahouse.search.arena.ratings import Estimate
from teahouse.search.arena.results import MatchResults, Standing

ROW_HEIGHT = 28
TOP = 46
LEFT = 24
CHARACTER_WIDTH = 7.2
SCALE_WIDTH = 420


def elo_plot(results: MatchResults) -> str:
    """Return the ratings and their 95 % intervals as SVG."""
    title = f"{results.game.title}: Elo with 95 % interval, {len(results.games)} games"
    return ratings_plot(title, {row.label: row.elo for row in results.standings()})


def ratings_plot(title: str, ratings: Mapping[str, Estimate], form: str = "+.0f") -> str:
    """Return ratings by name and their intervals as SVG, a row for each name.

    Other estimates can be plotted too; `form` is how their values are written.
    """
    ticks = round_ticks(
        min(one.low for one in ratings.values()), max(one.high for one in ratings.values())
    )
    names = LEFT + CHARACTER_WIDTH * max(map(len, ratings)) + 16
    bottom = TOP + ROW_HEIGHT * len(ratings)

    def x(elo: float) -> float:
        return names + SCALE_WIDTH * (elo - ticks[0]) / (ticks[-1] - ticks[0])

    parts = [f'<text x="{LEFT}" y="26" font-weight="bold">{escape(title)}</text>']
    for tick in ticks:
        parts.append(
            f'<line x1="{x(tick):.1f}" y1="{TOP}" x2="{x(tick):.1f}" y2="{bottom}" stroke="#ccc"/>'
            f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{tick:{form}}</text>'
        )
    for number, (name, one) in enumerate(ratings.items()):
        y = TOP + ROW_HEIGHT * number + ROW_HEIGHT / 2
        title = escape(describe(name, one, form))
        parts.append(
            f'<text x="{LEFT}" y="{y + 4}">{escape(name)}</text>'
            f'<line x1="{x(one.low):.1f}" y1="{y}" x2="{x(one.high):.1f}" y2="{y}" '
            f'stroke="#1a5fb4" stroke-width="3">'
            f"<title>{title}</title></line>"
            f'<circle cx="{x(one.value):.1f}" cy="{y}" r="5" fill="#1a5fb4"/>'
        )
    width = round(names + SCALE_WIDTH + 2 * LEFT)
    height = bottom + 32
    texts = (describe(name, one, form) for name, one in ratings.items())
    label = escape("; ".join([title, *texts]), {'"': "&quot;"})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{label}" font-family="sans-serif" '
        f'font-size="13"><rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def elo_bars(rows: Sequence[Standing], width: int = 40) -> list[str]:
    """Return the ratings as plain text, a line for each player."""
    low = min(row.elo.low for row in rows)
    step = max(1e-9, max(row.elo.high for row in rows) - low) / (width - 1)
    names = max(len(row.label) for row in rows)
    lines = []
    for row in rows:
        first, dot, last = (
            round((elo - low) / step) for elo in (row.elo.low, row.elo.value, row.elo.high)
        )
        line = [" "] * first + ["─"] * (last - first + 1)
        line[dot] = "●"
        lines.append(f"{row.label:<{names}}  {''.join(line):<{width}}  {row.elo.value:+.0f}")
    return lines


def describe(name: str, rating: Estimate, form: str = "+.0f") -> str:
    """Return a rating in words."""
    return f"{name} {rating.value:{form}} ({rating.low:{form}} to {rating.high:{form}})"


def round_ticks(low: float, high: float) -> list[float]:
    """Return four to ten round numbers that span the ratings."""
    rough = max(high - low, 1.0) / 5
    unit = 10 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return [step * number for number in range(floor(low / step), ceil(high / step) + 1)]
