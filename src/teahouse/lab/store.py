"""The folder of a report: its settings, its plan, and the games of each sample as JSON lines.

lab.json         game, options, seed and bots; games of others are refused
plan.json        how many games of each sample are to be played
SAMPLE.jsonl     a line for each finished game, appended when it ends
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from teahouse.core.errors import OptionError
from teahouse.core.files import append_line, complete_lines, try_lock, write_atomic
from teahouse.core.game import Game
from teahouse.lab.figures import sample_slug
from teahouse.lab.games import GameRun, PlayedGame
from teahouse.lab.stored import SETTINGS_FILE, lab_folder
from teahouse.search.levels import profile

FORMAT = 1
"""Raised when stored games can no longer be read, or are played in another way."""


def settings_of(game: Game, seed: int) -> dict[str, Any]:
    """Return what all games of a folder have in common."""
    found = profile(game)
    bots = json.dumps([asdict(found.params), [asdict(one) for one in found.levels[:-1]]])
    return {
        "format": FORMAT,
        "game": game.name,
        "options": game.options,
        "seed": seed,
        "bots": hashlib.sha256(bots.encode()).hexdigest()[:12],
    }


def default_folder(game: Game, seed: int) -> Path:
    """Return the user's folder for the games of a report."""
    key = json.dumps(settings_of(game, seed), sort_keys=True).encode()
    name = f"{game.name}-{hashlib.sha256(key).hexdigest()[:12]}"
    return lab_folder() / name


class LabStore:
    """The games of a report on disk; none that has ended is lost if the process is killed."""

    def __init__(self, folder: Path, game: Game, seed: int) -> None:
        """Raise `OptionError` if the folder has games of other settings."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        settings = json.loads(json.dumps(settings_of(game, seed)))
        stored = self._read(SETTINGS_FILE)
        if stored is None:
            self._write(SETTINGS_FILE, settings)
            return
        for name, value in settings.items():
            if stored.get(name) != value:
                raise OptionError(
                    f"{folder} holds other games: {name} {json.dumps(stored.get(name))},"
                    f" not {json.dumps(value)}; choose another folder."
                )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock; raise `OptionError` if another process holds it."""
        lock = try_lock(self.folder / "lock")
        if lock is None:
            raise OptionError(f"Another process plays games in {self.folder}.")
        try:
            yield
        finally:
            lock.release()

    def games(self, run: GameRun) -> dict[int, PlayedGame]:
        """Return the finished games of a sample by number; drop an incomplete last line."""
        path = self._path(run)
        games = {}
        for number, line in enumerate(complete_lines(path), 1):
            try:
                game = PlayedGame.parse(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise OptionError(
                    f"{path}, line {number} is not a game ({error}); delete the file or choose "
                    "another folder."
                ) from None
            games[game.number] = game
        return games

    def size(self, run: GameRun) -> int:
        """Return how large a sample has to be to contain all its finished games."""
        return max(self.games(run), default=-1) + 1

    def add(self, run: GameRun, game: PlayedGame) -> None:
        """Append a finished game."""
        append_line(self._path(run), json.dumps(game.json(), separators=(",", ":")))

    @property
    def plan(self) -> Mapping[str, Any] | None:
        """The stored plan."""
        return self._read("plan.json")

    @plan.setter
    def plan(self, plan: Mapping[str, Any]) -> None:
        self._write("plan.json", plan)

    def _path(self, run: GameRun) -> Path:
        """Return the file of a sample; games evaluated by another search have another one."""
        chances = f"-{run.simulations}" if run.simulations else ""
        return self.folder / f"{sample_slug(run.kind)}{chances}.jsonl"

    def _read(self, name: str) -> dict[str, Any] | None:
        path = self.folder / name
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:
            raise OptionError(f"{path} is not valid JSON; choose another folder.") from None
        return found

    def _write(self, name: str, value: Mapping[str, Any]) -> None:
        write_atomic(self.folder / name, json.dumps(value, indent=2) + "\n")
