"""A record as one moving picture: every part is drawn once and shown when it is due."""

from __future__ import annotations

from collections.abc import Iterator

from teahouse.core.errors import OptionError
from teahouse.core.record import Record
from teahouse.draw.layout import Box, bounds, lay_out
from teahouse.draw.look import Look, Shown
from teahouse.draw.motion import motions
from teahouse.draw.pieces import Pen
from teahouse.draw.shapes import shapes
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
    return whole(record.position, body, pen, look, box, size, page=False)


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
        (motion.end for motion in motions(before.travels(record.moves[ply - 1]), at)), default=0
    )


def starts(record: Record, look: Look, board: Box, pause: float, end: float) -> list[float]:
    """When each position comes, and when the last one ends, in seconds."""
    times = [0.0]
    for ply in range(1, len(record.positions)):
        moves = moving_time(record, ply - 1, look, board) if ply > 1 else 0.0
        times.append(round(times[-1] + moves + pause, 2))
    moves = moving_time(record, len(record.moves), look, board) if record.moves else 0.0
    return [*times, round(times[-1] + moves + end, 2)]


def frames(
    record: Record, look: Look, rate: int, pause: float = PAUSE, end: float = END
) -> Iterator[tuple[int, str, float]]:
    """Still pictures of a record, each with its ply and the seconds that it stays."""
    look = checked(record, pause, end, look)
    board = edges(record, look)
    for ply, position in enumerate(record.positions):
        last = (record.positions[ply - 1], record.moves[ply - 1]) if ply else None
        moments: list[float | None] = [None]
        if last is not None:
            moves = moving_time(record, ply, look, board)
            moments = [*(step / rate for step in range(1, int(moves * rate))), None]
        for moment in moments:
            elements, pen, box = picture(position, look, Shown(last, moment=moment), board)
            inside = "".join(markup for _, markup in sorted(elements, key=lambda one: one[0]))
            stays = end if ply == len(record.moves) else pause
            still = whole(position, inside, pen, look, box, None, page=False)
            yield ply, still, stays if moment is None else 1 / rate
