"""Record a game in the browser as an animation: a real server, a bot, and clicks on the page."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from websockets.sync.client import ClientConnection, connect

import teahouse as th
from teahouse.draw.raster import WEBP

GAME, SEED, LEVEL = "oolong", 8, 3
FIRST, LAST = 14, 40  # plies that the picture shows
VIEW, WIDTH = (1180, 740), 960  # pixels of the page and of the picture
MOVING, CLICKED, PLAYED, END = 80, 400, 900, 3000  # milliseconds that a frame stays
STEPS = 4  # frames of an animation
SETTLED = 400  # milliseconds after which a page that moves has begun to
PREPARED = 300_000  # milliseconds in which kernels are compiled
CLICKABLE = ":is(.board-box .spot, .choices .choice):is(.target, .start)"
HOLD = """
window.held = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (...given) {
  const animation = animate.apply(this, given);
  if (this.closest(".board-box")) {
    animation.pause();
    window.held.push(animation);
  }
  return animation;
};
"""
"""Stops animations of the board, so that pictures show them step by step on any machine."""
SEEK = """part => {
  const ends = window.held.map((one) => one.effect.getComputedTiming().endTime);
  for (const one of window.held) one.currentTime = part * Math.max(...ends);
}"""
FINISH = "() => window.held.splice(0).forEach((one) => one.finish())"
MOVES = "plies => document.querySelectorAll('#moves > li > .move').length >= plies"


class Table:
    """A table on a server, with its game as this program knows it."""

    def __init__(self, address: str) -> None:
        seats: list[dict[str, Any]] = [{"kind": "local"}, {"kind": "bot", "level": LEVEL}]
        body = json.dumps({"game": GAME, "seed": SEED, "seats": seats}).encode()
        request = urllib.request.Request(f"{address}/api/tables", body)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request) as response:
            table = json.load(response)
        self.secret = table["seats"][0]["secret"]
        self.page = f"{address}/tables/{table['id']}#{self.secret}"
        self.socket = f"{address.replace('http', 'ws')}/api/tables/{table['id']}/socket"
        self.record = th.Record.new(th.load(GAME), SEED)
        self.bot = th.bot(GAME, level=LEVEL + 1, seed=SEED)

    @contextmanager
    def joined(self) -> Iterator[ClientConnection]:
        """Follow the game on the table's socket."""
        with connect(self.socket) as socket:
            socket.send(json.dumps({"type": "join", "secrets": [self.secret], "snapshots": False}))
            yield socket

    def follow(self, socket: ClientConnection) -> None:
        """Receive until a move was played."""
        ply = len(self.record.moves)
        while len(self.record.moves) == ply:
            for event in json.loads(socket.recv()).get("events", []):
                if event["type"] == "moved":
                    self.record.play(event["move"])

    def play(self, socket: ClientConnection) -> None:
        """Play this program's next move by a message."""
        ply, move = len(self.record.moves), self.bot.choose(self.record.position)
        message = {"type": "play", "id": ply, "seat": 0, "ply": ply, "move": move}
        socket.send(json.dumps(message))


class Recorder:
    """Screenshots of a page, with their times."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.images: list[Image.Image] = []
        self.times: list[int] = []

    def shoot(self, milliseconds: int) -> None:
        """Add what the page shows now."""
        image = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        height = round(WIDTH * image.height / image.width)
        self.images.append(image.resize((WIDTH, height), Image.Resampling.LANCZOS))
        self.times.append(milliseconds)

    def click(self, table: Table) -> None:
        """Enter the next move by clicks, as a person would."""
        position = table.record.position
        for name in position.click_path(table.bot.choose(position)):
            spot = self.page.locator(f'{CLICKABLE}[data-spot="{name}"]')
            if spot.count():  # a step that all moves share is taken by the page
                spot.first.click(force=True)
                self.page.mouse.move(5, VIEW[1] - 5)
                self.shoot(CLICKED)

    def settle(self, table: Table) -> None:
        """Show every animation step by step until the page shows the game as it is."""
        self.page.wait_for_function(MOVES, arg=len(table.record.moves))
        while True:
            self.page.wait_for_timeout(SETTLED)
            if not self.page.evaluate("window.held.length"):
                return
            for step in range(1, STEPS):
                self.page.evaluate(SEEK, step / STEPS)
                self.shoot(MOVING)
            self.page.evaluate(FINISH)
            self.page.wait_for_timeout(50)
            self.shoot(PLAYED)


@contextmanager
def running_server(folder: str) -> Iterator[str]:
    """Start a server on a database of its own; yield its address."""
    program = str(Path(sys.executable).with_name("teahouse"))
    command = [program, "serve", "--no-browser", "--port", "0", "--database", f"{folder}/games.db"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1].rstrip("/")
    finally:
        server.terminate()
        server.wait()


def game_picture() -> bytes:
    """Return a game against a bot as animated WebP."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(folder) as address,
        sync_playwright() as playwright,
    ):
        table = Table(address)
        chromium = os.environ.get("TEAHOUSE_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": VIEW[0], "height": VIEW[1]})
        page.add_init_script(HOLD)
        recorder = Recorder(page)
        with table.joined() as socket:
            while len(table.record.moves) < FIRST or table.record.position.player:
                if table.record.position.player == 0:
                    table.play(socket)
                table.follow(socket)
            page.goto(table.page)
            page.wait_for_selector(".board-box.open")
            page.get_by_text("Preparing").wait_for(state="hidden", timeout=PREPARED)
            recorder.settle(table)
            recorder.shoot(PLAYED)
            while len(table.record.moves) < LAST and not table.record.position.over:
                page.wait_for_selector(".board-box.open")
                recorder.click(table)
                table.follow(socket)
                while table.record.position.player and not table.record.position.over:
                    table.follow(socket)
                recorder.settle(table)
        browser.close()
    recorder.times[-1] = END
    return animation(recorder.images, recorder.times)


def animation(images: list[Image.Image], times: list[int]) -> bytes:
    """Return images as animated WebP."""
    buffer = io.BytesIO()
    images[0].save(
        buffer,
        "WEBP",
        save_all=True,
        append_images=images[1:],
        duration=times,
        loop=0,
        **{**WEBP, "method": 6},
    )
    return buffer.getvalue()
