"""Screens of the app as plain text, and helpers that act on them with keys and mouse."""

import html
import re
from random import Random

from textual.pilot import Pilot

import teahouse as th
from teahouse.session.events import BotSeat, SeatSpec
from teahouse.terminal.app.app import TeahouseApp
from teahouse.terminal.app.board import BoardWidget
from teahouse.terminal.app.game_screen import GameScreen
from teahouse.terminal.local_game import LocalGame
from teahouse.terminal.seats import HUMAN

CELL = (12.2, 24.4)  # size of a character in exported pictures
ARROWS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_TEXT = re.compile(r'<text class="[^"]*-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>')


def screen_text(app: TeahouseApp) -> str:
    """Return the characters on the screen, from the picture that Textual exports."""
    lines: dict[int, dict[int, str]] = {}
    for x, y, text in _TEXT.findall(app.export_screenshot()):
        line, column = round(float(y) / CELL[1]), round(float(x) / CELL[0])
        for offset, character in enumerate(html.unescape(text).replace("\xa0", " ")):
            lines.setdefault(line, {})[column + offset] = character
    drawn = [
        "".join(lines.get(line, {}).get(column, " ") for column in range(200)).rstrip()
        for line in range(min(lines), max(lines) + 1)
    ]
    return "\n".join(drawn) + "\n"


def random_record(game: th.Game, plies: int = 100_000, seed: int = 1) -> th.Record:
    """Return a game of random moves, up to a number of plies or to its end."""
    record = th.Record.new(game, seed)
    random = Random(seed)
    while len(record.moves) < plies and not record.position.over:
        record.play(random.choice(record.position.legal))
    return record


def local_game(game: th.Game, plies: int = 0, seed: int = 1, bots: int = 0) -> LocalGame:
    """Return a game after some random moves, with people on all seats but the last `bots`."""
    people = len(game.players) - bots
    seats: dict[str, SeatSpec] = {
        name: HUMAN if index < people else BotSeat(level=1)
        for index, name in enumerate(game.players)
    }
    return LocalGame(random_record(game, plies, seed), seats)


async def open_game(pilot: Pilot[None], played: LocalGame) -> GameScreen:
    """Open the screen of a game."""
    screen = GameScreen(played)
    await pilot.app.push_screen(screen)
    await settled(pilot, screen.board)
    return screen


async def settled(pilot: Pilot[None], board: BoardWidget) -> None:
    """Wait until the layout of the board is stable."""
    before = None
    while not board.region or before != (board.region, board.canvas.available, board.canvas.scene):
        before = (board.region, board.canvas.available, board.canvas.scene)
        await pilot.pause()


async def move_cursor(pilot: Pilot[None], board: BoardWidget, name: str) -> None:
    """Move the cursor to a spot or choice with as few keys as possible."""
    if not board.cursor:
        await pilot.press("tab")
    keys: dict[str, tuple[str, ...]] = {board.cursor: ()}
    for here in (found := [board.cursor]):
        steps = {key: board.canvas.neighbour(here, *step) for key, step in ARROWS.items()}
        for key, direction in (("tab", 1), ("shift+tab", -1)):
            steps[key] = board.target_after(here, direction) or here
        for key, there in steps.items():
            if there not in keys:
                keys[there] = (*keys[here], key)
                found.append(there)
    await pilot.press(*keys[name])
    assert board.cursor == name


async def click_on(pilot: Pilot[None], board: BoardWidget, name: str) -> None:
    """Click on a spot or choice."""
    await settled(pilot, board)
    column, line = board.canvas.places[name]
    assert await pilot.click(board, offset=(column, line))
    await pilot.pause()


async def enter_move(pilot: Pilot[None], screen: GameScreen, move: str) -> None:
    """Enter a move with the keyboard; steps that the app takes by itself are skipped."""
    played = screen.local_game.ply
    for step in screen.local_game.position.click_path(move):
        pointing = screen.view.pointing
        assert pointing is not None
        if screen.local_game.ply == played and step not in pointing.chosen:
            await move_cursor(pilot, screen.board, step)
            await pilot.press("enter")
