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


def render_text(position: Position, status: str | None = None) -> str:
    """Return the text board, its footer, and a status: by default with the notation of moves."""
    scene = position.scene
    if status is None:
        status = f"{position.status} {scene.notation_hint}".rstrip()
    return "\n".join([*board_lines(scene), *scene.footer, *_wrapped(status)])


@lru_cache(maxsize=1024)  # positions share few prompts
def _wrapped(text: str) -> tuple[str, ...]:
    return tuple(wrap(text, LINE_WIDTH, break_on_hyphens=False))
