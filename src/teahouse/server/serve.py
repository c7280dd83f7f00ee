"""Open the house: find a port, say where it is, and serve until told to stop."""

from __future__ import annotations

import gc
import logging
import os
import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from dataclasses import dataclass, replace

import uvicorn

from teahouse.server import gc_tuning
from teahouse.server.app import create_app
from teahouse.server.database import HouseError
from teahouse.server.settings import Settings
from teahouse.server.store import Store


@dataclass(frozen=True)
class Door:
    """Where the house is entered."""

    host: str
    port: int
    any_port: bool
    """Whether another port will do if this one is taken."""


def open_house(door: Door, names: tuple[str, ...], database: str | None, browser: bool) -> None:
    """Open the house with what a person chose."""
    settings = Settings(hosts=tuple(name.lower() for name in names))
    serve(replace(settings, database=database or settings.database), door, browser=browser)


def serve(settings: Settings, door: Door, *, browser: bool) -> None:
    """Serve the house until it is stopped; SystemExit with a message if it cannot be opened."""
    listening = _listen(door)
    host, port = listening.getsockname()[:2]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    config = uvicorn.Config(
        create_app(settings, Store(settings.database)),
        log_level="warning",
        access_log=False,
        ws_max_size=settings.max_message,
        ws_per_message_deflate=False,
        ws_ping_interval=20,
        ws_ping_timeout=40,
        timeout_graceful_shutdown=5,
        timeout_notify=gc_tuning.COLLECT_SECONDS,
        callback_notify=_collect,
        server_header=False,
        date_header=True,
    )
    server = _Server(config, address, browser and _has_screen())
    # Who presses Ctrl-C twice wants no story about what was cut short.
    logging.getLogger("uvicorn.error").addFilter(lambda _: not server.force_exit)
    with suppress(KeyboardInterrupt):  # how a house is usually closed
        server.run(sockets=[listening])
    if not server.started:
        raise SystemExit(3)
    print("The house is closed.", flush=True)


async def _collect() -> None:
    gc.collect()


class _Server(uvicorn.Server):
    """Says its address once it can be reached."""

    def __init__(self, config: uvicorn.Config, address: str, browser: bool) -> None:
        super().__init__(config)
        self._address = address
        self._browser = browser

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            gc_tuning.calm()
            print(f"The house is open: {self._address}\nCtrl-C closes it.", flush=True)
            if self._browser:
                threading.Thread(target=webbrowser.open, args=(self._address,), daemon=True).start()


def _has_screen() -> bool:
    return bool(
        sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _listen(door: Door) -> socket.socket:
    """A listening socket, on another port if that one is taken and any will do."""
    family = socket.AF_INET6 if ":" in door.host else socket.AF_INET
    for port in (door.port, 0) if door.any_port else (door.port,):
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((door.host, port))
        except OSError as error:
            listening.close()
            why = error.strerror
            continue
        listening.listen(2048)
        return listening
    raise HouseError(f"cannot listen on {door.host} port {door.port}: {why}")
