"""The moves of a session."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A move in the history, with its description in the past tense."""

    move: str
    player: int
    description: str


@dataclass(frozen=True, slots=True)
class MoveOutcome:
    """The precomputed outcome of a move."""

    description: str
    state: bytes
    """After the move."""
