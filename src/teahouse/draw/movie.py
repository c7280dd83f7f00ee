"""A record as one moving picture: every part is drawn once and shown when it is due."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from teahouse.core.errors import OptionError
from teahouse.core.record import Record
from teahouse.draw.animation import motions
from teahouse.draw.layout import Box, bounds, lay_out
from teahouse.draw.pieces import Pen
from teahouse.draw.shapes import shapes
from teahouse.draw.style import ON_ITS_WAY, Look, Shown
from teahouse.draw.svg import picture, whole

PAUSE = 0.7  # seconds that a position stays before the next move
END = 3.0  # and the last one


def film(
    record: Record,
    *,
    size: int | None = None,
    pause: float = PAUSE,
    end: float = END,
    loop: bool = True,
    look: Look | None = None,
) -> str:
    """The moves of a record, one after the other, as SVG that moves by itself."""
    look = checked(record, pause, end, look)
    board = edges(record, look)
    times = starts(record, look, board, pause, end)
    total = times[-1]
    clock = f"{look.prefix}film"
    pen = Pen(shapes(record.game.name), record.position.scene.colours, look.prefix)
    shown: dict[tuple[int, str], list[list[float]]] = {}
    box = None
    for ply in range(len(record.positions)):
        begin, until = times[ply], times[ply + 1]
        last = (record.positions[ply - 1], record.moves[ply - 1]) if ply else None
        beginning = f"{clock}.begin+{begin:.2f}s"
        elements, used, box = picture(
            record.positions[ply], look, Shown(last, animate=True, clock=beginning), board
        )
        pen.used |= used.used
        for element in dict.fromkeys(elements):
            spans = shown.setdefault(element, [])
            if spans and spans[-1][1] == begin:
                spans[-1][1] = until
            else:
                spans.append([begin, until])
    assert box is not None
    again = f"0s;{clock}.end" if loop else "0s"
    keeper = f'<animate id="{clock}" attributeName="x" dur="{total:.2f}s" begin="{again}"/>'
    inside = "".join(
        _timed(markup, spans, clock, total)
        for (_, markup), spans in sorted(shown.items(), key=lambda item: item[0][0])
    )
    body = f"<rect>{keeper}</rect>{inside}"
    return whole(record.position, [(0, body)], pen, look, box, size)


def _timed(markup: str, spans: list[list[float]], clock: str, total: float) -> str:
    """Something that is shown from time to time."""
    if spans == [[0.0, total]]:
        return markup
    sets = "".join(
        f'<set attributeName="display" to="inline" begin="{clock}.begin+{begin:.2f}s" '
        f'dur="{until - begin:.2f}s"/>'
        for begin, until in spans
    )
    return f'<g display="none">{sets}{markup}</g>'


def checked(record: Record, pause: float, end: float, look: Look | None) -> Look:
    """How a moving picture looks, if it can be made."""
    for name, value in (("pause", pause), ("end", end)):
        if not 0 <= value <= 60:
            raise OptionError(f"{name} is from 0 to 60 seconds, not {value}")
    look = look or Look()
    if not look.prefix.isidentifier() and look.prefix:
        raise OptionError("a moving picture's prefix is letters, digits and _")
    return look


def edges(record: Record, look: Look) -> Box:
    """The edges of a board that hold it through the whole record."""
    scenes = [position.scene for position in record.positions]
    return bounds(scenes, look.turned, look.coordinates, look.tray)


def moving_time(record: Record, ply: int, look: Look, board: Box) -> float:
    """How long the move that led to a position takes to be seen."""
    before = record.positions[ply - 1]
    at = lay_out(before, board, look.turned, look.tray).at
    at |= lay_out(record.positions[ply], board, look.turned, look.tray).at
    return max(
        (motion.end for motion in motions(before.animations(record.moves[ply - 1]), at)), default=0
    )


def starts(record: Record, look: Look, board: Box, pause: float, end: float) -> list[float]:
    """When each position comes, and when the last one ends, in seconds."""
    times = [0.0]
    for ply in range(1, len(record.positions)):
        moves = moving_time(record, ply - 1, look, board) if ply > 1 else 0.0
        times.append(round(times[-1] + moves + pause, 2))
    moves = moving_time(record, len(record.moves), look, board) if record.moves else 0.0
    return [*times, round(times[-1] + moves + end, 2)]


@dataclass(frozen=True)
class Still:
    """One picture of a moving one: what holds still, and over it what is on its way."""

    ply: int
    ground: str
    moving: str
    """Empty if nothing moves."""
    seconds: float
    """How long it stays."""


def frames(
    record: Record, look: Look, rate: float, pause: float = PAUSE, end: float = END
) -> Iterator[Still]:
    """Every position of a record as it stays, and before it the move in so many steps a second."""
    look = checked(record, pause, end, look)
    board = edges(record, look)
    for ply, position in enumerate(record.positions):
        last = (record.positions[ply - 1], record.moves[ply - 1]) if ply else None
        if last is not None:
            moves = moving_time(record, ply, look, board)
            for step in range(1, round(moves * rate)):
                shown = Shown(last, moment=step / rate)
                elements, pen, box = picture(position, look, shown, board)
                still = [element for element in elements if element[0] < ON_ITS_WAY]
                going = [element for element in elements if element[0] >= ON_ITS_WAY]
                ground = whole(position, still, pen, look, box)
                over = whole(position, going, pen, look, box, paper=False)
                yield Still(ply, ground, over, 1 / rate)
        elements, pen, box = picture(position, look, Shown(last), board)
        stays = end if ply == len(record.moves) else pause
        yield Still(ply, whole(position, elements, pen, look, box), "", stays)
