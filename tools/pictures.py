"""Draw the pictures of the documentation: python tools/pictures.py"""

from html import escape
from pathlib import Path
from random import Random

import teahouse as th

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
PAPER, INK = "#f6f1e7", "#2b2a28"
LINE, COLUMN = 19, 8.4
STYLE = f"font: 14px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: {INK}"


def played(name: str, plies: int, seed: int, **options: object) -> list[str]:
    """The lines of the text board after some moves of a random game."""
    chance = Random(seed)
    position = th.load(name, **options).start(seed)
    while position.ply < plies:
        position = position.play(chance.choice(position.legal))
    return position.text().splitlines()


def picture(*boards: list[str]) -> str:
    """Text boards side by side on paper."""
    texts = []
    left = 24.0
    for board in boards:
        for number, line in enumerate(board):
            place = f'x="{left:.0f}" y="{40 + LINE * number}"'
            texts.append(f'<text {place} xml:space="preserve">{escape(line)}</text>')
        left += 48 + COLUMN * max(map(len, board))
    height = 40 + LINE * max(map(len, boards))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left:.0f} {height}">'
        f'<rect width="100%" height="100%" rx="12" fill="{PAPER}"/>'
        f'<g style="{STYLE}">{"".join(texts)}</g></svg>\n'
    )


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    drawing = picture(played("orochi", 24, seed=5), played("oolong", 36, seed=2))
    (FOLDER / "boards.svg").write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    main()
