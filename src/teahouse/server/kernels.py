"""Kernels of the games' searches, compiled in the background."""

from __future__ import annotations

from teahouse.core.game import Game


class KernelPreparation:
    """Which kernels are ready."""

    def __init__(self, max_per_address: int) -> None:
        self._max_per_address = max_per_address

    @property
    def done(self) -> bool:
        """Whether nothing is being compiled."""
        return True

    def start(self) -> None:
        """Start to compile."""

    async def close(self) -> None:
        """Stop compiling."""

    def ready(self, game: Game, level: int, address: str) -> bool:
        """Return whether the kernels of a level are compiled."""
        return True

    def fraction(self, game: Game) -> float | None:
        """Return how much of a game is ready, or None if all of it is."""
        return None
