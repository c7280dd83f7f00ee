"""A scene in plain characters."""

from teahouse.core.scene import Scene


def draw(scene: Scene) -> str:
    """The text board, its notes, and the prompt as the last line."""
    canvas: dict[int, dict[int, str]] = {}
    for column, line, text in [
        *((label.column, label.line, label.text) for label in scene.labels),
        *((spot.column, spot.line, spot.glyph) for spot in scene.spots),
    ]:
        for offset, character in enumerate(text):
            canvas.setdefault(line, {})[column + offset] = character
    height = max(canvas, default=-1) + 1
    lines = [_line(canvas.get(line, {})) for line in range(height)]
    return "\n".join([*lines, *scene.notes, scene.prompt])


def _line(characters: dict[int, str]) -> str:
    width = max(characters, default=-1) + 1
    return "".join(characters.get(column, " ") for column in range(width)).rstrip()
