"""Frames composed of sprites: every element of an animation is rasterised once.

Drawing an element over others is associative, so sprites give the pixels of a whole picture up to
the rounding of their eight bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from teahouse.draw.layout import BoundingBox
from teahouse.draw.style import Element

if TYPE_CHECKING:
    from PIL.Image import Image

CELL_WIDTH = 64  # pixels in which the extent of an element is measured
SHEET_WIDTH, SHEET_PIXELS = 2048, 4_000_000  # of one rasterised sheet

Rasterize = Callable[[Iterable[str], BoundingBox, int], "Image"]
"""Returns markup as an RGBA image: what to draw, its view box, and the width in pixels."""
Box = tuple[int, int, int, int]
"""Left, top, right and bottom edge in pixels."""
Sprite = tuple["Image", tuple[int, int]]
"""An image and where its corner is in a frame."""


class SpriteRenderer:
    """Composes frames of elements over a background image."""

    def __init__(
        self,
        background: Image,
        elements: Iterable[Element],
        view_box: BoundingBox,
        rasterize: Rasterize,
    ) -> None:
        self._background = background
        self._view_box = view_box
        self._rasterize = rasterize
        self._sprites = dict(self._draw(list(dict.fromkeys(elements))))
        self._composed: dict[tuple[Element, ...], Image] = {}

    def frame(self, resting: Sequence[Element], moving: Sequence[Element] = ()) -> Image:
        """Return the background with elements over it, from the bottom up.

        Frames in succession that differ in `moving` only are cheap.
        """
        key = tuple(resting)
        if key not in self._composed:
            self._composed = {key: self._over(self._background, key)}
        return self._over(self._composed[key], moving)

    def _over(self, image: Image, elements: Iterable[Element]) -> Image:
        image = image.copy()
        for element in elements:
            if element in self._sprites:
                sprite, corner = self._sprites[element]
                image.alpha_composite(sprite, corner)
        return image

    def _draw(self, elements: Sequence[Element]) -> Iterator[tuple[Element, Sprite]]:
        """Yield the sprites of all elements that show something."""
        boxes = dict(self._extents(elements))
        for sheet in _sheets(boxes):
            width = max(right for _, (_, _, right, _) in sheet)
            height = max(bottom for _, (_, _, _, bottom) in sheet)
            content = [self._placed(element, boxes[element], place) for element, place in sheet]
            drawn = self._rasterize(content, BoundingBox(0, 0, width, height), width)
            for element, place in sheet:
                sprite, (left, top, _, _) = drawn.crop(place), boxes[element]
                shown = sprite.getchannel("A").getbbox()
                if shown is not None:
                    yield element, (sprite.crop(shown), (left + shown[0], top + shown[1]))

    def _placed(self, element: Element, box: Box, place: Box) -> str:
        """Return the part of an element in a box of the frame, fitted to a place of a sheet."""
        (width, height), view = self._background.size, self._view_box
        left, top, right, bottom = box
        x, y, to_x, to_y = place
        stretch, lengthen = (to_x - x) / (right - left), (to_y - y) / (bottom - top)
        across = stretch * width / _pixels(view.width)
        down = lengthen * height / _pixels(view.height)
        shift_x, shift_y = -left * stretch - view.left * across, -top * lengthen - view.top * down
        if left and top and right < width and bottom < height:  # the box is all of the element
            return (
                f'<g transform="{_matrix(across, down, x + shift_x, y + shift_y)}">{element[1]}</g>'
            )
        return (
            f'<svg x="{x}" y="{y}" width="{to_x - x}" height="{to_y - y}">'
            f'<g transform="{_matrix(across, down, shift_x, shift_y)}">{element[1]}</g></svg>'
        )

    def _extents(self, elements: Sequence[Element]) -> Iterator[tuple[Element, Box]]:
        """Yield the box of each element that shows something, measured on a coarse grid."""
        width, height = self._background.size
        cell_height = max(1, round(CELL_WIDTH * height / width))
        columns = SHEET_WIDTH // CELL_WIDTH
        count = columns * max(1, SHEET_PIXELS // (SHEET_WIDTH * cell_height))
        whole = (0, 0, width, height)
        for first in range(0, len(elements), count):
            chunk = elements[first : first + count]
            cells = [
                (x, y, x + CELL_WIDTH, y + cell_height)
                for index in range(len(chunk))
                for x in [index % columns * CELL_WIDTH]
                for y in [index // columns * cell_height]
            ]
            content = [
                self._placed(element, whole, cell)
                for element, cell in zip(chunk, cells, strict=True)
            ]
            sheet = BoundingBox(0, 0, SHEET_WIDTH, cells[-1][3])
            drawn = self._rasterize(content, sheet, SHEET_WIDTH).getchannel("A")
            for element, cell in zip(chunk, cells, strict=True):
                found = drawn.crop(cell).getbbox()
                if found is not None:
                    yield element, _enlarged(found, width / CELL_WIDTH, height / cell_height, whole)


def _enlarged(cells: Box, across: float, down: float, whole: Box) -> Box:
    """Return a box of the coarse grid in pixels, with a cell of margin."""
    left, top, right, bottom = cells
    return (
        max(whole[0], int((left - 1) * across)),
        max(whole[1], int((top - 1) * down)),
        min(whole[2], int((right + 1) * across) + 1),
        min(whole[3], int((bottom + 1) * down) + 1),
    )


def _sheets(boxes: dict[Element, Box]) -> Iterator[list[tuple[Element, Box]]]:
    """Yield places for all boxes: in rows from the highest to the lowest, on one or more sheets."""
    sizes = {
        element: (right - left, bottom - top)
        for element, (left, top, right, bottom) in boxes.items()
    }
    sheet: list[tuple[Element, Box]] = []
    x = y = row = 0
    for element in sorted(sizes, key=lambda one: -sizes[one][1]):
        width, height = sizes[element]
        if x and x + width > SHEET_WIDTH:
            x, y, row = 0, y + row, 0
        if sheet and not x and (y + height) * SHEET_WIDTH > SHEET_PIXELS:
            yield sheet
            sheet, y = [], 0
        sheet.append((element, (x, y, x + width, y + height)))
        x, row = x + width, max(row, height)
    if sheet:
        yield sheet


def _matrix(across: float, down: float, right: float, below: float) -> str:
    return f"matrix({across:.8f} 0 0 {down:.8f} {right:.6f} {below:.6f})"


def _pixels(length: float) -> int:
    """Return a side of a picture as resvg rounds it before it scales to the width asked for."""
    return max(1, math.floor(length + 0.5))
