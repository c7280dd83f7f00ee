"""Boards of a report: pictures for pages that have the stylesheet of boards.

A game to replay is one picture with all its positions: each element carries the plies at which it
is shown, and `replay.js` shows those of one ply.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from teahouse.core.position import Position
from teahouse.core.record import Record
from teahouse.draw.layout import BoundingBox, bounding_box
from teahouse.draw.pieces import SvgWriter, format_number
from teahouse.draw.stepper import all_positions
from teahouse.draw.style import Element, FrameOptions, RenderStyle
from teahouse.draw.svg import render
from teahouse.draw.symbols import definitions


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
    elements, writer, view_box = all_positions(record, RenderStyle(prefix=prefix))
    end = len(record.moves)
    label = f"Board after move {end} of {end}: {record.position.status}"
    return picture(record.game.name, elements, writer, view_box, label)
