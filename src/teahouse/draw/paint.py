"""Pictures as pixels: PNG, and moving WebP, GIF and PNG of a record. Needs `teahouse[pictures]`."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from teahouse.core.errors import OptionError
from teahouse.core.record import Record
from teahouse.draw.film import END, PAUSE, frames
from teahouse.draw.look import Look

if TYPE_CHECKING:
    from PIL.Image import Image

WIDEST = 4096  # pixels
MOVING = {"gif": 12, "png": 20, "webp": 20}
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
    images: list[Image] = []
    times: list[int] = []
    for ply, svg, seconds in frames(record, look or Look(), MOVING[kind], pause, end):
        image = _needed("PIL.Image").open(io.BytesIO(png(svg, width))).convert("RGB")
        images.append(image)
        times.append(round(1000 * seconds))
        if progress is not None:
            progress(ply + 1, len(record.positions))
    buffer = io.BytesIO()
    forever: dict[str, Any] = {"loop": 0} if loop else {} if kind == "gif" else {"loop": 1}
    quality = {"webp": {"quality": 82, "method": 3}}.get(kind, {})
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


def _needed(module: str) -> Any:
    """A library that only pictures as pixels need."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise OptionError(
            "pictures as pixels need two more libraries: pip install 'teahouse[pictures]'"
        ) from None
