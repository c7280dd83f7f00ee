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
    texts = [line for text in (*scene.footer, status) for line in _wrapped(text, width) or ("",)]
    return "\n".join([*board_lines(scene), *texts])


def _wrapped(text: str, width: int) -> tuple[str, ...]:
    if 0 < len(text) <= width and text.isprintable() and text[-1] != " ":
        return (text,)  # what `wrap` returns for it
    return _wrapped_lines(text, width)


@lru_cache(maxsize=1024)  # positions share few prompts
def _wrapped_lines(text: str, width: int) -> tuple[str, ...]:
    return tuple(wrap(text, width, break_on_hyphens=False))
