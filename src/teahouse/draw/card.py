"""Cards: a picture of one or more boards beside a title and text, for previews of links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from teahouse.core.position import Position
from teahouse.draw.themes import THEMES

WIDTH, HEIGHT = 1200, 630
"""The size that sites show previews of links in."""
MARGIN, GAP = 30, 20
TEXT_LEFT = 650
TITLE_SIZE, LONG_TITLE_SIZE, LONG_TITLE = 76, 54, 14
LINE_SIZE, LINE_HEIGHT, LINE_LETTERS, MAX_LINES = 34, 46, 29, 8
CUP = (
    '<circle cx="11" cy="13" r="8.5" fill="none" stroke="{ink}" stroke-width="1.6"/>'
    '<circle cx="11" cy="13" r="5.6" fill="{accent}"/>'
    '<path d="M18.5 10c4-1.5 4.5 5.5.4 5.6" fill="none" stroke="{ink}" stroke-width="1.6"/>'
)


@dataclass(frozen=True)
class CardBoard:
    """A position on a card, with the move that led to it."""

    position: Position
    last: tuple[Position, str] | None = None


def card(boards: Sequence[CardBoard], title: str, lines: Sequence[str], footer: str = "") -> str:
    """Return a card as SVG: up to four boards on the left, title and lines on the right.

    `footer` is the name of the site.
    """
    colours = THEMES["light"]
    text = [part for line in lines for part in (wrap(line, LINE_LETTERS) or [""])]
    if len(text) > MAX_LINES:
        text = [*text[: MAX_LINES - 1], f"{text[MAX_LINES - 1][: LINE_LETTERS - 2]} …"]
    size = TITLE_SIZE if len(title) <= LONG_TITLE else LONG_TITLE_SIZE
    written = [
        f'<text x="{TEXT_LEFT}" y="{MARGIN + 40 + size}" font-family="Fraunces" font-weight="600" '
        f'font-size="{size}" fill="{colours["ink"]}">{escape(title)}</text>'
    ]
    for number, line in enumerate(text):
        y = MARGIN + 74 + size + LINE_HEIGHT * (number + 0.6)
        written.append(
            f'<text x="{TEXT_LEFT}" y="{y:.0f}" font-family="Figtree" '
            f'font-size="{LINE_SIZE}" fill="{colours["quiet"]}">{escape(line)}</text>'
        )
    if footer:
        cup = CUP.format(ink=colours["ink"], accent=colours["accent"])
        written.append(
            f'<g transform="translate({TEXT_LEFT} {HEIGHT - 88}) scale(2)">{cup}</g>'
            f'<text x="{TEXT_LEFT + 64}" y="{HEIGHT - 48}" font-family="Fraunces" '
            f'font-weight="600" font-size="38" fill="{colours["ink"]}">{escape(footer)}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{colours["paper"]}"/>'
        f"{''.join(_boards(boards))}{''.join(written)}</svg>"
    )


def _boards(boards: Sequence[CardBoard]) -> list[str]:
    """Return the boards: one large, or up to four in two rows."""
    whole = HEIGHT - 2 * MARGIN
    side = whole if len(boards) == 1 else (whole - GAP) // 2
    drawn = []
    for number, board in enumerate(boards[:4]):
        markup = board.position.svg(
            last=board.last, tray=False, coordinates=False, prefix=f"card{number}-"
        )
        x = MARGIN + number % 2 * (side + GAP)
        y = MARGIN + number // 2 * (side + GAP)
        place = f'x="{x}" y="{y}" width="{side}" height="{side}"'
        drawn.append(markup.replace("<svg ", f"<svg {place} ", 1))
    return drawn
