"""A move made by pointing: each spot pointed at leaves fewer legal moves, until one is left."""

from __future__ import annotations

from functools import cached_property

import teahouse as th

Way = tuple[str, ...]


class Pointing:
    """The legal moves of a position that go with the spots pointed at so far."""

    def __init__(self, position: th.Position) -> None:
        self.position = position
        self.chosen: Way = ()

    @cached_property
    def _click_paths(self) -> dict[Way, str]:
        """Every way to point at spots that makes a move."""
        return {
            tuple(way): move
            for move in self.position.legal
            for way in self.position.click_paths(move)
        }

    @property
    def moves(self) -> list[str]:
        """The moves that can still be meant."""
        return list(dict.fromkeys(move for _, move in self._open()))

    @property
    def targets(self) -> set[str]:
        """The spots and choices that can be pointed at next."""
        return {way[len(self.chosen)] for way, _ in self._open()}

    def meant(self, name: str) -> str | None:
        """The target that pointing at a spot stands for: itself, or a larger spot it lies on."""
        within = {spot.name: spot.within for spot in self.position.scene.spots}
        while name and name not in self.targets:
            name = within.get(name, "")
        return name or None

    def made(self, name: str) -> str | None:
        """The move that pointing at a target would make, if any."""
        return self._click_paths.get((*self.chosen, name))

    def point(self, name: str) -> str | None:
        """Point at a target; the move, if this makes one."""
        self.chosen += (name,)
        return self._click_paths.get(self.chosen)

    def drop(self) -> bool:
        """Forget the spots pointed at; whether there were any."""
        dropped = bool(self.chosen)
        self.chosen = ()
        return dropped

    def _open(self) -> list[tuple[Way, str]]:
        return [
            (way, move)
            for way, move in self._click_paths.items()
            if way[: len(self.chosen)] == self.chosen
        ]
