"""Notebooks as pages of the site: their cells, and the outputs that are stored in them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SaveImage = Callable[[str, str], str]
"""A function that stores an SVG under a name and returns the address for the page."""


def notebook_page(notebook: Path, save_image: SaveImage) -> str:
    """Return a notebook as Markdown, with a link to the notebook itself under its title."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    parts = [part for index, cell in enumerate(cells) for part in _cell(cell, index, save_image)]
    title, _, rest = parts[0].partition("\n")
    link = f"{{download}}`Download this notebook <{notebook.name}>`"
    return "\n\n".join([title, link, rest.strip(), *parts[1:]]) + "\n"


def _cell(cell: dict[str, Any], number: int, save_image: SaveImage) -> Iterator[str]:
    source = _text(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    if cell["cell_type"] != "code" or not source.strip():
        return
    yield f"```python\n{source}\n```"
    for index, output in enumerate(cell["outputs"]):
        data = {name: _text(value) for name, value in output.get("data", {}).items()}
        if "text/html" in data:
            yield f"`````{{raw}} html\n<div class='output'>{data['text/html']}</div>\n`````"
        elif "image/svg+xml" in data:
            address = save_image(f"{number}-{index}.svg", data["image/svg+xml"])
            alt = data.get("text/plain", "").replace('"', "'").replace("\n", " ")
            yield f'<img class="output" src="{address}" alt="{alt}">'
        elif "text/plain" in data or "text" in output:
            yield f"```text\n{data.get('text/plain') or _text(output['text']).rstrip()}\n```"


def _text(lines: list[str] | str) -> str:
    """Return a text that is stored as one or as a list of lines."""
    return lines if isinstance(lines, str) else "".join(lines)
