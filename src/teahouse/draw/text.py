"""A position in plain characters."""

from functools import lru_cache
from textwrap import wrap

from teahouse.core.position import Position
from teahouse.core.scene import Scene

LINE_WIDTH = 80


def board_lines(scene: Scene) -> list[str]:
    """Return the lines of a board without its footer."""
    cells = [(label.column, label.line, label.text) for label in scene.labels]
    cells += [(spot.column, spot.line, spot.glyph) for spot in scene.spots]
    height = max([line for _, line, _ in cells], default=-1) + 1
    width = max([column + len(text) for column, _, text in cells], default=0)
    canvas = [[" "] * width for _ in range(height)]
    for column, line, text in cells:
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


@lru_cache(maxsize=1024)  # positions share few prompts
def _wrapped(text: str, width: int) -> tuple[str, ...]:
    return tuple(wrap(text, width, break_on_hyphens=False))
