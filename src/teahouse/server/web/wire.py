"""JSON at the edge: bodies are built as objects and serialised once, here."""

from __future__ import annotations

from typing import Any

import orjson

RawJson = orjson.Fragment
"""A value that is JSON already: the snapshots of the render worker, some 20 to 60 kB each.

Parsing and serialising them again costs the server about 8 % more CPU time and 12 MB more memory
(`benchmarks/server.py --tables 400 --busy 200`).
"""


def to_json(value: Any) -> str:
    """Serialise a body; dataclasses become objects."""
    return orjson.dumps(value).decode()


def from_json(text: str | bytes) -> Any:
    """Parse JSON."""
    return orjson.loads(text)
