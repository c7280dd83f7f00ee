"""Boards of a report: pictures for pages that have the stylesheet of boards.

A game to replay is one picture with all its positions: each element carries the plies at which it
is shown, and `replay.js` shows those of one ply.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from teahouse.core.position import Position
from teahouse.core.record import Record
from teahouse.draw.layout import BoundingBox, bounding_box
from teahouse.draw.pieces import SvgWriter, format_number
from teahouse.draw.style import Element, FrameOptions, RenderStyle
from teahouse.draw.svg import render
from teahouse.draw.symbols import definitions, symbols


def picture(
    game: str, elements: Iterable[Element], writer: SvgWriter, box: BoundingBox, label: str
) -> str:
    """Return rendered elements as SVG with the symbols that they use."""
    content = "".join(markup for _, markup in sorted(elements, key=lambda element: element[0]))
    edges = " ".join(map(format_number, (box.left, box.top, box.width, box.height)))
    return (
        f'<svg class="board" xmlns="http://www.w3.org/2000/svg" viewBox="{edges}" role="img" '
        f'aria-label="{escape(label)}">'
        f"<defs>{definitions(game, frozenset(writer.used_symbols), writer.prefix)}</defs>"
        f"{content}</svg>"
    )


def still(position: Position, last: tuple[Position, str] | None, prefix: str) -> str:
    """Return the board of a position, without hands; `last` is the move that led to it."""
    style = RenderStyle(tray=False, prefix=prefix)
    box = bounding_box([position.scene], style.turned, style.coordinates, style.tray)
    elements, writer, view_box = render(position, style, FrameOptions(last), box)
    return picture(position.game.name, elements, writer, view_box, position.status)


def replay(record: Record, prefix: str) -> str:
    """Return all positions of a record in one picture, which shows the last one."""
    style = RenderStyle(prefix=prefix)
    scenes = [position.scene for position in record.positions]
    box = bounding_box(scenes, style.turned, style.coordinates, style.tray)
    writer = SvgWriter(symbols(record.game.name), record.position.scene.colours, prefix)
    plies: dict[Element, list[int]] = {}
    for ply, position in enumerate(record.positions):
        last = (record.positions[ply - 1], record.moves[ply - 1]) if ply else None
        elements, used, view_box = render(position, style, FrameOptions(last), box)
        writer.used_symbols |= used.used_symbols
        for element in dict.fromkeys(elements):
            plies.setdefault(element, []).append(ply)
    end = len(record.moves)
    timed = [
        (layer, markup if len(shown) == end + 1 else _timed(markup, shown, end))
        for (layer, markup), shown in plies.items()
    ]
    label = f"Board after move {end} of {end}: {record.position.status}"
    return picture(record.game.name, timed, writer, view_box, label)


def _timed(markup: str, plies: Sequence[int], end: int) -> str:
    hidden = "" if end in plies else ' display="none"'
    return f'<g data-plies="{_ranges(plies)}"{hidden}>{markup}</g>'


def _ranges(plies: Sequence[int]) -> str:
    """Return sorted numbers as ranges.

    >>> _ranges([0, 1, 2, 5, 7, 8])
    '0-2 5-5 7-8'
    """
    ranges: list[list[int]] = []
    for ply in plies:
        if ranges and ranges[-1][1] == ply - 1:
            ranges[-1][1] = ply
        else:
            ranges.append([ply, ply])
    return " ".join(f"{first}-{last}" for first, last in ranges)
