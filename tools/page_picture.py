"""Draw the picture of a table's page in the documentation: python tools/page_picture.py"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from websockets.sync.client import connect

import teahouse as th

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "table.png"
GAME, SEED, PLIES, LEVEL = th.load("oolong"), 8, 38, 3
SIZE = (1280, 800)


def create_table(address: str) -> tuple[str, str]:
    """Create a table against a bot; return its id and the secret of the first seat."""
    seats: list[dict[str, Any]] = [{"kind": "local"}, {"kind": "bot", "level": LEVEL}]
    body = json.dumps({"game": GAME.name, "seed": SEED, "seats": seats}).encode()
    request = urllib.request.Request(f"{address}/api/tables", body)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as response:
        table = json.load(response)
    return table["id"], table["seats"][0]["secret"]


def play(address: str, table: str, secret: str) -> None:
    """Play the first seat's moves with a local bot."""
    bot = th.bot(GAME, level=LEVEL + 1, seed=SEED)
    record = th.Record.new(GAME, SEED)
    url = f"{address.replace('http', 'ws')}/api/tables/{table}/socket"
    with connect(url) as socket:
        socket.send(json.dumps({"type": "join", "secrets": [secret], "snapshots": False}))
        while len(record.moves) < PLIES or record.position.player:
            if record.position.player == 0 and not record.position.over:
                ply = len(record.moves)
                move = bot.choose(record.position)
                message = {"type": "play", "id": ply, "seat": 0, "ply": ply, "move": move}
                socket.send(json.dumps(message))
            while True:
                message = json.loads(socket.recv())
                moves = [event for event in message.get("events", []) if event["type"] == "moved"]
                for event in moves:
                    record.play(event["move"])
                if moves:
                    break


def screenshot(url: str, path: str) -> None:
    """Save a picture of a page when a move can be entered."""
    chromium = os.environ.get("TEAHOUSE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": SIZE[0], "height": SIZE[1]}, reduced_motion="reduce"
        )
        page.goto(url)
        page.wait_for_selector(".board-box.open")
        page.screenshot(path=path)
        browser.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(sys.executable).with_name("teahouse"))
        command = [program, "serve", "--no-browser", "--port", "0"]
        server = subprocess.Popen(
            [*command, "--database", f"{folder}/teahouse.db"], stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1].rstrip("/")
            table, secret = create_table(address)
            play(address, table, secret)
            screenshot(f"{address}/tables/{table}#{secret}", f"{folder}/page.png")
        finally:
            server.terminate()
            server.wait()
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        Image.open(f"{folder}/page.png").quantize(256).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
