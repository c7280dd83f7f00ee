"""JSON at the edge: bodies are built as objects and serialised once, here.

Snapshots arrive from the render worker as JSON of some 20 to 200 kB. They are embedded as
`RawJson` without being parsed and serialised again: at 200 moves a second that would cost the
event loop a quarter of its time (measured by `benchmarks/server.py`).
"""

from __future__ import annotations

from typing import Any

import orjson

RawJson = orjson.Fragment
"""A value that is JSON already."""


def to_json(value: Any) -> str:
    """Serialise a body; dataclasses become objects."""
    return orjson.dumps(value).decode()


def from_json(text: str | bytes) -> Any:
    """Parse JSON."""
    return orjson.loads(text)
