"""Draw the picture of the house in the terminal: python tools/terminal_picture.py"""

import asyncio
import os
import re
import tempfile
from pathlib import Path

import teahouse as th
from teahouse.terminal.app.app import House
from teahouse.terminal.app.table import GameScreen
from teahouse.terminal.table import Table

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "terminal.svg"
SEED, PLIES, SIZE = 7, 36, (104, 28)


def played(game: th.Game) -> Table:
    """A game of two bots, at a moment when a person is to decide."""
    record = th.Record.new(game, SEED)
    bot = th.bot(game, level=4)
    while len(record.moves) < PLIES or record.position.player:
        record.play(bot.choose(record.position, threads=1))
    return Table(record, {seat: 5 * bool(number) for number, seat in enumerate(game.players)})


async def picture(table: Table) -> str:
    """The screen of a table, with the first target under the cursor."""
    house = House()
    async with house.run_test(size=SIZE) as pilot:
        await house.push_screen(GameScreen(table))
        await pilot.press("tab")
        await pilot.pause()
        return house.export_screenshot(title="teahouse")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TEAHOUSE_DATA_DIR"] = folder
        drawn = asyncio.run(picture(played(th.load("oolong"))))
    drawn = re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.S)  # no fonts from elsewhere
    drawn = drawn.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(re.sub(r"[ \t]+$", "", drawn, flags=re.M), encoding="utf-8")


if __name__ == "__main__":
    main()
