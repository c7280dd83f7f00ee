"""A record to step through in a notebook: one SVG with the elements of all positions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib import resources
from zlib import crc32

from teahouse.core.record import Record
from teahouse.core.result import DRAW, UNFINISHED, win_clause
from teahouse.draw.layout import BoundingBox
from teahouse.draw.movie import last_move, movie_box, visible_elements
from teahouse.draw.pieces import SvgWriter
from teahouse.draw.style import Element, FrameOptions, RenderStyle
from teahouse.draw.svg import document, render
from teahouse.draw.symbols import symbols

SIZE = 420  # pixels of width at most


def stepper(record: Record) -> str:
    """Return HTML with the board and buttons, a slider and arrow keys to step through the moves.

    It loads nothing. Without scripts it shows the last position and what the last move did.
    """
    captions = [_caption(record, ply) for ply in range(len(record.positions))]
    script = (resources.files("teahouse.draw") / "stepper.js").read_text(encoding="utf-8")
    last = len(record.moves)
    buttons = "".join(
        f'<button type="button" data-steps="{steps}" aria-label="{label}" title="{label}" '
        f'style="padding:2px 10px">{sign}</button>'
        for steps, label, sign in (
            (-last, "First position", "«"),
            (-1, "One move back", "‹"),
            (1, "One move forward", "›"),
            (last, "Last position", "»"),
        )
    )
    return (
        f'<div class="teahouse-record" style="max-width:{SIZE}px" '
        f'data-captions="{escape(json.dumps(captions, ensure_ascii=False))}">'
        f"{_picture(record)}"
        f'<div class="teahouse-steps" style="display:none;align-items:center;gap:4px">{buttons}'
        f'<input type="range" min="0" max="{last}" value="{last}" aria-label="Move" '
        'style="flex:1;min-width:0"></div>'
        f'<div class="teahouse-caption" aria-live="polite" style="min-height:3em">'
        f"{escape(captions[-1])}</div>"
        f"<script>{script}</script></div>"
    )


def _picture(record: Record) -> str:
    """Return an SVG in which every element says at which plies it is shown."""
    style = RenderStyle(prefix=f"s{crc32(record.text().encode()):x}-")
    elements, writer, view_box = all_positions(record, style)
    return document(record.position, elements, writer, style, view_box)


def all_positions(
    record: Record, style: RenderStyle
) -> tuple[list[Element], SvgWriter, BoundingBox]:
    """Return the elements of all positions, each with the plies at which it is shown.

    Those of the last position are visible. The writer has the symbols that they use.
    """
    board = movie_box(record, style)
    writer = SvgWriter(symbols(record.game.name), record.position.scene.colours, style.prefix)
    frames: list[tuple[Sequence[Element], float, float]] = []
    for ply, position in enumerate(record.positions):
        elements, used, view_box = render(
            position, style, FrameOptions(last_move(record, ply)), board
        )
        writer.used_symbols |= used.used_symbols
        frames.append((elements, ply, ply + 1))
    end = len(frames)
    content = [
        (layer, _at_plies(markup, [(int(one), int(other)) for one, other in intervals], end))
        for (layer, markup), intervals in visible_elements(frames).items()
    ]
    return content, writer, view_box


def _at_plies(markup: str, plies: list[tuple[int, int]], end: int) -> str:
    """Return markup with the plies at which it is shown: from one to before another."""
    if plies == [(0, end)]:
        return markup
    hidden = "" if plies[-1][1] == end else ' display="none"'
    shown = " ".join(f"{begin}-{until - 1}" for begin, until in plies)
    return f'<g data-plies="{shown}"{hidden}>{markup}</g>'


def _caption(record: Record, ply: int) -> str:
    """Return what the move before a position did, its comment, and the result at the end."""
    parts = [_move(record, ply), record.comments.get(ply)]
    if record.positions[ply].over:
        parts.append(record.positions[ply].status)
    elif (
        ply == len(record.moves) and record.result != UNFINISHED
    ):  # resigned, agreed or lost on time
        names = record.result.split("+")
        parts.append("Draw." if record.result == DRAW else f"{win_clause(names)}.")
    return ". ".join(part.removesuffix(".") for part in parts if part)


def _move(record: Record, ply: int) -> str:
    if not ply:
        return f"{record.game.title}: start of the game"
    before, move = record.positions[ply - 1], record.moves[ply - 1]
    return f"{ply} of {len(record.moves)}: {before.describe(move)}"
