"""A picture of a game in the terminal app."""

import asyncio
import os
import re
import tempfile

import teahouse as th
from teahouse.terminal.app.app import TeahouseApp
from teahouse.terminal.app.game_screen import GameScreen
from teahouse.terminal.local_game import LocalGame
from teahouse.terminal.seats import assign_seats

GAME, SEED, PLIES, SIZE = "oolong", 7, 36, (112, 33)


def played(game: th.Game) -> LocalGame:
    """Return a game of two bots at a turn of the first seat."""
    record = th.Record.new(game, SEED)
    bot = th.bot(game, level=4, seed=SEED)
    while len(record.moves) < PLIES or record.position.player:
        record.play(bot.choose(record.position))
    return LocalGame(record, assign_seats(game, {}))


async def picture(local_game: LocalGame) -> str:
    """Return the screen of a game, with the cursor on the first target."""
    app = TeahouseApp()
    async with app.run_test(size=SIZE) as pilot:
        await app.push_screen(GameScreen(local_game))
        await pilot.press("tab")
        await pilot.pause()
        return app.export_screenshot(title="teahouse")


def terminal_picture() -> bytes:
    """Return the screen of a game in the app as SVG without external fonts."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TEAHOUSE_DATA_DIR"] = folder
        drawn = asyncio.run(picture(played(th.load(GAME))))
    drawn = re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.S)
    drawn = drawn.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")
    return re.sub(r"[ \t]+$", "", drawn, flags=re.M).encode()
