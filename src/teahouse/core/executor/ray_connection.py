"""Connect to a Ray cluster, or start one on this machine."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from threading import Event, current_thread, main_thread
from typing import Any
from urllib.parse import urlsplit

from teahouse.core.errors import OptionError, quoted
from teahouse.core.extras import install_command

CLIENT = "ray://"
CONNECT_SECONDS = 5.0  # Ray itself tries for minutes


def connect(address: str, cores: int | None) -> tuple[Any, bool]:
    """Return Ray's module, and whether this call has connected it.

    A process that is connected already stays so. `cores` is the size of a cluster that is started.
    Raise `OptionError` if Ray is not installed, or if there is no cluster at the address.
    """
    if find_spec("ray") is None:
        raise OptionError(f"A Ray cluster requires: {install_command('ray')}")
    if address == "local":
        _require_token()
    elif address != "auto":
        _check_reachable(address)
    ray = _import_ray()
    if ray.is_initialized():
        return ray, False
    _init(ray, address, cores)
    return ray, True


def _require_token() -> None:
    """Let a cluster that is started here accept this process only, if nothing else is set.

    Ray reads the settings when it is imported.
    """
    settings = {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"}
    if "ray" not in sys.modules and not settings & os.environ.keys():
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)


def _import_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # disable telemetry
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # warns otherwise
    import ray
    import ray.cloudpickle
    import ray.exceptions

    return ray


def _init(ray: Any, address: str, cores: int | None) -> None:
    """Connect to a cluster, or start one; raise `OptionError` if that fails."""
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == "local":
        settings |= {"num_cpus": cores, "include_dashboard": False}
    ray._private.worker._worker_logs_enabled = False  # Ray prints on the stream of --json
    try:
        with _deferred_interrupt() if address == "local" else nullcontext():
            ray.init(address=address, **settings)
    except KeyboardInterrupt:
        ray.shutdown()
        raise
    except Exception as error:
        raise OptionError(f"Cannot use the Ray cluster {quoted(address)}: {error}") from None
    if current_thread() is main_thread():  # as Ctrl-C; Ray's own handler prints its stack
        signal.signal(signal.SIGTERM, signal.default_int_handler)


@contextmanager
def _deferred_interrupt() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at the end only: half a cluster would leave processes behind."""
    if current_thread() is not main_thread():
        yield
        return
    pressed = Event()
    previous = signal.signal(signal.SIGINT, lambda *_: pressed.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
    if pressed.is_set():
        raise KeyboardInterrupt


def _check_reachable(address: str) -> None:
    """Raise `OptionError` if an address is not valid, or if nothing listens there."""
    try:
        parts = urlsplit(address if address.startswith(CLIENT) else f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise OptionError(
            f"The address of a Ray cluster must be local, auto, HOST:PORT or {CLIENT}HOST:PORT, "
            f"got {quoted(address)}."
        )
    try:
        socket.create_connection((host, port), CONNECT_SECONDS).close()
    except OSError as error:
        raise OptionError(f"No Ray cluster answers at {host}:{port}: {error}.") from None
