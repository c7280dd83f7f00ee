"""A position in plain characters."""

from textwrap import wrap

from teahouse.core.position import Position

LINE_WIDTH = 80


def render_text(position: Position, status: str | None = None) -> str:
    """Return the text board, its footer, and a status: by default with the notation of moves."""
    scene = position.scene
    cells = [(label.column, label.line, label.text) for label in scene.labels]
    cells += [(spot.column, spot.line, spot.glyph) for spot in scene.spots]
    height = max((line for _, line, _ in cells), default=-1) + 1
    width = max((column + len(text) for column, _, text in cells), default=0)
    canvas = [[" "] * width for _ in range(height)]
    for column, line, text in cells:
        canvas[line][column : column + len(text)] = text
    lines = ["".join(characters).rstrip() for characters in canvas]
    if status is None:
        status = f"{position.status} {scene.notation_hint}".rstrip()
    return "\n".join([*lines, *scene.footer, *wrap(status, LINE_WIDTH, break_on_hyphens=False)])
