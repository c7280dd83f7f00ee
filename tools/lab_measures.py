"""Write the table of the report's measures to docs/lab.md, under its heading.

python tools/lab_measures.py
"""

from collections.abc import Iterator
from pathlib import Path

import teahouse as th
from teahouse.lab.measures import LITERATURE, USES, measures, side_name
from teahouse.lab.skill import skill_figures, steps

PAGE = Path(__file__).parent.parent / "docs" / "lab.md"
HEADING = "## What is measured\n"
END = "\n## "


def table() -> str:
    """Return the definitions of all figures but those of a game's own events."""
    lines = ["", "| figure | key | definition | source |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in _rows()]
    sources = [f"- {short}: {full}." for short, full in LITERATURE.items()]
    return "\n".join([*lines, "", *sources]) + "\n"


def _rows() -> Iterator[tuple[str, str, str, str]]:
    game = next(
        game for name in th.games() if len((game := th.load(name)).teams) == 2 and steps(game, {})
    )
    first = side_name(game, game.side(game.start().player))
    for one in measures(game):
        if one.section != USES:
            label = f"{one.label}, {one.unit}" if one.unit else one.label
            texts = (label, f"`{one.key}`", one.definition, one.source)
            yield tuple(text.replace(first, "the first side") for text in texts)  # type: ignore[misc]
    yield (
        "Each kind of move, per game",
        "`uses.…`",
        "Moves of a kind that the game names, in a game.",
        "",
    )
    seen = set()
    for figure in skill_figures(game, steps(game, {})):
        if figure.measure not in seen:
            seen.add(figure.measure)
            label = f"{figure.label}, {figure.unit}" if figure.unit else figure.label
            yield label, f"`{figure.measure}`", figure.definition, figure.source


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(HEADING)
    _, _, tail = rest.partition(END)
    PAGE.write_text(f"{head}{HEADING}{table()}{END}{tail}", encoding="utf-8")
