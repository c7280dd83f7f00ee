"""JSON at the edge: bodies are built as objects and serialised once, here."""

from __future__ import annotations

from typing import Any

import orjson


def to_json(value: Any) -> str:
    """Serialise a body; dataclasses become objects."""
    return orjson.dumps(value).decode()


def from_json(text: str | bytes) -> Any:
    """Parse JSON."""
    return orjson.loads(text)
