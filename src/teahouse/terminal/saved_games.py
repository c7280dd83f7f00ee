"""Games kept on disk: one file for each, written whole after every move, played by one process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

import teahouse as th
from teahouse.core.game import game_info
from teahouse.core.result import UNFINISHED
from teahouse.core.record_text import Tokens

OWN_TAGS = ("Game", "Options", "Seed", "Start", "Date", "Result")


def folder() -> Path:
    """Where games are kept; TEAHOUSE_DATA_DIR names another place."""
    chosen = os.environ.get("TEAHOUSE_DATA_DIR")
    base = Path(chosen) if chosen else platformdirs.user_data_path("teahouse")
    return base / "games"


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there as a whole, or as it was before, whatever happens."""
    path = path.resolve()
    part = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if hasattr(os, "O_DIRECTORY"):  # the new name must outlast a power cut too
        directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


class Kept:
    """A game's place on disk, held by this process alone until it is let go."""

    def __init__(self, path: Path | None = None) -> None:
        """A new place, taken with the first writing, or that of a game kept before."""
        self.path = path
        self._lock: FileLock | None = None
        if path is not None:
            self._hold(path)

    def read(self) -> th.Record:
        """The record as it was kept last."""
        assert self.path is not None
        return read(self.path)

    def write(self, record: th.Record) -> None:
        """Keep the record as it is now; an OSError says why that cannot be done."""
        place = folder()
        try:
            if self.path is None:
                place.mkdir(parents=True, exist_ok=True)
                time = f"{datetime.now():%Y%m%d-%H%M%S}"
                path = place / f"{record.game.name}-{time}-{os.urandom(3).hex()}.txt"
                self._hold(path)
                self.path = path
            write_whole(self.path, record.text())
        except OSError as error:
            reason = error.strerror or error
            raise OSError(
                f"the game cannot be kept in {place} ({reason}); TEAHOUSE_DATA_DIR names another"
            ) from None

    def let_go(self) -> None:
        """Let other processes take the game up."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def remove(self) -> None:
        """Forget the game."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
            _lock_path(self.path).unlink(missing_ok=True)
            self.path = None
        self.let_go()

    def _hold(self, path: Path) -> None:
        lock = FileLock(_lock_path(path))
        try:
            lock.acquire(timeout=1)  # longer than `held` takes to look
        except Timeout:
            raise th.OptionError("that game is being played elsewhere") from None
        self._lock = lock


def _lock_path(path: Path) -> Path:
    return path.with_suffix(".lock")


@dataclass(frozen=True)
class Entry:
    """What the shelf shows of a kept game."""

    path: Path
    game: str
    names: dict[str, str]
    moves: int
    result: str
    changed: datetime

    @property
    def unfinished(self) -> bool:
        return self.result == UNFINISHED

    @property
    def text(self) -> str:
        """The game in one line."""
        seats = ", ".join(f"{seat} {name}" for seat, name in self.names.items())
        ending = "" if self.unfinished else f", result {self.result}"
        title = game_info(self.game).title
        moves = "1 move" if self.moves == 1 else f"{self.moves} moves"
        return f"{title}: {seats}; {self.changed:%d %b %Y %H:%M}, {moves}{ending}"


def entries() -> list[Entry]:
    """Every kept game that can be told from its tags, the one last played first."""
    return sorted(_entries(), key=lambda entry: entry.changed, reverse=True)


def unfinished(game: str | None = None) -> list[Entry]:
    """Kept games that can be gone on with, of one game or of all, and that nobody plays now."""
    return [
        entry
        for entry in entries()
        if entry.unfinished and game in (None, entry.game) and not held(entry.path)
    ]


def _entries() -> Iterator[Entry]:
    for path in folder().glob("*.txt"):
        try:
            changed = datetime.fromtimestamp(path.stat().st_mtime)
            tokens = Tokens(path.read_text(encoding="utf-8"))
            tags, _ = tokens.tags()
            result = tags.get("Result", UNFINISHED)
            moves = sum(kind == "word" for _, kind, _ in tokens.moves((result,)))
        except (OSError, ValueError):  # gone since, or not a record: left alone
            continue
        if tags.get("Game") in th.games():
            names = {tag: value for tag, value in tags.items() if tag not in OWN_TAGS}
            yield Entry(path, tags["Game"], names, moves, result, changed)


def held(path: Path) -> bool:
    """Whether some process plays this game now."""
    if not _lock_path(path).exists():
        return False
    try:
        with FileLock(_lock_path(path)).acquire(timeout=0):
            return False
    except Timeout:
        return True


def read(path: Path) -> th.Record:
    """The record in a file."""
    return th.Record.parse(path.read_text(encoding="utf-8"))
