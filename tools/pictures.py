"""Draw every picture of README and documents: make pictures, or python tools/pictures.py NAME …"""

import hashlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

from page_picture import GAME as PAGE_GAME
from page_picture import game_picture
from terminal_picture import GAME as TERMINAL_GAME
from terminal_picture import terminal_picture

import teahouse as th
from teahouse.draw import themes
from teahouse.draw.movie import movie
from teahouse.draw.style import RenderStyle

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
MANIFEST = FOLDER / "manifest.json"
RECORDS = FOLDER / "records.txt"
"""The games that are drawn: of bots, in the order of the boards."""
MOVING = "fillit"
WIDTH, GAP, TITLE = 440, 36, 64
PACKAGE = "src/teahouse"


def records() -> list[th.Record]:
    """Return the games that are drawn."""
    return th.Record.parse_all(RECORDS.read_text(encoding="utf-8"))


def boards_picture() -> bytes:
    """Return the last positions of all games side by side."""
    return side_by_side(records()).encode()


def moving_picture() -> bytes:
    """Return one of the games as animated SVG."""
    (record,) = [one for one in records() if one.game.name == MOVING]
    return movie(record, pause=0.6, style=RenderStyle(theme="auto")).encode()


PICTURES: dict[str, Callable[[], bytes]] = {
    "boards.svg": boards_picture,
    f"{MOVING}.svg": moving_picture,
    "terminal.svg": terminal_picture,
    "game.webp": game_picture,
}
REDRAWN = ("boards.svg", f"{MOVING}.svg")
"""Pictures that are the same whenever they are drawn."""
LOOKS = {
    "terminal.svg": [
        f"{PACKAGE}/terminal/app/app.tcss",
        f"{PACKAGE}/terminal/app/board.py",
        f"{PACKAGE}/terminal/app/canvas.py",
        f"{PACKAGE}/terminal/app/game_screen.py",
        f"{PACKAGE}/games/{TERMINAL_GAME}/board.py",
    ],
    "game.webp": [
        f"{PACKAGE}/server/templates/base.html",
        f"{PACKAGE}/server/templates/table.html",
        f"{PACKAGE}/server/static/base.css",
        f"{PACKAGE}/server/static/board-box.css",
        f"{PACKAGE}/server/static/table.css",
        f"{PACKAGE}/draw/board.css",
        f"{PACKAGE}/draw/themes.py",
        f"{PACKAGE}/draw/symbols.svg",
        f"{PACKAGE}/games/{PAGE_GAME}/board.py",
    ],
}
"""Files that say how the other pictures look; when one changes, they are drawn again."""


def looks(name: str) -> str:
    """Return a digest of the files that determine how a picture looks."""
    digest = hashlib.sha256()
    for path in LOOKS[name]:
        digest.update((ROOT / path).read_bytes())
    return digest.hexdigest()


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


def main(names: list[str]) -> None:
    manifest = json.loads(MANIFEST.read_text()) if MANIFEST.exists() else {}
    for name in names:
        (FOLDER / name).write_bytes(PICTURES[name]())
        print(f"{name}: {(FOLDER / name).stat().st_size // 1000:,} kB", flush=True)
        if name in LOOKS:
            manifest[name] = looks(name)
            MANIFEST.write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:] or list(PICTURES))
