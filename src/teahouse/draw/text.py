"""A position in plain characters."""

from functools import lru_cache
from operator import add, attrgetter
from textwrap import wrap

from teahouse.core.position import Position
from teahouse.core.scene import Scene

LINE_WIDTH = 80
_LABEL = attrgetter("line", "column", "text")
_SPOT = attrgetter("line", "column", "glyph")


def board_lines(scene: Scene) -> list[str]:
    """Return the lines of a board without its footer."""
    cells = [*map(_LABEL, scene.labels), *map(_SPOT, scene.spots)]
    if not cells:
        return []
    lines, columns, texts = zip(*cells, strict=True)
    width = max(map(add, columns, map(len, texts)))
    canvas = [[" "] * width for _ in range(max(lines) + 1)]
    for line, column, text in cells:
        if len(text) == 1:  # most are, and a slice takes three times as long
            canvas[line][column] = text
        else:
            canvas[line][column : column + len(text)] = text
    return ["".join(characters).rstrip() for characters in canvas]


def render_text(position: Position, status: str | None = None, width: int = LINE_WIDTH) -> str:
    """Return the text board, its footer, and a status: by default with the notation of moves.

    Footer and status are wrapped to a width; the board is not.
    """
    scene = position.scene
    if status is None:
        status = f"{position.status} {scene.notation_hint}".rstrip()
    texts = [line for text in (*scene.footer, status) for line in wrapped(text, width) or ("",)]
    return "\n".join([*board_lines(scene), *texts])


@lru_cache(maxsize=1024)  # positions share few prompts
def wrapped(text: str, width: int) -> tuple[str, ...]:
    """Return the lines of a text wrapped to a width, as `textwrap.wrap` does, but faster."""
    if "  " in text or not text.isprintable() or text != text.strip():
        return tuple(wrap(text, width, break_on_hyphens=False))
    lines, rest = [], text
    while len(rest) > width:
        space = rest.rfind(" ", 0, width + 1)
        if space < 0:  # a word that is longer than a line
            return tuple(wrap(text, width, break_on_hyphens=False))
        lines.append(rest[:space])
        rest = rest[space + 1 :]
    return (*lines, rest) if rest else ()
