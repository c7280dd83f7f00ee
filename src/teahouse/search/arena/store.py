"""A match's folder: its settings, every finished game's record, and a line for each game.

match.json       what is played; another match does not go on here
records/N.txt    the record of game N
games.jsonl      who won game N and what it took, written when the record is safely kept
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from teahouse.core.files import try_lock, write_atomic
from teahouse.search.arena.playing import ArenaError, Played, Spending
from teahouse.search.arena.schedule import Fixture


class Store:
    """Finished games on disk. A kill at any moment loses none of them."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self._lines = folder / "games.jsonl"
        (folder / "records").mkdir(parents=True, exist_ok=True)
        self._check(settings)

    def _check(self, settings: Mapping[str, Any]) -> None:
        """Keep the settings, or refuse to go on with others."""
        path = self.folder / "match.json"
        if not path.exists():
            write_atomic(path, json.dumps(settings, indent=2) + "\n")
            return
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise ArenaError(f"{path} is not the description of a match") from None
        for name, value in settings.items():
            if kept.get(name) != value:
                raise ArenaError(
                    f"{self.folder} holds a match with another {name}: {json.dumps(kept.get(name))}"
                    f" there, {json.dumps(value)} here; choose another folder"
                )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others from writing here at the same time."""
        lock = try_lock(self.folder / "lock")
        if lock is None:
            raise ArenaError(f"Another arena is writing to {self.folder}.")
        try:
            yield
        finally:
            lock.release()

    def games(self, fixtures: Mapping[int, Fixture]) -> dict[int, Played]:
        """The finished games among these, by number; a line torn by a kill is dropped."""
        if not self._lines.exists():
            return {}
        text = self._lines.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            write_atomic(self._lines, whole)
        played = {}
        for at, line in enumerate(whole.splitlines(), 1):
            try:
                game = json.loads(line)
                number = game["game"]
                if number in fixtures:
                    played[number] = _read(game, fixtures[number], self.record(number))
            except (ValueError, KeyError, TypeError, OSError) as error:
                raise ArenaError(f"{self._lines}, line {at}: {error}") from None
        return played

    def record(self, number: int) -> str:
        """The record of a finished game."""
        return self._path(number).read_text(encoding="utf-8")

    def add(self, played: Played) -> None:
        """Keep a finished game."""
        fixture = played.fixture
        write_atomic(self._path(fixture.number), played.record)
        line = {
            "game": fixture.number,
            "bout": fixture.bout,
            "sides": fixture.sides,
            "winner": played.winner,
            "decisions": played.decisions,
            "spent": {entrant: asdict(spent) for entrant, spent in played.spent.items()},
        }
        with open(self._lines, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _path(self, number: int) -> Path:
        return self.folder / "records" / f"{number + 1:06}.txt"


def _read(game: Mapping[str, Any], fixture: Fixture, record: str) -> Played:
    if tuple(game["sides"]) != fixture.sides or game["bout"] != fixture.bout:
        raise ValueError(f"game {fixture.number} was another one")
    spent = {int(entrant): Spending(**values) for entrant, values in game["spent"].items()}
    return Played(fixture, game["winner"], game["decisions"], spent, record)
