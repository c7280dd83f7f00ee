"""Curves with intervals as SVG: panels side by side that share their y axis; x is logarithmic."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from xml.sax.saxutils import escape

from teahouse.search.arena.plot import CHARACTER_WIDTH, describe, round_ticks
from teahouse.search.arena.ratings import Estimate

WIDTH, HEIGHT = 340, 280
LEFT, GAP, TOP, BOTTOM = 64, 28, 78, 48
INSET = 22  # between the frame and the first and last point
TICK_DISTANCE = 34
COLOURS = ("#0072b2", "#b3541e", "#00795a")
DASHES = ("", "6 4", "2 3")


@dataclass(frozen=True)
class Point:
    """An estimate at a place of the x axis."""

    x: float
    y: Estimate


Series = Mapping[str, Sequence[Point]]


@dataclass(frozen=True)
class Panel:
    """One diagram: curves by their names over the same x axis."""

    label: str
    """What x is."""
    series: Series


def curves_plot(title: str, y_label: str, panels: Sequence[Panel]) -> str:
    """Return the panels as SVG; every panel has points."""
    estimates = [p.y for panel in panels for points in panel.series.values() for p in points]
    ticks = round_ticks(min(one.low for one in estimates), max(one.high for one in estimates))
    bottom = TOP + HEIGHT

    def y(value: float) -> float:
        return bottom - HEIGHT * (value - ticks[0]) / (ticks[-1] - ticks[0])

    parts = [
        f'<text x="{LEFT}" y="24" font-weight="bold">{escape(title)}</text>',
        f'<text x="{LEFT - 48}" y="{TOP - 10}">{escape(y_label)}</text>',
        *(
            f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{_signed(tick)}</text>'
            for tick in ticks
        ),
    ]
    for number, panel in enumerate(panels):
        left = LEFT + number * (WIDTH + GAP)
        parts += [f'<path d="M{left} {y(tick):.1f}h{WIDTH}" stroke="#ddd"/>' for tick in ticks]
        parts += _panel(panel, left, y)
    width = LEFT + len(panels) * (WIDTH + GAP)
    height = bottom + BOTTOM
    texts = (
        describe(f"{name}, {panel.label} {point.x:g}:", point.y)
        for panel in panels
        for name, points in panel.series.items()
        for point in points
    )
    label = escape("; ".join([title, *texts]), {'"': "&quot;"})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{label}" font-family="sans-serif" '
        f'font-size="13"><rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _panel(panel: Panel, left: float, y: Callable[[float], float]) -> list[str]:
    """Return the x axis, the legend and the curves of a panel."""
    bottom = TOP + HEIGHT
    places = sorted({point.x for points in panel.series.values() for point in points})
    first, last = log2(places[0]), log2(places[-1])

    def x(value: float) -> float:
        share = (log2(value) - first) / (last - first) if last > first else 0.5
        return left + INSET + (WIDTH - 2 * INSET) * share

    parts = [f'<path d="M{left} {TOP}V{bottom}h{WIDTH}" stroke="#333" fill="none"/>']
    end = left - TICK_DISTANCE
    for place in places:
        if x(place) - end >= TICK_DISTANCE:
            end = x(place)
            parts.append(
                f'<path d="M{end:.1f} {bottom}v5" stroke="#333"/>'
                f'<text x="{end:.1f}" y="{bottom + 20}" text-anchor="middle">{place:,g}</text>'
            )
    middle = left + WIDTH / 2
    parts.append(
        f'<text x="{middle}" y="{bottom + 40}" text-anchor="middle">{escape(panel.label)}</text>'
    )
    legend = left + 8.0
    for number, (name, points) in enumerate(panel.series.items()):
        at = [(x(point.x), point.y) for point in points]
        line = "L".join(f"{place:.1f} {y(one.value):.1f}" for place, one in at)
        colour = f'stroke="{COLOURS[number]}" stroke-dasharray="{DASHES[number]}"'
        parts += [
            f'<path d="M{legend:.1f} {TOP - 24}h28" {colour} stroke-width="2"/>',
            _mark(number, legend + 14, TOP - 24),
            f'<text x="{legend + 36:.1f}" y="{TOP - 20}">{escape(name)}</text>',
            f'<path d="M{line}" {colour} stroke-width="2" fill="none"/>',
        ]
        legend += 60 + CHARACTER_WIDTH * len(name)
        for (place, one), point in zip(at, points, strict=True):
            bar = f"M{place - 4:.1f} {y(one.high):.1f}h8m-4 0V{y(one.low):.1f}m-4 0h8"
            text = escape(describe(f"{name}, {panel.label} {point.x:g}:", one))
            parts.append(
                f'<g><title>{text}</title><path d="{bar}" stroke="{COLOURS[number]}" fill="none"/>'
                f"{_mark(number, place, y(one.value))}</g>"
            )
    return parts


def _mark(number: int, x: float, y: float) -> str:
    """Return the mark of a curve: a circle, a square or a diamond."""
    colour = COLOURS[number]
    if number == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>'
    turned = f' transform="rotate(45 {x:.1f} {y:.1f})"' if number == 2 else ""
    return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{colour}"{turned}/>'


def _signed(value: float) -> str:
    return f"{value:+,.0f}".replace("-", "−") if value else "0"
