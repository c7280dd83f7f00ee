"""Heat maps: an empty board whose spots are coloured by a value and carry it as a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from html import escape
from math import floor, log10
from types import MappingProxyType

from teahouse.core.game import Game
from teahouse.core.scene import Scene, Spot
from teahouse.draw import surface, symbols
from teahouse.draw.layout import UNIT, Point, SceneLayout, bounding_box
from teahouse.draw.pieces import SvgWriter, format_number, transform
from teahouse.draw.style import Element, Layer
from teahouse.lab.boards import picture

STEPS = 7
"""Colours of the scale, from low to high; `report.css` has them for both themes."""
NUMBER_SIZE = 32
MAX_NUMBER_WIDTH = 84
LEGEND_WIDTH = 280


def heat_map(
    game: Game,
    scenes: Iterable[Scene],
    values: Mapping[str, float],
    label: str,
    prefix: str,
    text: Callable[[float], str] = "{:.0f}".format,
    intervals: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a board with the values of its spots; spots without one stay plain.

    The board is that of all scenes together, since some boards grow. A spot's tooltip has its
    interval too.
    """
    scene = _merged(list(scenes), values)
    board = bounding_box([scene], turned=False, coordinates=True, tray=False)
    layout = SceneLayout(board=board, turned=False, tray=False)
    layout.view_box = board
    writer = SvgWriter(symbols.symbols(game.name), scene.colours, prefix)
    elements: list[Element] = [
        (Layer.BACKGROUND, surface.background(area, writer, layout)) for area in scene.areas
    ]
    step = _steps(values.values())
    containers = {spot.within for spot in scene.spots}
    for spot in scene.spots:
        at = layout.project(spot.x, spot.y)
        elements += surface.cell(spot, writer, at)
        if spot.name in values:
            value = values[spot.name]
            draw = _rim if spot.name in containers else _filled
            markup = draw(spot, at, writer, text(value))
            words = f"{spot.name}: {text(value)}"
            if spot.name in intervals:
                words += f" ({intervals[spot.name]})"
            title = f"<title>{escape(words)}</title>"
            group = f'<g class="heat heat-{step(value)}">{title}{markup}</g>'
            elements.append((Layer.OVERLAY, group))
    for caption in scene.captions:
        x, y = map(format_number, layout.project(caption.x, caption.y))
        words = f'<text class="writing" x="{x}" y="{y}" font-size="28">'
        elements.append((Layer.UNDERLAY, f"{words}{escape(caption.text)}</text>"))
    return picture(game.name, elements, writer, board, label)


def _filled(spot: Spot, at: Point, writer: SvgWriter, text: str) -> str:
    """Return a spot filled with the colour of its value, with the number on it."""
    shape = writer.use(spot.shape, 'transform="scale(.94)"')
    return f"<g {transform(at, 2 * spot.size)}>{shape}{_number(text, MAX_NUMBER_WIDTH)}</g>"


def _rim(spot: Spot, at: Point, writer: SvgWriter, text: str) -> str:
    """Return a ring around a spot that contains others, with the number on its rim."""
    x, y = at
    radius = UNIT * spot.size
    place = transform((x, y + radius + 12))
    ring = (
        f'<circle class="heat-ring" cx="{format_number(x)}" cy="{format_number(y)}" '
        f'r="{format_number(radius)}"/>'
    )
    plate = '<rect x="-40" y="-22" width="80" height="44" rx="22"/>'
    return f"{ring}<g {place}>{plate}{_number(text, 64)}</g>"


def _number(text: str, width: float) -> str:
    size = min(NUMBER_SIZE, width / (0.58 * len(text)))
    place = f'y="{format_number(size * 0.35)}" font-size="{format_number(size)}"'
    return f"<text {place}>{escape(text)}</text>"


def heat_legend(values: Mapping[str, float], text: Callable[[float], str]) -> str:
    """Return the colours of a heat map with its lowest and its highest value."""
    low, high = min(values.values()), max(values.values())
    step = _steps(values.values())
    steps = range(STEPS) if low < high else [step(low)]
    width = LEGEND_WIDTH / len(steps)
    parts = [
        f'<g class="heat heat-{number}">'
        f'<rect x="{10 + place * width:.1f}" y="2" width="{width:.1f}" height="16"/></g>'
        for place, number in enumerate(steps)
    ]
    ends = [(10.0, low, "start"), (10.0 + LEGEND_WIDTH, high, "end")]
    if low == high:
        ends = [(10 + LEGEND_WIDTH / 2, low, "middle")]
    parts += [
        f'<text x="{at:.0f}" y="34" text-anchor="{anchor}">{escape(text(value))}</text>'
        for at, value, anchor in ends
    ]
    words = f"Colours from faint, {text(low)}, to strong, {text(high)}."
    return (
        f'<svg class="heat-legend" viewBox="0 0 {LEGEND_WIDTH + 20} 40" role="img" '
        f'aria-label="{escape(words)}">{"".join(parts)}</svg>'
    )


def digits(values: Iterable[float]) -> int:
    """Return the decimals with which values of different colours differ.

    >>> digits([0.0, 14.0]), digits([0.93, 1.3])
    (0, 2)
    """
    known = list(values)
    step = (max(known) - min(known)) / STEPS
    if step == 0:
        return 0 if known[0] == int(known[0]) else 1
    return min(3, max(0, -floor(log10(step))))


def _steps(values: Iterable[float]) -> Callable[[float], int]:
    """Return the map from values to numbers of colours."""
    known = list(values)
    low, high = min(known), max(known)
    if high <= low:
        return lambda value: STEPS // 2
    return lambda value: min(STEPS - 1, int(STEPS * (value - low) / (high - low)))


def _merged(scenes: list[Scene], values: Mapping[str, float]) -> Scene:
    """Return an empty board with the spots of all scenes."""
    spots: dict[str, Spot] = {}
    for scene in scenes:
        for spot in scene.spots:
            if spot.name not in spots:
                spots[spot.name] = replace(spot, pieces=(), marks=(), owner=None)
    shown = [
        replace(spot, kind="cell") if spot.kind == "free" else spot
        for name, spot in spots.items()
        if spot.kind != "free" or name in values
    ]
    largest = max(scenes, key=lambda scene: len(scene.spots))
    return replace(
        scenes[0],
        spots=tuple(shown),
        areas=largest.areas,
        captions=largest.captions,
        groups=(),
        hands=(),
        choices=(),
    )
