"""What can be set about a house."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_data_path


def _database() -> str:
    return os.environ.get("TEAHOUSE_DATABASE") or str(user_data_path("teahouse") / "house.db")


@dataclass(frozen=True)
class Settings:
    """How a house is run."""

    database: str = field(default_factory=_database, repr=False)
    """A SQLite file's path, or an address such as postgresql://user:password@host/name."""
    hosts: tuple[str, ...] = ()
    """Names under which the house is reached beside those of the loopback; `*` for any."""
    workers: int = field(default_factory=lambda: max(1, (os.cpu_count() or 2) - 1))
    """Processes in which bots think."""
    painters: int = 1
    """Processes that draw boards."""
    pages: Path = Path(__file__).parent / "templates"
    static: Path = Path(__file__).parent / "static"

    max_tables: int = 20_000
    """Games that are not over."""
    max_records: int = 100_000
    max_sockets: int = 10_000
    max_watching: int = 500
    """At one table, those who sit there not counted."""
    max_message: int = 4_096
    """Bytes of a socket's message."""
    max_body: int = 256_000
    """Bytes of a request."""
    max_thoughts: int = 64
    """Hints and judged draws that may wait for a worker."""
    message_rate: float = 10.0
    """Messages a second on one socket, in the long run."""
    request_rate: float = 20.0
    """Requests a second from one address, in the long run; costly ones count more."""
    hint_seconds: float = 2.0
