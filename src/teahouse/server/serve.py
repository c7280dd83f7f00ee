"""Run the server: bind a port, print the address, and serve until interrupted."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from typing import Any

import uvicorn
from fastapi import FastAPI

from teahouse.server.app import create_app
from teahouse.server.correspondence.smtp import check_settings
from teahouse.server.operations import gc_tuning, logs, metrics
from teahouse.server.operations.base_path import normalize
from teahouse.server.operations.tracing import start_tracing
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.lock import StartupError
from teahouse.server.storage.store import Store
from teahouse.server.web.client_address import TrustedProxies
from teahouse.server.web.connections import Connections
from teahouse.server.web.protocols import LimitedConfig
from teahouse.server.workers.engines import Engines, EngineSpec

CLIENT_ERRORS = ("Invalid UTF-8 sequence received from client.",)
"""Log messages that any client can cause."""


@dataclass(frozen=True)
class BindAddress:
    """The address to listen on."""

    host: str
    """A host name or an IP address."""
    port: int
    """The number of the port."""
    any_port: bool
    """Whether to fall back to a free port if this one is taken."""


def run_server(
    address: BindAddress,
    hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    database: str | None,
    browser: bool,
    engines: tuple[str, ...] = (),
    **more: Any,
) -> None:
    """Run the server with the command's options; `more` has fields of `ServerSettings`."""
    names = tuple(name.lower() for name in hosts)
    settings = ServerSettings(hosts=names, trusted_proxies=proxies, engines=engines, **more)
    serve(replace(settings, database=database or settings.database), address, browser=browser)


def serve(settings: ServerSettings, address: BindAddress, *, browser: bool) -> None:
    """Serve until interrupted; raise `StartupError` if the server cannot start."""
    uvicorn_options = logs.configure(settings.log_format)
    with ExitStack() as stack:
        listening = stack.enter_context(closing(_listen(address)))
        host, port = listening.getsockname()[:2]
        base = normalize(settings.base_path)
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}{base}/"
        proxies = TrustedProxies(settings.trusted_proxies, settings.proxy_header)
        connections = Connections(settings, proxies)
        check_settings(settings)
        engines = tuple(map(EngineSpec.parse, settings.engines))
        metrics.serve(stack, settings.metrics_host, settings.metrics_port)
        store = Store(settings.database)
        config = _config(settings, store, connections, uvicorn_options)
        assert isinstance(config.app, FastAPI)
        if end_tracing := start_tracing(config.app, store.engine):
            stack.callback(end_tracing)
        server = _Server(config, url, browser and _has_display(), engines)
        # A second Ctrl-C forces the exit: do not log what was interrupted.
        logging.getLogger("uvicorn.error").addFilter(
            lambda record: not server.force_exit and record.msg not in CLIENT_ERRORS
        )
        for name in ("teahouse", "uvicorn.error"):
            logging.getLogger(name).addHandler(metrics.ErrorCounter())
        # Uvicorn raises the signal again once it has stopped: then close what is left here too.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):  # the usual way to stop it
            server.run(sockets=[listening])
    if not server.started:
        raise SystemExit(3)
    print("Server stopped.", flush=True)


def _config(
    settings: ServerSettings, store: Store, connections: Connections, options: dict[str, Any]
) -> LimitedConfig:
    return LimitedConfig(
        create_app(replace(settings, max_connections=connections.max_sockets), store),
        connections=connections,
        log_level="error",
        access_log=False,
        proxy_headers=False,  # client_address.py reads them, from trusted proxies only
        backlog=connections.backlog,
        timeout_keep_alive=5,
        ws_max_size=settings.max_message,
        ws_per_message_deflate=False,
        ws_ping_interval=20,
        ws_ping_timeout=40,
        timeout_graceful_shutdown=5,
        timeout_notify=gc_tuning.COLLECT_SECONDS,
        callback_notify=_collect,
        server_header=False,
        date_header=True,
        **options,
    )


async def _collect() -> None:
    gc.collect()


class _Server(uvicorn.Server):
    """Prints its URL once it is ready, and closes connections of slow clients."""

    def __init__(
        self, config: LimitedConfig, url: str, browser: bool, engines: tuple[EngineSpec, ...]
    ) -> None:
        super().__init__(config)
        self._engine_specs = engines
        self._engines: Engines | None = None
        self._connections = config.open_connections
        self._url = url
        self._browser = browser

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._sweep = asyncio.create_task(self._connections.sweep())
            gc_tuning.disable_full_collections()
            await self._start_engines()
            print(f"Teahouse is running at {self._url}\nPress Ctrl-C to stop.", flush=True)
            if self._browser:
                threading.Thread(target=webbrowser.open, args=(self._url,), daemon=True).start()

    async def _start_engines(self) -> None:
        """Start the operator's engines, which connect as any program does."""
        assert isinstance(self.config.app, FastAPI)
        store = self.config.app.state.registry.store
        url = self._url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
        engines = Engines(self._engine_specs, store, url)
        await engines.start()
        self._engines = engines

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        assert isinstance(self.config.app, FastAPI)
        state = self.config.app.state
        state.readiness.drain()
        if self._engines is not None:
            await self._engines.close()
        for server in self.servers:
            server.close()
        if self.started and not self.force_exit:
            await state.registry.drain()
        await super().shutdown(sockets)


def _has_display() -> bool:
    return bool(
        sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _listen(address: BindAddress) -> socket.socket:
    """Return a listening socket, on a free port if the given one is taken and any will do."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    for port in (address.port, 0) if address.any_port else (address.port,):
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((address.host, port))
        except OSError as error:
            listening.close()
            reason = error.strerror
            continue
        listening.listen()
        return listening
    raise StartupError(f"Cannot listen on {address.host} port {address.port}: {reason}")
