"""Draw the data paths of docs/architecture.md as sequence diagrams: python tools/diagrams.py

A diagram is data: `docs/pictures/paths.toml` has the parts that take part and the steps between
them. From it come an SVG that follows the reader's theme, and the same steps as a list on the page.
"""

import re
import textwrap
import tomllib
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from teahouse.draw import themes

DOCS = Path(__file__).parents[1] / "docs"
SOURCE = DOCS / "pictures" / "paths.toml"
PAGE = DOCS / "architecture.md"
LANE, MARGIN, HEAD, LINE, GAP = 190, 20, 62, 17, 16
FONT = "'Figtree',system-ui,sans-serif"
SECTION = "(<!-- path: {name} -->\n).*?(<!-- end of path -->)"


@dataclass(frozen=True)
class Step:
    """A message from one part to another, or what a part does by itself."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class DataPath:
    """A data path."""

    name: str
    title: str
    parts: tuple[tuple[str, str], ...]
    """The name of each part, and where its code is."""
    steps: tuple[Step, ...]

    @classmethod
    def read(cls, name: str, data: dict[str, Any]) -> "DataPath":
        """Return the path that a table of the file describes."""
        parts = tuple((part["name"], part["code"]) for part in data["parts"])
        names = [part for part, _ in parts]
        steps = []
        for step in data["steps"]:
            where, text = step.split(": ", 1)
            start, _, end = where.partition(" > ")
            steps.append(Step(names.index(start), names.index(end or start), text))
        return cls(name, data["title"], parts, tuple(steps))

    def listing(self) -> str:
        """Return the picture and its steps as Markdown."""
        names = " → ".join(name for name, _ in self.parts)
        alt = f"{self.title}: {names}; the steps are listed below"
        lines = [f"![{alt}](pictures/{self.name}.svg)", ""]
        for number, step in enumerate(self.steps, 1):
            start, end = self.parts[step.start][0], self.parts[step.end][0]
            who = f"**{start} → {end}:**" if step.start != step.end else f"**{start}:**"
            lines.append(f"{number}. {who} {step.text}")
        return "\n".join(lines) + "\n"


def read_paths() -> list[DataPath]:
    """Return all paths of the file."""
    tables = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    return [DataPath.read(name, data) for name, data in tables.items()]


def draw(path: DataPath) -> str:
    """Return a path as SVG."""
    centres = [MARGIN + LANE * (index + 0.5) for index in range(len(path.parts))]
    width = 2 * MARGIN + LANE * len(path.parts)
    parts, steps = [], []
    top = float(MARGIN + HEAD + GAP)
    for number, step in enumerate(path.steps, 1):
        markup, height = _step(number, step, centres, top)
        steps.append(markup)
        top += height + GAP
    for centre, (name, code) in zip(centres, path.parts, strict=True):
        parts.append(
            f'<path class="life" d="M{centre:.0f} {MARGIN + HEAD}V{top:.0f}"/>'
            f'<rect class="part" x="{centre - LANE / 2 + 8:.0f}" y="{MARGIN}" '
            f'width="{LANE - 16}" height="{HEAD}" rx="8"/>'
            f'<text class="name" x="{centre:.0f}" y="{MARGIN + 27}">{escape(name)}</text>'
            f'<text class="code" x="{centre:.0f}" y="{MARGIN + 47}">{escape(code)}</text>'
        )
    height = round(top + MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
        f"<title>{escape(path.title)}</title><style>{_style()}</style>"
        f'<rect class="paper" width="{width}" height="{height}" rx="12"/>'
        f"{''.join(parts)}{''.join(steps)}</svg>\n"
    )


def _step(number: int, step: Step, centres: list[float], top: float) -> tuple[str, float]:
    """Return the markup of a step and its height."""
    a, b = centres[step.start], centres[step.end]
    room = abs(b - a) if step.start != step.end else LANE - 24
    left = min(a, b) if step.start != step.end else a - room / 2
    lines = textwrap.wrap(f"{number}. {step.text}".replace("`", ""), int((room - 12) / 7))
    height = LINE * len(lines)
    inset = 3 if step.start == step.end else 0
    text = "".join(
        f'<text class="text" x="{left + room / 2:.0f}" y="{top + inset + LINE * row + 13:.0f}">'
        f"{escape(line)}</text>"
        for row, line in enumerate(lines)
    )
    if step.start == step.end:
        box = (
            f'<rect class="note" x="{left:.0f}" y="{top:.0f}" width="{room:.0f}" '
            f'height="{height + 6}" rx="6"/>'
        )
        return box + text, height + 6
    at, back = top + height + 8, 9 if b > a else -9
    ground = (
        f'<rect class="ground" x="{left + 4:.0f}" y="{top:.0f}" width="{room - 8:.0f}" '
        f'height="{height}"/>'
    )
    arrow = f'<path class="arrow" d="M{a:.0f} {at:.0f}H{b - back:.0f}"/>'
    tip = f'<path class="tip" d="M{b:.0f} {at:.0f}l{-back} -5v10z"/>'
    return ground + text + arrow + tip, height + 12


def _style() -> str:
    """Return styles for both themes; a page that shows the picture has either."""
    light, dark = (
        f"svg{{--ink:{theme['ink']};--paper:{theme['paper']};--quiet:{theme['quiet']}}}"
        for theme in themes.THEMES.values()
    )
    return (
        f"{light}@media (prefers-color-scheme:dark){{{dark}}}"
        f"text{{font-family:{FONT};text-anchor:middle;fill:var(--ink)}}"
        ".name{font-size:16px;font-weight:600}.code{font-size:12px;fill:var(--quiet)}"
        ".text{font-size:13px}.paper,.ground{fill:var(--paper)}"
        ".part,.note{fill:var(--paper);stroke:var(--ink);stroke-width:1.2}"
        ".note{stroke-dasharray:3 3}.life{stroke:var(--quiet);stroke-dasharray:2 5;fill:none}"
        ".arrow{stroke:var(--ink);stroke-width:1.4;fill:none}.tip{fill:var(--ink)}"
    )


def with_listings(page: str, paths: list[DataPath]) -> str:
    """Return the page with the steps of every path."""
    for path in paths:
        section = re.compile(SECTION.format(name=path.name), re.S)
        assert section.search(page), f"{PAGE.name} has no place for the path {path.name}"
        listing = path.listing().replace("\\", r"\\")
        page = section.sub(rf"\g<1>{listing}\g<2>", page)
    return page


def main() -> None:
    paths = read_paths()
    for path in paths:
        (SOURCE.parent / f"{path.name}.svg").write_text(draw(path), encoding="utf-8")
    PAGE.write_text(with_listings(PAGE.read_text(encoding="utf-8"), paths), encoding="utf-8")


if __name__ == "__main__":
    main()
