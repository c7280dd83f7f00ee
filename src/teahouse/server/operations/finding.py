"""What a diagnosis finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning", "problem"]
CLOCK_SECONDS = 60.0
"""How far clocks may be apart."""


@dataclass(frozen=True)
class Finding:
    """One line of a diagnosis."""

    name: str
    status: Status
    detail: str
    advice: str = ""
    """What to do; empty if all is well."""
