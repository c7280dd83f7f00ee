"""Entering a move by clicking: each click narrows the legal click paths until one is complete.

This is the specification; `server/static/js/pointing.js` implements the same. Both run the test
vectors of `tests/vectors/pointing.json`.

- A click path is a sequence of names of spots and choices that enters a move. No path of a position
  is a prefix of a path of another move.
- The targets are the next names of all paths that begin with the names chosen so far.
- A click on a spot counts for the first target among the spot and the larger spots that contain it.
- After a click, names without an alternative are chosen automatically, except the last one of a
  path: the player always completes a move.
- A click on a chosen name that is no target undoes the clicks back to before that name was chosen.
- Any other click clears the selection, and starts a new one if a path begins there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from teahouse.core.position import Position

Path = tuple[str, ...]


class Pointing:
    """The state of a move being entered."""

    def __init__(
        self, legal: Mapping[str, Iterable[Sequence[str]]], within: Mapping[str, str] | None = None
    ) -> None:
        self._moves: dict[Path, str] = {
            tuple(path): move for move, paths in legal.items() for path in paths
        }
        self._within = within or {}
        """For a spot, the larger spot that contains it."""
        self._chosen: list[str] = []
        self._clicks: list[int] = []
        """The number of names chosen before each click."""

    @classmethod
    def of(cls, position: Position) -> Pointing:
        """Return the start of a move in a position."""
        legal = {move: position.click_paths(move) for move in position.legal}
        return cls(legal, {spot.name: spot.within for spot in position.scene.spots})

    @property
    def chosen(self) -> Path:
        """The names chosen so far, by clicks and automatically."""
        return tuple(self._chosen)

    @property
    def moves(self) -> list[str]:
        """The moves that are still possible."""
        return list(dict.fromkeys(self._moves[path] for path in self._open(self.chosen)))

    @property
    def targets(self) -> set[str]:
        """The names that continue a path; empty once a move is complete."""
        return self._next(self.chosen)

    @property
    def starts(self) -> set[str]:
        """The names that a move can begin with; a click on one starts over."""
        return self._next(())

    def target_of(self, name: str) -> str | None:
        """Return the target that a click on a spot or choice counts for."""
        targets = self.targets
        return next((one for one in self._enclosing(name) if one in targets), None)

    def preview(self, name: str) -> str | None:
        """Return the move that a click would complete."""
        target = self.target_of(name)
        return None if target is None else self._moves.get((*self.chosen, target))

    def click(self, name: str) -> str | None:
        """Click on a spot or choice; return the move if that completes one."""
        target = self.target_of(name)
        if target is not None:
            return self._choose(target)
        names = self._enclosing(name)
        selected = next((one for one in names if one in self._chosen), None)
        if selected is not None:
            place = self._chosen.index(selected)
            while len(self._chosen) > place:
                self.back()
            return None
        self.clear()
        target = self.target_of(name)
        return None if target is None else self._choose(target)

    def back(self) -> bool:
        """Undo the last click; return whether there was one."""
        if not self._clicks:
            return False
        del self._chosen[self._clicks.pop() :]
        return True

    def clear(self) -> bool:
        """Undo all clicks; return whether there were any."""
        cleared = bool(self._clicks)
        self._chosen.clear()
        self._clicks.clear()
        return cleared

    def _choose(self, target: str) -> str | None:
        self._clicks.append(len(self._chosen))
        self._chosen.append(target)
        while len(forced := self.targets) == 1 and not self._completes():
            self._chosen += forced
        return self._moves.get(self.chosen)

    def _completes(self) -> bool:
        """Return whether one more name may complete a move, or none is needed."""
        return any(len(path) <= len(self._chosen) + 1 for path in self._open(self.chosen))

    def _open(self, chosen: Path) -> list[Path]:
        return [path for path in self._moves if path[: len(chosen)] == chosen]

    def _next(self, chosen: Path) -> set[str]:
        return {path[len(chosen)] for path in self._open(chosen) if len(path) > len(chosen)}

    def _enclosing(self, name: str) -> list[str]:
        """Return a name and the larger spots that contain it, from the inside out."""
        names = []
        while name and name not in names:
            names.append(name)
            name = self._within.get(name, "")
        return names
