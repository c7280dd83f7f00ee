"""Pictures as pixels: PNG, and moving WebP, GIF and PNG of a record. Needs `teahouse[pictures]`."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from teahouse.core.errors import OptionError
from teahouse.core.record import Record
from teahouse.draw.layout import lay_out
from teahouse.draw.movie import END, PAUSE, edges, frames, moving_time
from teahouse.draw.style import Look

if TYPE_CHECKING:
    from PIL.Image import Image

WIDEST = 4096  # pixels
MAX_PIXELS = 150_000_000  # of all frames of a moving picture, which are held at the same time
MOVING = {"gif": 8.0, "png": 10.0, "webp": 10.0}
"""Kinds of moving pictures, with their frames a second while pieces move."""


def png(svg: str, width: int = 720) -> bytes:
    """A picture that stands alone, as PNG of this width."""
    if not 16 <= width <= WIDEST:
        raise OptionError(f"a picture is 16 to {WIDEST} pixels wide, not {width}")
    renderer = _needed("resvg_py")
    return bytes(renderer.svg_to_bytes(svg_string=svg, width=width))


def moving(
    record: Record,
    kind: str = "webp",
    *,
    width: int = 480,
    pause: float = PAUSE,
    end: float = END,
    loop: bool = True,
    look: Look | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> bytes:
    """The moves of a record, one after the other, as a moving picture of this kind."""
    if kind not in MOVING:
        raise OptionError(f"a moving picture is one of {', '.join(MOVING)}, not {kind}")
    look = look or Look()
    rate = _affordable(record, look, MOVING[kind], width)
    images: list[Image] = []
    times: list[int] = []
    grounds: dict[str, Image] = {}  # the last one: it is the same for all steps of a move
    for still in frames(record, look, rate, pause, end):
        if still.ground not in grounds:
            grounds = {still.ground: _image(still.ground, width).convert("RGB")}
        image = grounds[still.ground].copy()
        if still.moving:
            over = _image(still.moving, width)
            image.paste(over, mask=over)
        images.append(image)
        times.append(round(1000 * still.seconds))
        if progress is not None:
            progress(still.ply + 1, len(record.positions))
    buffer = io.BytesIO()
    forever: dict[str, Any] = {"loop": 0} if loop else {} if kind == "gif" else {"loop": 1}
    quality = {"webp": {"quality": 82, "method": 1}}.get(kind, {})
    if kind == "gif":
        none = _needed("PIL.Image").Dither.NONE
        palette = images[-1].quantize(255)
        images = [image.quantize(palette=palette, dither=none) for image in images]
    images[0].save(
        buffer,
        kind.upper(),
        save_all=True,
        append_images=images[1:],
        duration=times,
        **forever,
        **quality,
    )
    return buffer.getvalue()


def _image(svg: str, width: int) -> Image:
    image: Image = _needed("PIL.Image").open(io.BytesIO(png(svg, width))).convert("RGBA")
    return image


def _affordable(record: Record, look: Look, rate: float, width: int) -> float:
    """The frames a second that memory has room for: in long records pieces move in larger steps."""
    board = edges(record, look)
    box = lay_out(record.position, board, look.turned, look.tray).box
    room = int(MAX_PIXELS / (width * width * box.height / box.width))
    stills = len(record.positions)
    if stills > room:
        raise OptionError(
            f"{stills} positions are too many for a moving picture {width} pixels wide; "
            "take a smaller one, fewer moves, or SVG"
        )
    moves = sum(moving_time(record, ply, look, board) for ply in range(1, stills))
    return min(rate, (room - stills) / moves) if moves else rate


def _needed(module: str) -> Any:
    """A library that only pictures as pixels need."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise OptionError(
            "pictures as pixels need two more libraries: pip install 'teahouse[pictures]'"
        ) from None
