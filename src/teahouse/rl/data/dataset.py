"""Datasets over files of self-play and over game records, for PyTorch, JAX and NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from teahouse.core.errors import RecordError
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.record import Record
from teahouse.core.symmetries import Symmetries
from teahouse.core.validate import check_int, check_seed
from teahouse.rl.data.rows import (
    encode,
    has_policy,
    records_rows,
    row_error,
    row_type,
    with_policy,
)
from teahouse.rl.data.store import HEADER, REWRITE, DataError, DataFolder, common_game

PREFETCHED = 2
"""Batches that each worker prepares ahead."""


class Samples(NamedTuple):
    """Positions before an action, with their training targets.

    The first axis is the batch axis; a single sample has none. All are NumPy arrays, or what
    `convert` returned for them.
    """

    planes: Any
    """(…, planes, rows, columns), uint8: what the player to move observes."""
    legal: Any
    """(…, actions), bool: the mask of legal actions."""
    action: Any
    """(…), int64: the action taken."""
    policy: Any
    """(…, actions), float32: the search's distribution if stored, else 1 for the action taken."""
    reward: Any
    """(…), float32: of the player to move, at the end of the game."""
    rewards: Any
    """(…, players), float32: of all players."""
    player: Any
    """(…), int64: the player to move."""
    ply: Any
    """(…), int64: of the position in its game."""
    game: Any
    """(…), int64: number of the game in its source."""


class Dataset:
    """Rows of training data: memory-mapped files, or records that are encoded when it is opened.

    A source is a folder of `teahouse selfplay`, a folder of `teahouse arena`, a file of records, or
    records. Several must be of the same game and options. Unfinished records have no rows.

    >>> import teahouse as th
    >>> record = th.Record.new(th.load("orochi", side=2))
    >>> while not record.position.over:
    ...     _ = record.play(record.position.legal[0])
    >>> data = Dataset([record])
    >>> len(data), data[0].planes.shape, data[0].reward.item()
    (7, (4, 3, 3), 1.0)
    """

    def __init__(self, *sources: Path | str | Iterable[Record]) -> None:
        if not sources:
            raise DataError("A dataset needs a source: a folder, a file of records, or records.")
        self._sources = [_as_source(source) for source in sources]
        parts = [part for source in self._sources for part in _open(source)]
        self.game = parts[0][0]
        for game, _ in parts:
            if game != self.game:
                raise DataError(f"All sources must be of one game, got {self.game!r} and {game!r}.")
        self._parts = [rows for _, rows in parts]
        self._row_type = row_type(self.game, any(map(has_policy, self._parts)))
        self._ends = np.cumsum([len(rows) for rows in self._parts])

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, index: int | slice | Sequence[int] | np.ndarray) -> Samples:
        """Return one sample, or those of several indices."""
        if isinstance(index, int | np.integer):
            one = self._samples(np.array([index]))
            return Samples(*(field[0] for field in one))
        if isinstance(index, slice):
            index = np.arange(*index.indices(len(self)))
        return self._samples(np.asarray(index))

    def __getitems__(self, indices: Sequence[int]) -> list[Samples]:
        """Return a list of samples, encoded together: PyTorch's loader calls this for a batch."""
        return [Samples(*fields) for fields in zip(*self[indices], strict=True)]

    def rows(self, index: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return the stored rows, which include the state of each position."""
        return self._rows(np.asarray(index))

    def position(self, index: int) -> Position:
        """Return the position of a sample, without the first parts of a compound move."""
        row = self._rows(np.array([index]))[0]
        return Position(self.game, row["state"].tobytes(), int(row["ply"]))

    def batches(
        self,
        size: int,
        *,
        seed: int | None = 0,
        epochs: int | None = 1,
        drop_last: bool = False,
        augment: bool = False,
        workers: int = 1,
        convert: Callable[[np.ndarray], Any] | None = None,
    ) -> Iterator[Samples]:
        """Yield batches; each epoch has every sample once, in an order drawn by the seed.

        Without a seed the order is that of the files; `epochs=None` never ends. `augment` applies
        a random symmetry to each sample. `workers` threads prepare batches ahead, without effect on
        their order. `convert` is applied to every array, such as `jax.numpy.asarray`.
        """
        check_int("size", size, 1)
        check_int("workers", workers, 1, 256)
        seed = None if seed is None else check_seed(seed)
        epochs = None if epochs is None else check_int("epochs", epochs, 1)

        def prepare(number: int, indices: np.ndarray) -> Samples:
            samples = self[indices]
            if augment:
                samples = self._augmented(samples, np.random.default_rng([seed or 0, 1, number]))
            return Samples(*map(convert, samples)) if convert else samples

        with ThreadPoolExecutor(workers, "teahouse-data") as pool:
            waiting: list[Future[Samples]] = []
            try:
                for number, indices in enumerate(self._order(size, seed, epochs, drop_last)):
                    waiting.append(pool.submit(prepare, number, indices))
                    if len(waiting) > PREFETCHED * workers:
                        yield waiting.pop(0).result()
                while waiting:
                    yield waiting.pop(0).result()
            finally:
                for task in waiting:
                    task.cancel()

    def _order(
        self, size: int, seed: int | None, epochs: int | None, drop_last: bool
    ) -> Iterator[np.ndarray]:
        """Yield the indices of each batch."""
        epoch, count = 0, len(self)
        if count == 0 or (drop_last and count < size):
            return
        while epochs is None or epoch < epochs:
            order = np.arange(count)
            if seed is not None:
                np.random.default_rng([seed, 0, epoch]).shuffle(order)
            for first in range(0, count - size + 1 if drop_last else count, size):
                yield order[first : first + size]
            epoch += 1

    def _rows(self, indices: np.ndarray) -> np.ndarray:
        count = len(self)
        if indices.ndim != 1 or (len(indices) and indices.dtype.kind not in "iu"):
            raise IndexError(f"indices must be integers, got {indices.dtype} {indices.shape}.")
        if len(indices) and not (-count <= indices.min() and indices.max() < count):
            raise IndexError(f"indices must be from {-count} to {count - 1}.")
        indices = indices.astype(np.int64) % max(1, count)
        which = np.searchsorted(self._ends, indices, side="right")
        rows = np.zeros(len(indices), self._row_type)
        for part in np.unique(which):
            chosen = which == part
            first = self._ends[part] - len(self._parts[part])
            found = self._parts[part][indices[chosen] - first]
            error = row_error(self.game, found)
            if error is not None:
                raise self._error(int(indices[chosen][error[0]]), error[1])
            rows[chosen] = with_policy(found, self._row_type) if has_policy(rows) else found
        return rows

    def _error(self, index: int, reason: str) -> DataError:
        """Return what is wrong with a row, with its place: its index may be negative."""
        index %= len(self)
        part = int(np.searchsorted(self._ends, index, side="right"))
        row = index - int(self._ends[part]) + len(self._parts[part])
        file = getattr(self._parts[part], "filename", None)
        if file is None:
            return DataError(f"Row {row} of the records {reason}.")
        return DataError(f"Row {row} of {file} {reason}. {REWRITE}")

    def _samples(self, indices: np.ndarray) -> Samples:
        rows = self._rows(indices)
        planes, legal = encode(self.game, rows)
        every = np.arange(len(rows))
        action = rows["action"].astype(np.int64)
        if not legal[every, action].all():
            wrong = int(legal[every, action].argmin())
            raise self._error(int(indices[wrong]), f"has the illegal action {action[wrong]}")
        if has_policy(rows):
            policy = rows["policy"].astype(np.float32)
        else:
            policy = np.zeros(legal.shape, np.float32)
            policy[every, action] = 1.0
        player = rows["player"].astype(np.int64)
        rewards = np.ascontiguousarray(rows["rewards"])
        return Samples(
            planes,
            legal,
            action,
            policy,
            rewards[every, player],
            rewards,
            player,
            rows["ply"].astype(np.int64),
            rows["game"].astype(np.int64),
        )

    def _augmented(self, samples: Samples, rng: np.random.Generator) -> Samples:
        tables = Symmetries.of(self.game)
        drawn = rng.integers(len(tables.names), size=len(samples.action))
        planes = samples.planes.reshape(*samples.planes.shape[:2], -1)
        planes = np.take_along_axis(planes, tables.plane_source[drawn][:, None, :], 2)
        actions = tables.action_source[drawn]
        return samples._replace(
            planes=planes.reshape(samples.planes.shape),
            legal=np.take_along_axis(samples.legal, actions, 1),
            action=tables.action_image[drawn, samples.action].astype(np.int64),
            policy=np.take_along_axis(samples.policy, actions, 1),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (Dataset, tuple(self._sources))

    def __repr__(self) -> str:
        return f"<Dataset of {len(self)} samples of {self.game!r}>"


def _as_source(source: Path | str | Iterable[Record]) -> Path | str | list[Record]:
    if isinstance(source, str | Path):
        return source
    if not isinstance(source, Iterable):
        raise DataError(
            f"A source must be a folder, a file of records, or a list of records, got {source!r}."
        )
    return list(source)


def _open(source: Path | str | list[Record]) -> Iterator[tuple[Game, np.ndarray]]:
    """Yield the rows of a source, with their game."""
    if isinstance(source, list):
        yield _from_records(source, "There are no records.")
        return
    path = Path(source)
    if path.name == "games.jsonl":  # of the arena
        path = path.parent
    if (path / HEADER).exists():
        folder = DataFolder(path)
        shards = folder.shards()
        if not shards:
            raise DataError(f"{path} has no rows yet; `teahouse selfplay` goes on there.")
        for shard in shards:
            yield folder.game, folder.rows(shard)
        return
    if (path / "records").is_dir():
        path = path / "records"
    files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
    records = [record for file in files for record in _read(file)]
    yield _from_records(records, f"{path} has no records and no {HEADER}.")


def _read(file: Path) -> list[Record]:
    try:
        return Record.parse_all(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"Cannot read {file} as records: {error.strerror}.") from None
    except UnicodeError:
        raise DataError(f"Cannot read {file} as records: it is not a text file.") from None
    except RecordError as error:
        raise DataError(f"{file}, {error}") from None


def _from_records(records: list[Record], empty_message: str) -> tuple[Game, np.ndarray]:
    game = common_game(records, empty_message)
    return game, records_rows(records, game)
