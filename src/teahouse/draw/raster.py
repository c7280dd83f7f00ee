"""Raster images: PNG of a picture, and animated WebP, GIF and PNG of a record.

Needs the extra `teahouse[pictures]`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from importlib import import_module, resources
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from teahouse.core.errors import OptionError
from teahouse.core.extras import extra
from teahouse.core.record import Record
from teahouse.draw.layout import layout_scene
from teahouse.draw.movie import END, PAUSE, Film, film, move_seconds, movie_box
from teahouse.draw.sprites import SpriteRenderer
from teahouse.draw.style import RenderStyle

if TYPE_CHECKING:
    from PIL.Image import Image

MIN_WIDTH, MAX_WIDTH = 16, 4096  # pixels
MAX_PIXELS = 150_000_000  # of all frames of an animation, which are in memory together
OTHER_TEXT = re.compile("[^\x00-\xff\u2010-\u2026\u20ac\u2122\u2212]")
"""Characters that are not in the package's fonts: they need fonts of the system."""
FRAME_RATES = {"gif": 8.0, "png": 10.0, "webp": 10.0}
"""Animated formats, with the frames per second while pieces move."""

WEBP = {"quality": 82, "method": 2, "kmin": 0, "kmax": 0}
"""Without key frames, which make files twice as large and encoding twice as slow."""


def png(svg: str, width: int = 720) -> bytes:
    """Return a standalone SVG as PNG."""
    if not MIN_WIDTH <= width <= MAX_WIDTH:
        raise OptionError(f"width must be {MIN_WIDTH} to {MAX_WIDTH} pixels, got {width}.")
    resvg = _import_extra("resvg_py")
    with resources.as_file(resources.files("teahouse.draw") / "fonts") as fonts:
        options = {"font_dirs": [str(fonts)], "skip_system_fonts": OTHER_TEXT.search(svg) is None}
        return bytes(resvg.svg_to_bytes(svg_string=svg, width=width, **options))


def animated_image(
    record: Record,
    kind: str = "webp",
    *,
    width: int = 480,
    pause: float = PAUSE,
    end: float = END,
    loop: bool = True,
    style: RenderStyle | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> bytes:
    """Return the moves of a record as an animated image."""
    if kind not in FRAME_RATES:
        raise OptionError(f"Unknown animated format {kind!r}; formats: {', '.join(FRAME_RATES)}.")
    style = style or RenderStyle()
    rate = _frame_rate(record, style, FRAME_RATES[kind], width)
    moves = film(record, style, rate, pause, end)
    images: list[Image] = []
    durations = [round(1000 * frame.seconds) for frame in moves.frames]
    for frame, image in zip(moves.frames, movie_images(moves, width), strict=True):
        images.append(image)
        if progress is not None:
            progress(frame.ply + 1, len(record.positions))
    buffer = io.BytesIO()
    looping: dict[str, Any] = {"loop": 0} if loop else {} if kind == "gif" else {"loop": 1}
    quality = {"webp": WEBP}.get(kind, {})
    if kind == "gif":
        no_dither = _import_extra("PIL.Image").Dither.NONE
        palette = images[-1].quantize(255)
        images = [image.quantize(palette=palette, dither=no_dither) for image in images]
    images[0].save(
        buffer,
        kind.upper(),
        save_all=True,
        append_images=images[1:],
        duration=durations,
        **looping,
        **quality,
    )
    return buffer.getvalue()


def movie_images(moves: Film, width: int) -> Iterator[Image]:
    """Yield the frames of an animation; each element is drawn once."""
    # What lies under everything that changes is one picture.
    columns = zip(*(frame.resting for frame in moves.frames), strict=False)
    lowest = [column[0] for column in takewhile(lambda column: len(set(column)) == 1, columns)]
    renderer = SpriteRenderer(
        _image(moves.svg(lowest), width),
        (one for frame in moves.frames for one in (*frame.resting[len(lowest) :], *frame.moving)),
        moves.view_box,
        lambda content, view_box, size: _image(
            moves.svg([(0, markup) for markup in content], view_box, opaque=False), size
        ),
    )
    for frame in moves.frames:
        yield renderer.frame(frame.resting[len(lowest) :], frame.moving).convert("RGB")


def _image(svg: str, width: int) -> Image:
    image: Image = _import_extra("PIL.Image").open(io.BytesIO(png(svg, width))).convert("RGBA")
    return image


def _frame_rate(record: Record, style: RenderStyle, rate: float, width: int) -> float:
    """Return the frame rate, lowered for long records so that all frames fit into memory."""
    board = movie_box(record, style)
    view_box = layout_scene(record.position, board, style.turned, style.tray).view_box
    capacity = int(MAX_PIXELS / (width * width * view_box.height / view_box.width))
    stills = len(record.positions)
    if stills > capacity:
        raise OptionError(
            f"{stills} positions are too many for an animation {width} pixels wide "
            f"(limit {capacity}); use a smaller width, fewer moves, or SVG."
        )
    seconds = sum(move_seconds(record, ply, style, board) for ply in range(1, stills))
    return min(rate, (capacity - stills) / seconds) if seconds else rate


def _import_extra(module: str) -> Any:
    """Import a library of the extra, or raise `OptionError` with the install command."""
    with extra("pictures", "a raster image"):
        return import_module(module)
