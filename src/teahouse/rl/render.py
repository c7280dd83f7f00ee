"""Rendering of environments: the board as text or as an image."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from teahouse.core.extras import extra
from teahouse.core.position import Position
from teahouse.core.validate import check_choice
from teahouse.draw.raster import png

ANSI, HUMAN, RGB_ARRAY = "ansi", "human", "rgb_array"
RENDER_MODES = (ANSI, HUMAN, RGB_ARRAY)
RENDER_FPS = 1
WIDTH = 480  # pixels of an image


def check_render_mode(mode: str | None) -> str | None:
    """Return a render mode, or None for none."""
    return None if mode is None else check_choice("render_mode", mode, RENDER_MODES)


def render(position: Position, mode: str | None) -> Any:
    """Return the board as text, or as an RGB image in mode rgb_array; print it in mode human.

    The image is an array of shape (height, width, 3), uint8. Without a mode there is nothing.
    """
    if mode is None:
        return None
    if mode == RGB_ARRAY:
        return image(position)
    if mode == HUMAN:
        print(position.text())
        return None
    return position.text()


def image(position: Position, width: int = WIDTH) -> np.ndarray:
    """Return the board as an RGB image."""
    with extra("pictures", "Images of boards"):
        from PIL import Image
    with Image.open(io.BytesIO(png(position.svg(theme="light"), width))) as picture:
        over = Image.new("RGBA", picture.size, "white")
        over.alpha_composite(picture.convert("RGBA"))
        return np.asarray(over.convert("RGB"))
