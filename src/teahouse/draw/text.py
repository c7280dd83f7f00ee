"""A scene in plain characters."""

from textwrap import wrap

from teahouse.core.scene import Scene

WIDEST = 80  # characters of a line


def draw(scene: Scene) -> str:
    """The text board, its notes, and at its end the prompt."""
    written = [(label.column, label.line, label.text) for label in scene.labels]
    written += [(spot.column, spot.line, spot.glyph) for spot in scene.spots]
    height = max((line for _, line, _ in written), default=-1) + 1
    width = max((column + len(text) for column, _, text in written), default=0)
    canvas = [[" "] * width for _ in range(height)]
    for column, line, text in written:
        canvas[line][column : column + len(text)] = text
    lines = ["".join(characters).rstrip() for characters in canvas]
    prompt = wrap(scene.prompt, WIDEST, break_on_hyphens=False)
    return "\n".join([*lines, *scene.notes, *prompt])
