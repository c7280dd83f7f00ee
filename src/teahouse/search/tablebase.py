"""Tablebases: the exact value of every position of a small game, built once and kept on disk.

A game has one for some options if its folder has `tablebase.py` (`docs/adding-a-game.md`).
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Event
from types import ModuleType
from typing import Any, Protocol, cast

import numpy as np

from teahouse.core import jit
from teahouse.core.catalog import games
from teahouse.core.errors import OptionError
from teahouse.core.files import try_lock
from teahouse.core.game import Game
from teahouse.core.jit.folder import cache_folder, create_cache_folder, trusted_owner
from teahouse.core.jit.sweep import mark_used, remove_unused
from teahouse.core.options import format_options, option_texts
from teahouse.core.packages import game_text, optional_module
from teahouse.core.position import Position
from teahouse.search import tablebase_kernels as kernels

log = logging.getLogger("teahouse.search.tablebase")

MODULE = "tablebase"
FOLDER = "tablebases"
FILE = re.compile(r".+-.*-([0-9a-f]{16})\.bin")  # the game, its options, the digest
CHECKSUM_BYTES = 32
CHUNK_BYTES = 1 << 24
BUILD_SLICE = 2_000_000  # positions between calls of `progress`: about a tenth of a second
VERIFY_SLICE = 200_000
INTERPRETED_SLICE = 200
MAX_LINE = 300


class TablebaseModule(Protocol):
    """A game's `tablebase.py`; all but `positions` and `workspace` are kernels.

    It has the names of the game's rules too: `legal`, `play` and `winners`.
    """

    def positions(self, options: Mapping[str, Any]) -> int:
        """Return the number of positions of the tablebase; 0 if there is none."""

    def workspace(self, options: Mapping[str, Any]) -> np.ndarray:
        """Return the record in which `build` keeps its buffers and where it is."""

    def build(self, board: Any, work: Any, table: Any, budget: int) -> int:
        """Fill in about `budget` positions; return their number, 0 at the end."""

    def probe(self, board: Any, table: Any, state: Any) -> int:
        """Return the player who wins a position that is not over."""

    def set_position(self, board: Any, state: Any, index: int) -> None:
        """Set the state to the position of an index."""


def position_count(game: Game) -> int:
    """Return how many positions the tablebase of a game has; 0 if it has none."""
    module = optional_module(game.name, MODULE)
    return cast(TablebaseModule, module).positions(game.all_options) if module else 0


class Tablebase:
    """The complete table of a game; a bit for each position."""

    def __init__(self, game: Game, table: np.ndarray) -> None:
        self.game = game
        self.table = table
        self._boards = jit.as_records(game.layout.board)
        self._module = cast(ModuleType, optional_module(game.name, MODULE))
        self._probe = jit.specialize(kernels.probe, game, self._module)

    def winner(self, position: Position) -> int:
        """Return the player who wins with perfect play."""
        if position.over:
            return position.winners[0]
        states = np.frombuffer(position.state, self.game.layout.state)
        return int(self._probe(self._boards, self.table, jit.as_records(states)))

    def proofs(self, position: Position) -> dict[int, int]:
        """Return, for each legal move, the set of outcomes with the side that wins after it."""
        side = self.game.side
        return {
            position.move(text): 1 << side(self.winner(position.play(text)))
            for text in position.legal
        }

    def line(self, position: Position) -> Iterator[str]:
        """Yield moves of perfect play: of several equally good ones the first."""
        for _ in range(MAX_LINE):
            if position.over:
                return
            winner = self.winner(position)
            best = next(
                text for text in position.legal if self.winner(position.play(text)) == winner
            )
            yield best
            position = position.play(best)

    def verify(self, first: int, count: int, progress: Callable[[int], None] | None = None) -> int:
        """Return at how many positions, from the index `first` on, the table breaks the rules."""
        verify = jit.specialize(kernels.verify, self.game, self._module)
        layout = self.game.layout
        states = jit.zero_records(2, layout.state)
        moves, scratch = jit.move_buffers(2, layout.max_moves)
        size = INTERPRETED_SLICE if jit.interpreted() else VERIFY_SLICE
        wrong = 0
        for begin in range(first, first + count, size):
            part = min(size, first + count - begin)
            wrong += verify(self._boards, self.table, states, moves, scratch, begin, part)
            if progress is not None:
                progress(begin + part - first)
        return wrong


_loaded: dict[tuple[Path, bool], Tablebase] = {}  # by file and whether kernels are interpreted


def find_tablebase(game: Game) -> Tablebase | None:
    """Return the tablebase of a game if it was built on this machine."""
    if not position_count(game):
        return None
    try:
        path = _path(game, cache_folder())
    except OSError:
        return None
    key = path, jit.interpreted()
    if key not in _loaded:
        table = _read(path, position_count(game))
        if table is None:
            return None
        _loaded[key] = Tablebase(game, table)
    return _loaded[key]


def build_tablebase(
    game: Game,
    progress: Callable[[float], None] | None = None,
    cancel: Event | None = None,
) -> Tablebase | None:
    """Build the tablebase of a game and store it; return the stored one if there is one.

    `progress` is called with the part that is done, 0 to 1. Return None if cancelled, or if the
    game has no tablebase.
    """
    if not position_count(game):
        return None
    folder = create_cache_folder() / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    path = _path(game, cache_folder())
    lock = None
    while lock is None:  # another process may be building the same one
        if cancel is not None and cancel.is_set():
            return None
        lock = try_lock(path.with_suffix(".lock"), timeout=0.2)
    try:
        found = find_tablebase(game)
        if found is None:
            found = compute_tablebase(game, progress, cancel)
            if found is not None:
                remove_unused(stored_tablebases()[1])
                _write(path, found.table)
                found = find_tablebase(game) or found
        return found
    finally:
        lock.release()


def compute_tablebase(
    game: Game,
    progress: Callable[[float], None] | None = None,
    cancel: Event | None = None,
) -> Tablebase | None:
    """Return the tablebase of a game, computed in memory; None if cancelled.

    Raise `OptionError` if there is none for the game and its options.
    """
    count = position_count(game)
    if not count:
        options = format_options(game.options)
        raise OptionError(f"There is no tablebase of {game.title} with {options}.")
    module = cast(ModuleType, optional_module(game.name, MODULE))
    table = np.zeros(-(-count // 8), np.uint8)
    works = jit.as_records(cast(TablebaseModule, module).workspace(game.all_options))
    boards = jit.as_records(game.layout.board)
    build = jit.specialize(kernels.build, game, module)
    size = INTERPRETED_SLICE if jit.interpreted() else BUILD_SLICE
    done = 0
    while filled := build(boards, works, table, size):
        done += filled
        if progress is not None:
            progress(done / count)
        if cancel is not None and cancel.is_set():
            return None
    return Tablebase(game, table)


def _path(game: Game, folder: Path) -> Path:
    """Return the file of a tablebase, named by a hash of the code that computes it."""
    options = "-".join(f"{name}={text}" for name, text in option_texts(game.options).items())
    return folder / FOLDER / f"{game.name}-{options}-{_source_digest(game.name)}.bin"


def _source_digest(name: str) -> str:
    sources = [game_text(name, file) or "" for file in ("rules.py", f"{MODULE}.py")]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()[:16]


def stored_tablebases() -> tuple[list[Path], list[Path]]:
    """Return the tablebase files on this machine, and those computed by other code."""
    current: list[Path] = []
    others: list[Path] = []
    for path in sorted((cache_folder() / FOLDER).glob("*.bin")):
        if found := FILE.fullmatch(path.name):
            known = any(
                path.name.startswith(f"{name}-") and _source_digest(name) == found[1]
                for name in games()
            )
            (current if known else others).append(path)
    return current, others


def _write(path: Path, table: np.ndarray) -> None:
    """Write a table and its checksum atomically."""
    with suppress(OSError):  # e.g. a full disk: keep the table in memory only
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(table))
                file.write(table.data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _read(path: Path, count: int) -> np.ndarray | None:
    """Map a table into memory; return None if there is none, or if it is damaged."""
    try:
        found = path.stat()
        if found.st_size != CHECKSUM_BYTES + -(-count // 8) or not trusted_owner(found):
            return None
        content = np.memmap(path, np.uint8, "r")
        mark_used(path, found.st_mtime)
    except OSError:
        return None
    if bytes(content[:CHECKSUM_BYTES]) != _checksum(content[CHECKSUM_BYTES:]):
        log.warning("The tablebase %s is damaged and is not used.", path.name)
        return None
    return np.asarray(content[CHECKSUM_BYTES:])


def _checksum(table: np.ndarray) -> bytes:
    digest = hashlib.sha256()
    for begin in range(0, len(table), CHUNK_BYTES):
        digest.update(table[begin : begin + CHUNK_BYTES].data)
    return digest.digest()
