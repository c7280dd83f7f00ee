"""A match's folder: its settings, the record of every finished game, and a line for each game.

match.json       the settings; a match with different ones is refused
records/N.txt    the record of game N
games.jsonl      seating, winner and costs of each game, appended once its record is written

The keys are those of version 0.1.0, so that its matches can be continued: `entrants` are the
players, `bout` is the round, `sides` the seating, `decisions` the plies and `spent` the costs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from teahouse.core.files import append_line, complete_lines, try_lock, write_atomic
from teahouse.search.arena.runner import GameResult, MatchFolderError, MoveCost
from teahouse.search.arena.schedule import Pairing


class MatchStore:
    """The finished games of a match on disk; none is lost if the process is killed."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self._lines = folder / "games.jsonl"
        (folder / "records").mkdir(parents=True, exist_ok=True)
        self._check(settings)

    def _check(self, settings: Mapping[str, Any]) -> None:
        """Write the settings, or raise `MatchFolderError` if the folder has others."""
        path = self.folder / "match.json"
        if not path.exists():
            write_atomic(path, json.dumps(settings, indent=2) + "\n")
            return
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise MatchFolderError(f"{path} is not valid JSON; choose another folder.") from None
        for name, value in settings.items():
            if stored.get(name) != value:
                raise MatchFolderError(
                    f"{self.folder} belongs to another match: {name} {json.dumps(stored.get(name))}"
                    f", not {json.dumps(value)}; choose another folder."
                )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock; raise `MatchFolderError` if another process holds it."""
        lock = try_lock(self.folder / "lock")
        if lock is None:
            raise MatchFolderError(f"Another arena is writing to {self.folder}.")
        try:
            yield
        finally:
            lock.release()

    def results(self, pairings: Mapping[int, Pairing]) -> dict[int, GameResult]:
        """Return the finished games among these by number; drop an incomplete last line."""
        results = {}
        for number, line in enumerate(complete_lines(self._lines), 1):
            try:
                data = json.loads(line)
                game = data["game"]
                if game in pairings:
                    results[game] = _parse(data, pairings[game], self.record(game))
            except (ValueError, KeyError, TypeError, OSError) as error:
                raise MatchFolderError(f"{self._lines}, line {number}: {error}") from None
        return results

    def record(self, number: int) -> str:
        """Return the record of a finished game."""
        return self._record_path(number).read_text(encoding="utf-8")

    def add(self, result: GameResult) -> None:
        """Write a finished game to disk; `OSError` says what is kept if that fails."""
        pairing = result.pairing
        line = {
            "game": pairing.number,
            "bout": pairing.round,
            "sides": pairing.seating,
            "winner": result.winner,
            "decisions": result.plies,
            "spent": {player: asdict(cost) for player, cost in result.costs.items()},
            **({"failures": result.failures} if result.failures else {}),
        }
        try:
            write_atomic(self._record_path(pairing.number), result.record)
            append_line(self._lines, json.dumps(line))
        except OSError as error:
            raise OSError(
                f"Cannot write {error.filename}: {error.strerror}. The games before it in"
                f" {self.folder} are kept; the same command goes on."
            ) from error

    def _record_path(self, number: int) -> Path:
        return self.folder / "records" / f"{number + 1:06}.txt"


def _parse(data: Mapping[str, Any], pairing: Pairing, record: str) -> GameResult:
    if tuple(data["sides"]) != pairing.seating or data["bout"] != pairing.round:
        raise ValueError(f"game {pairing.number} has another round or seating in the schedule")
    costs = {int(player): MoveCost(**cost) for player, cost in data["spent"].items()}
    failures = tuple((int(player), str(text)) for player, text in data.get("failures", ()))
    return GameResult(pairing, data["winner"], data["decisions"], costs, record, failures)
