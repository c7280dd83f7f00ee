"""A folder of training data: a header, and rows in NumPy files, all written atomically.

data.json          game, options, player, seed, versions and the type of a row
rows/000000.npy    the rows of the first `shard_games` games, in order; and so on
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from teahouse.core.catalog import load
from teahouse.core.encoding import observation_spec
from teahouse.core.errors import OptionError
from teahouse.core.files import try_lock, write_atomic
from teahouse.core.game import Game
from teahouse.core.record import Record
from teahouse.rl.data.rows import row_type

FORMAT = 1
HEADER = "data.json"
ROWS = "rows"
REWRITE = "Delete it; the command that wrote it writes it again."


class DataError(OptionError):
    """Training data that cannot be read or written, with the reason."""


def header(game: Game, *, policy: bool = False, **settings: Any) -> dict[str, Any]:
    """Return the content of `data.json`: the type of a game's rows and how they were made."""
    return {
        "format": FORMAT,
        "teahouse": version("teahouse"),
        "numpy": np.__version__,
        "game": game.name,
        "options": dict(game.all_options),
        "encoding": schema_hash(game),
        "policy": policy,
        **settings,
    }


def schema_hash(game: Game) -> str:
    """Return a hash of the state's fields and of what actions and planes mean."""
    spec = observation_spec(game)
    facts = (spec.actions, spec.planes, spec.shape, spec.cell_coordinates, spec.max_parts)
    text = repr((row_type(game).descr, facts))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def common_game(records: Sequence[Record], empty_message: str) -> Game:
    """Return the game of all records; raise `DataError` if they differ or there are none."""
    if not records:
        raise DataError(empty_message)
    for number, record in enumerate(records, 1):
        if not isinstance(record, Record):
            raise DataError(f"Record {number} must be a teahouse.Record, got {record!r}.")
        if record.game != records[0].game:
            raise DataError(
                f"Record {number} is of {record.game!r}, the first of {records[0].game!r}."
            )
    return records[0].game


class DataFolder:
    """The files of a folder; `DataError` names a file that cannot be used, and the reason."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path, wanted: Mapping[str, Any]) -> DataFolder:
        """Write the header, or raise `DataError` if the folder has another one."""
        folder = cls(path)
        (path / ROWS).mkdir(parents=True, exist_ok=True)
        file = path / HEADER
        if not file.exists():
            write_atomic(file, json.dumps(wanted, indent=2) + "\n")
            return folder
        found = folder.header
        for name, value in wanted.items():
            if name in ("teahouse", "numpy"):
                continue  # a later version goes on if it plays and encodes the same games
            if found.get(name) != json.loads(json.dumps(value)):
                raise DataError(
                    f"{path} holds other data: {name} {json.dumps(found.get(name))}, not"
                    f" {json.dumps(value)}; choose another folder."
                )
        return folder

    @cached_property
    def header(self) -> dict[str, Any]:
        """What the rows are, checked against this version of the game."""
        file = self.path / HEADER
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise DataError(
                f"Cannot read {file}: {error.strerror}; `teahouse selfplay` writes such folders."
            ) from None
        except ValueError:
            raise DataError(
                f"{file} is not valid JSON: it is truncated or was not written by teahouse."
            ) from None
        if not isinstance(found, dict) or not isinstance(found.get("format"), int):
            raise DataError(f"{file} is not a header of training data: it has no format number.")
        if found["format"] > FORMAT:
            raise DataError(
                f"{file} has format {found['format']}, written by teahouse"
                f" {found.get('teahouse')}; this version reads up to {FORMAT}: update teahouse."
            )
        return found

    @cached_property
    def game(self) -> Game:
        """The game with its options."""
        found, file = self.header, self.path / HEADER
        try:
            game = load(found["game"], **found["options"])
        except (KeyError, TypeError, OptionError) as error:
            raise DataError(f"{file}: the game cannot be loaded: {error}") from None
        if found.get("encoding") != schema_hash(game):
            raise DataError(
                f"{self.path} was written by teahouse {found.get('teahouse')} with other states,"
                f" actions or planes of {game.name}; write it again, or use that version."
            )
        return game

    @property
    def row_type(self) -> np.dtype:
        """The type of a row."""
        return row_type(self.game, bool(self.header.get("policy")))

    def shards(self) -> list[Path]:
        """Return the files of rows in order."""
        return sorted((self.path / ROWS).glob("[0-9]*.npy"))

    def shard(self, number: int) -> Path:
        """Return the path of a file of rows."""
        return self.path / ROWS / f"{number:06}.npy"

    def rows(self, path: Path) -> np.ndarray:
        """Map a file of rows into memory; raise `DataError` if it is truncated or invalid."""
        try:
            rows = np.lib.format.open_memmap(path, mode="r")
        except (OSError, ValueError, EOFError) as error:
            raise DataError(
                f"{path} is truncated or not a NumPy file: {error}. {REWRITE}"
            ) from None
        if rows.dtype != self.row_type or rows.ndim != 1:
            raise DataError(
                f"{path} does not contain rows of {self.game.name} as described in {HEADER}."
                f" {REWRITE}"
            )
        if path.stat().st_size != rows.offset + rows.nbytes:
            raise DataError(f"{path} has bytes after its rows: it is damaged. {REWRITE}")
        return rows

    def write(self, number: int, rows: np.ndarray) -> None:
        """Write a file of rows atomically: a kill or a full disk leaves no partial file."""
        buffer = io.BytesIO()
        np.save(buffer, rows, allow_pickle=False)
        path = self.shard(number)
        try:
            write_atomic(path, buffer.getvalue())
        except OSError as error:
            raise OSError(
                f"Cannot write {path}: {error.strerror}. The files before it are complete; run the"
                " same command again to resume."
            ) from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock, and remove temporary files of killed processes."""
        lock = try_lock(self.path / "data.lock")
        if lock is None:
            raise DataError(f"Another process is writing to {self.path}.")
        try:
            for left in (self.path / ROWS).glob(".*"):
                left.unlink(missing_ok=True)
            yield
        finally:
            lock.release()
