"""Draw the pictures of the documentation: python tools/pictures.py"""

import re
from pathlib import Path

import teahouse as th
from teahouse.draw import themes
from teahouse.draw.movie import movie
from teahouse.draw.style import RenderStyle

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
BOARDS = {"oolong": 47, "orochi": 26, "fillit": 22, "toot": 44}  # moves to play of each game
WIDTH, GAP, TITLE = 440, 36, 64


def played(name: str, moves: int, simulations: int = 300) -> th.Record:
    """Return the first moves of a game between two weak bots."""
    record = th.Record.new(th.load(name), seed=4)
    while len(record.moves) < moves and not record.position.over:
        position = record.position
        record.play(th.analyse(position, simulations=simulations, seed=position.ply).best)
    return record


def side_by_side(records: list[th.Record]) -> str:
    """Return an SVG with titled boards in a row; the theme follows the reader's system."""
    boards = []
    heights = []
    for record in records:
        last = (record.positions[-2], record.moves[-1])
        svg = record.position.svg(
            theme="auto", last=last, tray=False, coordinates=False, prefix=f"{record.game.name}-"
        )
        *_, width, height = map(float, re.findall(r'viewBox="([^"]+)', svg)[0].split())
        heights.append(WIDTH * height / width)
        boards.append(svg)
    tallest = max(heights)
    content = "".join(
        board.replace(
            "<svg ",
            f'<svg x="{_left(index)}" y="{_top(height, tallest)}" '
            f'width="{WIDTH}" height="{height:.0f}" ',
            1,
        )
        for index, (board, height) in enumerate(zip(boards, heights, strict=True))
    )
    titles = "".join(
        f'<text class="title" x="{_left(index) + WIDTH // 2}" y="44">{record.game.title}</text>'
        for index, record in enumerate(records)
    )
    width = GAP + len(records) * (WIDTH + GAP)
    view_box = f"0 0 {width} {TITLE + tallest + GAP:.0f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view_box}">'
        f"<style>{_style()}</style>"
        f'<rect class="background" width="100%" height="100%" rx="16"/>{titles}{content}</svg>\n'
    )


def _left(index: int) -> int:
    return GAP + index * (WIDTH + GAP)


def _top(height: float, tallest: float) -> str:
    return f"{TITLE + (tallest - height) / 2:.0f}"


def _style() -> str:
    light, dark = (themes.THEMES[theme] for theme in ("light", "dark"))
    font = "font:30px Georgia,'Times New Roman',serif;text-anchor:middle"
    return (
        f".title{{{font};fill:{light['ink']}}}.background{{fill:{light['paper']}}}"
        f"@media (prefers-color-scheme:dark){{.title{{fill:{dark['ink']}}}"
        f".background{{fill:{dark['paper']}}}}}"
    )


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    records = [played(name, moves) for name, moves in BOARDS.items()]
    (FOLDER / "boards.svg").write_text(side_by_side(records), encoding="utf-8")
    moving = movie(played("fillit", 40), pause=0.6, style=RenderStyle(theme="auto"))
    (FOLDER / "fillit.svg").write_text(moving, encoding="utf-8")


if __name__ == "__main__":
    main()
