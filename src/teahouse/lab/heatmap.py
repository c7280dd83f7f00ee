"""Heat maps: an empty board whose spots are coloured by a value and carry it as a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from html import escape
from math import floor, log10

from teahouse.core.game import Game
from teahouse.core.scene import Scene, Spot
from teahouse.draw import surface, symbols
from teahouse.draw.layout import SceneLayout, bounding_box
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
) -> str:
    """Return a board with the values of its spots; spots without one stay plain.

    The board is that of all scenes together, since some boards grow.
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
    for spot in scene.spots:
        at = layout.project(spot.x, spot.y)
        elements += surface.cell(spot, writer, at)
        if spot.name not in values:
            continue
        value = values[spot.name]
        written = text(value)
        size = min(NUMBER_SIZE, MAX_NUMBER_WIDTH / (0.58 * len(written)))
        shape = writer.use(spot.shape, 'transform="scale(.94)"')
        elements.append(
            (
                Layer.OVERLAY,
                f'<g class="heat heat-{step(value)}" {transform(at, 2 * spot.size)}>'
                f"<title>{escape(f'{spot.name}: {written}')}</title>{shape}"
                f'<text y="{format_number(size * 0.35)}" font-size="{format_number(size)}">'
                f"{escape(written)}</text></g>",
            )
        )
    for caption in scene.captions:
        x, y = map(format_number, layout.project(caption.x, caption.y))
        words = f'<text class="writing" x="{x}" y="{y}" font-size="28">'
        elements.append((Layer.UNDERLAY, f"{words}{escape(caption.text)}</text>"))
    return picture(game.name, elements, writer, board, label)


def heat_legend(values: Mapping[str, float], text: Callable[[float], str]) -> str:
    """Return the colours of a heat map with the values at which they change."""
    low, high = min(values.values()), max(values.values())
    width = LEGEND_WIDTH / STEPS
    parts = []
    for number in range(STEPS):
        left = number * width
        parts.append(
            f'<g class="heat heat-{number}">'
            f'<rect x="{left + 10:.1f}" y="2" width="{width:.1f}" height="16"/></g>'
        )
    for number in range(0, STEPS + 1, STEPS):
        at, value = number * width + 10, low + (high - low) * number / STEPS
        anchor = "start" if number == 0 else "end"
        parts.append(
            f'<text x="{at:.1f}" y="34" text-anchor="{anchor}">{escape(text(value))}</text>'
        )
    words = f"Colours from light, {text(low)}, to strong, {text(high)}."
    return (
        f'<svg class="heat-legend" viewBox="0 0 {LEGEND_WIDTH + 20} 40" role="img" '
        f"{_label(words)}>{''.join(parts)}</svg>"
    )


def _label(text: str) -> str:
    return f'aria-label="{escape(text)}"'


def digits(values: Iterable[float]) -> int:
    """Return the decimals with which values of different colours differ.

    >>> digits([0.0, 14.0]), digits([0.93, 1.3])
    (0, 2)
    """
    known = list(values)
    step = (max(known) - min(known)) / STEPS
    return min(3, max(0, -floor(log10(step)))) if step > 0 else 1


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
