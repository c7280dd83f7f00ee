"""Saved games: one record file each, written atomically and locked while played."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from filelock import FileLock

import teahouse as th
from teahouse.core.files import data_folder, try_lock, write_atomic
from teahouse.core.game import game_info
from teahouse.core.record_text import Tokens
from teahouse.core.result import DRAW, UNFINISHED, win_clause

TERMINATION = "Termination"
"""The tag that says why a game ended other than by its rules."""
OWN_TAGS = ("Game", "Options", "Seed", "Start", "Date", "Result", TERMINATION)
LOCK_TIMEOUT = 1.0  # seconds; longer than `is_locked` holds the lock


def folder() -> Path:
    """Return the folder of saved games."""
    return data_folder() / "games"


class SavedGame:
    """A game's file, locked by this process until it is closed."""

    def __init__(self, path: Path | None = None) -> None:
        """Lock an existing file, or choose a new one at the first write."""
        self.path = path
        self._lock: FileLock | None = None
        if path is not None:
            self._acquire(path)

    def read(self) -> th.Record:
        """Return the saved record."""
        assert self.path is not None
        return read_record(self.path)

    def write(self, record: th.Record) -> None:
        """Save the record; raise `OSError` with the reason if that fails."""
        games = folder()
        try:
            if self.path is None:
                games.mkdir(parents=True, exist_ok=True)
                time = f"{datetime.now():%Y%m%d-%H%M%S}"
                path = games / f"{record.game.name}-{time}-{os.urandom(3).hex()}.txt"
                self._acquire(path)
                self.path = path
            write_atomic(self.path, record.text())
        except OSError as error:
            reason = error.strerror or error
            raise OSError(
                f"Cannot save the game in {games} ({reason}). "
                "TEAHOUSE_DATA_DIR sets another folder."
            ) from None

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def delete(self) -> None:
        """Delete the file."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
            _lock_path(self.path).unlink(missing_ok=True)
            self.path = None
        self.close()

    def _acquire(self, path: Path) -> None:
        self._lock = try_lock(_lock_path(path), LOCK_TIMEOUT)
        if self._lock is None:
            raise th.OptionError("This game is open in another window.")


def _lock_path(path: Path) -> Path:
    return path.with_suffix(".lock")


@dataclass(frozen=True)
class SavedGameInfo:
    """A saved game in a list, from its tags and moves without replaying them."""

    path: Path
    game: str
    names: dict[str, str]
    moves: int
    result: str
    modified: datetime
    termination: str = ""

    @property
    def unfinished(self) -> bool:
        return self.result == UNFINISHED

    @property
    def text(self) -> str:
        """The game in one line."""
        seats = ", ".join(f"{seat}: {name}" for seat, name in self.names.items())
        ending = "" if self.unfinished else f", {self.result_text}"
        title = game_info(self.game).title
        moves = "1 move" if self.moves == 1 else f"{self.moves} moves"
        return f"{title} ({seats}), {self.modified:%d %b %Y %H:%M}, {moves}{ending}"

    @property
    def result_text(self) -> str:
        """The result of a finished game in words, with the reason if it is not by the rules."""
        result = DRAW if self.result == DRAW else win_clause(self.result.split("+"))
        return f"{result} ({self.termination.rstrip('.')})" if self.termination else result


def saved_games() -> list[SavedGameInfo]:
    """Return every saved game that can be read, the last modified first."""
    return sorted(_read_all(), key=lambda info: info.modified, reverse=True)


def unfinished_games(game: str | None = None) -> list[SavedGameInfo]:
    """Return saved games that can be continued: not over, and not open elsewhere."""
    return [
        info
        for info in saved_games()
        if info.unfinished and game in (None, info.game) and not is_locked(info.path)
    ]


def _read_all() -> Iterator[SavedGameInfo]:
    for path in folder().glob("*.txt"):
        try:
            modified = datetime.fromtimestamp(path.stat().st_mtime)
            tokens = Tokens(path.read_text(encoding="utf-8"))
            tags, _ = tokens.tags()
            result = tags.get("Result", UNFINISHED)
            moves = sum(kind == "word" for _, kind, _ in tokens.moves((result,)))
            if tokens.error is not None:
                raise tokens.error
        except (OSError, ValueError):  # deleted meanwhile, or not a record
            continue
        if tags.get("Game") in th.games():
            names = {tag: value for tag, value in tags.items() if tag not in OWN_TAGS}
            why = tags.get(TERMINATION, "")
            yield SavedGameInfo(path, tags["Game"], names, moves, result, modified, why)


def is_locked(path: Path) -> bool:
    """Return whether a process plays this game now."""
    if not _lock_path(path).exists():
        return False
    lock = try_lock(_lock_path(path))
    if lock is None:
        return True
    lock.release()
    return False


def read_record(path: Path) -> th.Record:
    """Return the record in a file."""
    return th.Record.parse(path.read_text(encoding="utf-8"))
