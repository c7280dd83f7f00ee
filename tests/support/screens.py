"""What a screen of the house shows, as plain text, and ways to act on it as a person would."""

import html
import re
from random import Random

from textual.pilot import Pilot

import teahouse as th
from teahouse.terminal.app.app import House
from teahouse.terminal.app.board import Board
from teahouse.terminal.app.table import GameScreen
from teahouse.terminal.seats import HUMAN
from teahouse.terminal.table import Table

CELL = (12.2, 24.4)  # a character's size in exported pictures
ARROWS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_TEXT = re.compile(r'<text class="[^"]*-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>')


def screen_text(house: House) -> str:
    """The characters on the screen, from the picture that Textual exports."""
    lines: dict[int, dict[int, str]] = {}
    for x, y, text in _TEXT.findall(house.export_screenshot()):
        line, column = round(float(y) / CELL[1]), round(float(x) / CELL[0])
        for offset, character in enumerate(html.unescape(text).replace("\xa0", " ")):
            lines.setdefault(line, {})[column + offset] = character
    drawn = [
        "".join(lines.get(line, {}).get(column, " ") for column in range(200)).rstrip()
        for line in range(min(lines), max(lines) + 1)
    ]
    return "\n".join(drawn) + "\n"


def table(game: th.Game, plies: int = 0, seed: int = 1) -> Table:
    """People around a game that has gone on for some random moves."""
    record = th.Record.new(game, seed)
    chance = Random(seed)
    while len(record.moves) < plies and not record.position.over:
        record.play(chance.choice(record.position.legal))
    return Table(record, dict.fromkeys(game.players, HUMAN))


async def at_table(pilot: Pilot[None], played: Table) -> GameScreen:
    """Sit down at a table."""
    screen = GameScreen(played)
    await pilot.app.push_screen(screen)
    await settled(pilot, screen.board)
    return screen


async def settled(pilot: Pilot[None], board: Board) -> None:
    """Wait until the board is laid out: nothing about its place changes any more."""
    before = None
    while not board.region or before != (board.region, board.canvas.room, board.canvas.scene):
        before = (board.region, board.canvas.room, board.canvas.scene)
        await pilot.pause()


async def walk_to(pilot: Pilot[None], board: Board, name: str) -> None:
    """Walk to a spot or choice by as few keys as possible; Tab hops to the first target."""
    if not board.cursor:
        await pilot.press("tab")
    click_paths: dict[str, tuple[str, ...]] = {board.cursor: ()}
    for here in (found := [board.cursor]):
        for key, step in ARROWS.items():
            there = board.canvas.next(here, *step)
            if there not in click_paths:
                click_paths[there] = (*click_paths[here], key)
                found.append(there)
    await pilot.press(*click_paths[name])
    assert board.cursor == name


async def click_on(pilot: Pilot[None], board: Board, name: str) -> None:
    """Click where something is drawn."""
    await settled(pilot, board)
    column, line = board.canvas.places[name]
    assert await pilot.click(board, offset=(column, line))
    await pilot.pause()
