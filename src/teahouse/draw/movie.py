"""A record as one animated SVG, in which every element is drawn once and shown when it is due."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from teahouse.core.errors import OptionError, quoted
from teahouse.core.position import Position
from teahouse.core.record import Record
from teahouse.draw import themes
from teahouse.draw.animation import motions
from teahouse.draw.layout import BoundingBox, bounding_box, layout_scene
from teahouse.draw.pieces import SvgWriter
from teahouse.draw.style import IN_FLIGHT, Element, FrameOptions, RenderStyle
from teahouse.draw.svg import document, render
from teahouse.draw.symbols import symbols

PAUSE = 0.7  # seconds between moves
END = 3.0  # seconds that the last position stays

Interval = tuple[float, float]
"""Begin and end in seconds."""


def movie(
    record: Record,
    *,
    size: int | None = None,
    pause: float = PAUSE,
    end: float = END,
    loop: bool = True,
    style: RenderStyle | None = None,
) -> str:
    """Return the moves of a record as an animated SVG."""
    style = checked_style(pause, end, style)
    board = movie_box(record, style)
    times = start_times(record, style, board, pause, end)
    total = times[-1]
    clock = f"{style.prefix}film"
    writer = SvgWriter(symbols(record.game.name), record.position.scene.colours, style.prefix)
    shown: list[tuple[Sequence[Element], float, float]] = []
    for ply in range(len(record.positions)):
        begin, until = times[ply], times[ply + 1]
        frame = FrameOptions(
            last_move(record, ply), animate=True, begin=f"{clock}.begin+{begin:.2f}s"
        )
        elements, used, view_box = render(record.positions[ply], style, frame, board)
        writer.used_symbols |= used.used_symbols
        shown.append((elements, begin, until))
    restart = f"0s;{clock}.end" if loop else "0s"
    timer = f'<animate id="{clock}" attributeName="x" dur="{total:.2f}s" begin="{restart}"/>'
    content = "".join(
        _timed(markup, intervals, clock, total)
        for (_, markup), intervals in sorted(
            visible_elements(shown).items(), key=lambda item: item[0][0]
        )
    )
    body = f"<rect>{timer}</rect>{content}"
    return document(record.position, [(0, body)], writer, style, view_box, size)


def visible_elements(
    frames: Iterable[tuple[Sequence[Element], float, float]],
) -> dict[Element, list[Interval]]:
    """Return when each element is visible, of frames in succession with their begin and end."""
    visible: dict[Element, list[Interval]] = {}
    for elements, begin, until in frames:
        for element in dict.fromkeys(elements):
            intervals = visible.setdefault(element, [])
            if intervals and intervals[-1][1] == begin:
                intervals[-1] = (intervals[-1][0], until)
            else:
                intervals.append((begin, until))
    return visible


def _timed(markup: str, intervals: list[Interval], clock: str, total: float) -> str:
    """Return markup that is visible during the given intervals."""
    if intervals == [(0.0, total)]:
        return markup
    sets = "".join(
        f'<set attributeName="display" to="inline" begin="{clock}.begin+{begin:.2f}s" '
        f'dur="{until - begin:.2f}s"/>'
        for begin, until in intervals
    )
    return f'<g display="none">{sets}{markup}</g>'


def checked_style(pause: float, end: float, style: RenderStyle | None) -> RenderStyle:
    """Return the style of a movie, or raise `OptionError` if an argument is not allowed."""
    for name, value in (("pause", pause), ("end", end)):
        if not 0 <= value <= 60:
            raise OptionError(f"{name} must be from 0 to 60 seconds, got {value}.")
    style = style or RenderStyle()
    if style.prefix and not style.prefix.isidentifier():
        raise OptionError(
            f"Invalid prefix {quoted(style.prefix)} of a movie; allowed are letters, digits and "
            "'_', and no digit first."
        )
    return replace(
        style, theme=themes.theme_name(style.theme), colours=themes.palette_name(style.colours)
    )


def movie_box(record: Record, style: RenderStyle) -> BoundingBox:
    """Return the bounding box of the board over all positions of a record."""
    scenes = [position.scene for position in record.positions]
    return bounding_box(scenes, style.turned, style.coordinates, style.tray)


def last_move(record: Record, ply: int) -> tuple[Position, str] | None:
    """Return the position and the move before a ply."""
    return (record.positions[ply - 1], record.moves[ply - 1]) if ply else None


def move_seconds(record: Record, ply: int, style: RenderStyle, board: BoundingBox) -> float:
    """Return the duration of the animation of the move that led to a position."""
    last = last_move(record, ply)
    if last is None:
        return 0.0
    before, move = last
    anchors = layout_scene(before, board, style.turned, style.tray).anchors
    anchors |= layout_scene(record.positions[ply], board, style.turned, style.tray).anchors
    return max((motion.end for motion in motions(before.animations(move), anchors)), default=0)


def start_times(
    record: Record, style: RenderStyle, board: BoundingBox, pause: float, end: float
) -> list[float]:
    """Return when each position begins, and when the movie ends, in seconds."""
    times = [0.0]
    for ply in range(len(record.positions)):
        stays = end if ply == len(record.moves) else pause
        times.append(round(times[-1] + move_seconds(record, ply, style, board) + stays, 2))
    return times


@dataclass(frozen=True)
class Frame:
    """A still of an animation: elements from the bottom up, and over them the pieces in flight."""

    ply: int
    resting: tuple[Element, ...]
    moving: tuple[Element, ...]
    """Empty if nothing moves."""
    seconds: float
    """How long it is shown."""


@dataclass(frozen=True)
class Film:
    """All frames of an animation, and what is needed to draw their elements."""

    record: Record
    style: RenderStyle
    view_box: BoundingBox
    writer: SvgWriter
    frames: tuple[Frame, ...]

    def svg(
        self, elements: Iterable[Element], view_box: BoundingBox | None = None, opaque: bool = True
    ) -> str:
        """Return elements as an SVG document; one that is not opaque has no background."""
        return document(
            self.record.position,
            elements,
            self.writer,
            self.style,
            view_box or self.view_box,
            opaque=opaque,
        )


def film(
    record: Record, style: RenderStyle, rate: float, pause: float = PAUSE, end: float = END
) -> Film:
    """Return each move in `rate` frames per second, followed by its position."""
    style = checked_style(pause, end, style)
    board = movie_box(record, style)
    writer = SvgWriter(symbols(record.game.name), record.position.scene.colours, style.prefix)
    frames = []
    for ply, position in enumerate(record.positions):
        last = last_move(record, ply)
        stays = end if ply == len(record.moves) else pause
        steps = range(1, round(move_seconds(record, ply, style, board) * rate))
        shown = [(FrameOptions(last, time=step / rate), 1 / rate) for step in steps]
        for options, seconds in [*shown, (FrameOptions(last), stays)]:
            elements, used, view_box = render(position, style, options, board)
            writer.used_symbols |= used.used_symbols
            elements.sort(key=itemgetter(0))
            resting = tuple(element for element in elements if element[0] < IN_FLIGHT)
            frames.append(Frame(ply, resting, tuple(elements[len(resting) :]), seconds))
    return Film(record, style, view_box.rounded(), writer, tuple(frames))
