"""Plots of a report as SVG, coloured by `report.css`: intervals in a table, and curves.

A curve differs from the others by its colour, its dashes and the shape of its marks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from math import ceil, floor, inf, isfinite, log10

from teahouse.lab.formatting import value_text
from teahouse.lab.report import Curve

WIDTH = 400
LEFT, RIGHT, TOP = 44, 14, 12
PLOT_HEIGHT = 180
LETTER = 6.6
"""Mean width of a letter at the size of a plot's text."""
SERIES = 6
"""Styles of curves in `report.css`."""
MARK_DISTANCE = 36

Points = Sequence[tuple[float, float]]
Scale = Callable[[float], float]


class IntervalScale:
    """The common scale of some intervals, in percent of the width of a column."""

    def __init__(
        self,
        intervals: Sequence[tuple[float, float, float]],
        reference: float | None = None,
    ) -> None:
        """Span values with their lower and upper bounds; infinite bounds reach the edges.

        `reference` is a value that is marked, such as 0 for no difference.
        """
        ends = [end for interval in intervals for end in interval]
        self._reference = reference
        self.ticks = _ticks(ends if reference is None else [*ends, reference], 3)
        self._place = _scale(self.ticks[0], self.ticks[-1], 4, 96)

    def bar(self, value: float, low: float, high: float) -> str:
        """Return an interval as a line and its value as a dot."""
        if not isfinite(value):
            return ""
        start, end = self._at(low), self._at(high)
        ends = "".join(
            f'<line class="end" x1="{at}" y1="6" x2="{at}" y2="18"/>'
            for at, bound in ((start, low), (end, high))
            if isfinite(bound)
        )
        grid = "".join(self._gridline(tick) for tick in self.ticks)
        if self._reference is not None:
            grid += self._gridline(self._reference, "reference")
        return (
            f'<svg class="bar" aria-hidden="true">{grid}'
            f'<line class="interval" x1="{start}" y1="12" x2="{end}" y2="12"/>{ends}'
            f'<circle class="mark" cx="{self._at(value)}" cy="12" r="4.5"/></svg>'
        )

    def axis(self) -> str:
        """Return the first and the last tick of the scale with their numbers."""
        first, last = self.ticks[0], self.ticks[-1]
        return (
            f'<svg class="bar-axis" aria-hidden="true">{self._gridline(first)}'
            f'{self._gridline(last)}<text x="0" y="18">{_tick_text(first)}</text>'
            f'<text x="100%" y="18" text-anchor="end">{_tick_text(last)}</text></svg>'
        )

    def _at(self, value: float) -> str:
        if not isfinite(value):
            return "100%" if value > 0 else "0%"
        return f"{self._place(value):.1f}%"

    def _gridline(self, tick: float, name: str = "grid") -> str:
        at = self._at(tick)
        return f'<line class="{name}" x1="{at}" y1="0" x2="{at}" y2="100%"/>'


def curve_plot(curves: Sequence[Curve]) -> str:
    """Return curves of one measure as lines, with their 95 % intervals as bands.

    Every curve has points, and all their values are finite.
    """
    first = curves[0]
    points = [point for curve in curves for point in curve.points]
    lowest = 0.0 if min(point.value for point in points) >= 0 else -inf
    highest = 100.0 if first.unit == "%" else inf
    ends = [end for point in points for end in (point.low, point.value, point.high)]
    y_ticks = _ticks([min(highest, max(lowest, end)) for end in ends])
    low, high = min(point.x for point in points), max(point.x for point in points)
    rows = _legend_rows([curve.sample for curve in curves if curve.sample])
    top = TOP + 20 * len(rows) + (22 if first.unit else 8)
    bottom = top + PLOT_HEIGHT
    x = _scale(low, high, LEFT, WIDTH - RIGHT)
    y = _scale(y_ticks[0], y_ticks[-1], bottom, top)
    parts = [*_legend(rows), _text(4, top - 12, first.unit, "axis-label")]
    parts += _frame(_ticks_within(low, high), y_ticks, x, y, bottom)
    parts.append(_text((LEFT + WIDTH) / 2, bottom + 38, first.x_label, "axis-label", "middle"))
    for number, curve in enumerate(curves):
        upper = [(x(point.x), y(min(point.high, y_ticks[-1]))) for point in curve.points]
        lower = [(x(point.x), y(max(point.low, y_ticks[0]))) for point in reversed(curve.points)]
        line = [(x(point.x), y(point.value)) for point in curve.points]
        parts.append(_series(number, curve.sample or curve.label, line, upper + lower))
    texts = "; ".join(map(_summary, curves))
    return _svg(f"{first.label} by {first.x_label}. {texts}.", bottom + 46, parts)


def _summary(curve: Curve) -> str:
    start, end = (
        value_text(point.value, point.low, point.high)
        for point in (curve.points[0], curve.points[-1])
    )
    return f"{curve.sample or curve.label}: from {start} to {end}"


def chances_plot(names: Sequence[str], chances: Sequence[Sequence[float]]) -> str:
    """Return the winning chances of each side, 0 to 1, after every move of a game."""
    end = len(chances) - 1
    rows = _legend_rows(names)
    top = TOP + 20 * len(rows) + 4
    bottom = top + 110
    x = _scale(0, end, LEFT, WIDTH - RIGHT)
    y = _scale(0, 100, bottom, top)
    parts = _legend(rows)
    parts += _frame(_ticks_within(0, end), [0, 50, 100], x, y, bottom)
    label = "moves, winning chances in %"
    parts.append(_text((LEFT + WIDTH) / 2, bottom + 38, label, "axis-label", "middle"))
    for side, name in enumerate(names):
        line = [(x(ply), y(100 * row[side])) for ply, row in enumerate(chances)]
        parts.append(_series(side, name, line))
    step = x(1) - x(0)
    parts.append(
        f'<line class="cursor" data-first="{x(0):.1f}" data-step="{step:.4f}" '
        f'x1="{x(end):.1f}" y1="{top}" x2="{x(end):.1f}" y2="{bottom}"/>'
    )
    texts = (
        f"{name} {100 * chances[0][side]:.0f} % at the start, between "
        f"{100 * min(row[side] for row in chances):.0f} and "
        f"{100 * max(row[side] for row in chances):.0f} %"
        for side, name in enumerate(names)
    )
    return _svg(f"Winning chances after each move: {'; '.join(texts)}.", bottom + 46, parts)


def _svg(label: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _scale(low: float, high: float, first: float, last: float) -> Scale:
    """Return the linear map from one range to another."""
    width = (high - low) or 1.0
    return lambda value: first + (last - first) * (value - low) / width


def _ticks(values: Sequence[float], wanted: int = 5) -> list[float]:
    """Return round numbers that span the finite ones of some values."""
    known = [value for value in values if isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    if high - low < 1e-9:
        low, high = low - abs(low) * 0.1 - 0.5, high + abs(high) * 0.1 + 0.5
    rough = (high - low) / wanted
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * 0.999)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [step * number for number in range(first, last + 1)]


def _ticks_within(low: float, high: float) -> list[float]:
    return [tick for tick in _ticks([low, high], 6) if low - 1e-9 <= tick <= high + 1e-9]


def _frame(
    x_ticks: Sequence[float], y_ticks: Sequence[float], x: Scale, y: Scale, bottom: float
) -> list[str]:
    """Return grid lines for the y axis, and ticks of both axes."""
    lines = [_line("grid", LEFT, y(tick), WIDTH - RIGHT, y(tick)) for tick in y_ticks]
    lines += [_line("grid", x(tick), bottom, x(tick), bottom + 5) for tick in x_ticks]
    texts = [_text(LEFT - 7, y(tick) + 4, _tick_text(tick), "tick", "end") for tick in y_ticks]
    below = [_text(x(tick), bottom + 20, _tick_text(tick), "tick", "middle") for tick in x_ticks]
    return lines + texts + below


def _series(number: int, label: str, line: Points, band: Points = ()) -> str:
    """Return a curve: its line with marks, over a band."""
    area = f'<polygon class="band" points="{_points(band)}"/>' if band else ""
    marks = "".join(_mark(number, *at) for at in _spaced(line))
    return (
        f'<g class="series-{number % SERIES}"><title>{escape(label)}</title>{area}'
        f'<polyline class="line" points="{_points(line)}"/>{marks}</g>'
    )


def _legend_rows(labels: Sequence[str]) -> list[list[tuple[int, str, float]]]:
    """Return the entries of a legend in rows: number, label and place of each."""
    rows: list[list[tuple[int, str, float]]] = []
    left = float(WIDTH)
    for number, label in enumerate(labels):
        width = 46 + LETTER * len(label)
        if not rows or left + width > WIDTH:
            rows.append([])
            left = LEFT
        rows[-1].append((number, label, left))
        left += width
    return rows


def _legend(rows: Sequence[Sequence[tuple[int, str, float]]]) -> list[str]:
    parts = []
    for row, entries in enumerate(rows):
        y = TOP + 20 * row
        for number, label, left in entries:
            line = f'<polyline class="line" points="{left:.0f},{y} {left + 26:.0f},{y}"/>'
            parts += [
                f'<g class="series-{number % SERIES}">{line}{_mark(number, left + 13, y)}</g>',
                _text(left + 32, y + 4.5, label, "legend-label"),
            ]
    return parts


def _spaced(points: Points) -> list[tuple[float, float]]:
    """Return points of a line at which its marks do not touch, the last one included."""
    found: list[tuple[float, float]] = []
    for point in reversed(points):
        if not found or found[-1][0] - point[0] >= MARK_DISTANCE:
            found.append(point)
    return found


def _mark(number: int, x: float, y: float) -> str:
    """Return the mark of a curve: a circle, square, diamond or triangle."""
    shape = number % 4
    if shape == 0:
        return f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
    outlines: tuple[Points, ...] = (
        ((-4, -4), (4, -4), (4, 4), (-4, 4)),
        ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)),
        ((0, -5), (5, 4), (-5, 4)),
    )
    corners = [(x + right, y + down) for right, down in outlines[shape - 1]]
    return f'<polygon class="mark" points="{_points(corners)}"/>'


def _line(name: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{name}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, name: str, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{name}" {place}>{escape(text)}</text>'


def _points(points: Points) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _tick_text(tick: float) -> str:
    return f"{tick:.6g}".replace("-", "−")
