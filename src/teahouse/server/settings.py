"""Settings of the server."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_data_path

DATABASE = "teahouse.db"
OLD_DATABASE = "house.db"  # the default name up to 0.1.0


def _default_database() -> str:
    """Return `TEAHOUSE_DATABASE`, or a file in the user's data folder."""
    folder = user_data_path("teahouse")
    name = OLD_DATABASE if (folder / OLD_DATABASE).exists() else DATABASE
    return os.environ.get("TEAHOUSE_DATABASE") or str(folder / name)


@dataclass(frozen=True)
class ServerSettings:
    """Settings and limits of a server."""

    database: str = field(default_factory=_default_database, repr=False)
    """The path of an SQLite file, or a URL such as postgresql://user:password@host/name."""
    hosts: tuple[str, ...] = ()
    """Host names of the server besides localhost; `*` for any."""
    workers: int = field(default_factory=lambda: max(1, (os.cpu_count() or 2) - 1))
    """Worker processes for bots."""
    renderers: int = 1
    """Worker processes for snapshots."""
    templates: Path = Path(__file__).parent / "templates"
    static: Path = Path(__file__).parent / "static"

    max_tables: int = 20_000
    """Unfinished games."""
    max_records: int = 100_000
    max_connections: int = 10_000
    max_spectators: int = 500
    """Connections without a seat, for each table."""
    max_message: int = 4_096
    """Bytes of a socket message."""
    max_body: int = 256_000
    """Bytes of a request body."""
    max_queued_hints: int = 64
    message_rate: float = 10.0
    """Messages a second on a socket, on average."""
    request_rate: float = 20.0
    """Requests a second from an address, on average; expensive ones count more."""
    hint_seconds: float = 2.0
    """Search time of a hint."""
