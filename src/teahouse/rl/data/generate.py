"""Write training data: games of a player against itself, or records."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Event
from typing import Any, Protocol

import numpy as np

from teahouse.core.executor import Executor
from teahouse.core.game import Game
from teahouse.core.random import game_seed
from teahouse.core.record import Record
from teahouse.core.validate import check_int, check_seed
from teahouse.rl.batch import Batch
from teahouse.rl.data.rows import records_rows, replayed_rows
from teahouse.rl.data.store import DataError, DataFolder, common_game, header
from teahouse.search.arena.match import OPENING_PLIES
from teahouse.search.arena.selfplay import play_against_itself

SHARD_GAMES = 1024
RANDOM = "random"

Progress = Callable[[int, int], None]


class Source(Protocol):
    """Where the games of a folder come from."""

    header: dict[str, Any]
    shard_games: int

    def rows(self, shard: int, games: int) -> np.ndarray:
        """Return the rows of the first games of a shard."""


def write_selfplay(
    game: Game,
    player: str,
    games: int,
    folder: Path | str,
    *,
    seed: int = 0,
    opening: int = OPENING_PLIES,
    device: str = "cpu",
    threads: int = 1,
    shard_games: int = SHARD_GAMES,
    progress: Progress | None = None,
    cancel: Event | None = None,
    executor: Executor | None = None,
) -> DataFolder:
    """Play until the folder has `games` games, and write a row for each action.

    `random` plays a batch of `shard_games` games on a device. Every other player is one of the
    arena: its games are stored as records first, one by one. The same call, also with more games,
    goes on where an earlier one stopped, and the files depend only on the arguments before
    `device` and on `shard_games`, as far as the player does.
    """
    check_int("games", games, 1)
    if player == RANDOM:
        drawn = RandomGames(game, seed, device, threads, shard_games)
        return write_shards(drawn, games, folder, progress, cancel)
    if device != "cpu":
        raise DataError(
            f"Player {player!r} plays on the CPU; device {device!r} is for random and checkpoint."
        )
    results = play_against_itself(
        game,
        player,
        games,
        folder,
        seed=seed,
        opening=opening,
        progress=progress and (lambda found, wanted: progress(len(found.games), wanted)),
        cancel=cancel,
        executor=executor,
    )
    texts = [result.record for result in results.games]
    source = RecordedGames(
        game,
        lambda first, end: (Record.parse(text) for text in texts[first:end]),
        {"player": player, "seed": check_seed(seed), "opening": opening},
        shard_games,
    )
    numbers = [result.pairing.number for result in results.games]
    complete = next((at for at, number in enumerate(numbers) if at != number), len(numbers))
    return write_shards(source, complete, folder, None, None)


def write_records(records: Iterable[Record], folder: Path | str) -> DataFolder:
    """Write the rows of finished records of one game as training data.

    Raise `DataError` if the folder has the rows of other records.
    """
    given = list(records)
    game = common_game(given, "There are no records.")
    texts = "".join(record.text() for record in given)
    settings = {"player": "records", "records": hashlib.sha256(texts.encode()).hexdigest()[:16]}
    source = RecordedGames(game, lambda first, end: iter(given[first:end]), settings, SHARD_GAMES)
    return write_shards(source, len(given), folder, None, None)


class RandomGames:
    """Uniformly random games, played in a batch on one device.

    A shard has a seed of its own, so that it can be played without those before it.
    """

    def __init__(self, game: Game, seed: int, device: str, threads: int, shard_games: int) -> None:
        self.game = game
        self.shard_games = check_int("shard_games", shard_games, 1, 1 << 20)
        self._seed = check_seed(seed)
        self._batch = Batch(
            game, shard_games, device=device, threads=threads, auto_reset=False, validate=False
        )
        self.header = header(
            game, player=RANDOM, seed=self._seed, opening=0, shard_games=shard_games
        )

    def rows(self, shard: int, games: int) -> np.ndarray:
        """Play the first games of a shard."""
        batch, seed = self._batch, game_seed(self._seed, shard)
        batch.reset(seed=seed)
        steps = []
        while True:
            drawn = batch.sample()
            actions = np.asarray(drawn.numpy() if hasattr(drawn, "numpy") else drawn, np.int32)
            if (actions[:games] < 0).all():
                break
            steps.append(actions[:games].copy())
            batch.step(drawn)
        return replayed_rows(self.game, seed, np.array(steps), shard * self.shard_games)


class RecordedGames:
    """Games that are records already."""

    def __init__(
        self,
        game: Game,
        records: Callable[[int, int], Iterator[Record]],
        settings: dict[str, Any],
        shard_games: int,
    ) -> None:
        self.game = game
        self.shard_games = check_int("shard_games", shard_games, 1, 1 << 20)
        self._records = records
        self.header = header(game, **settings, shard_games=shard_games)

    def rows(self, shard: int, games: int) -> np.ndarray:
        """Return the rows of the first games of a shard."""
        first = shard * self.shard_games
        return records_rows(self._records(first, first + games), self.game, first)


def write_shards(
    source: Source,
    games: int,
    folder: Path | str,
    progress: Progress | None,
    cancel: Event | None,
) -> DataFolder:
    """Write the missing shards of a source; the last one is written again if it had fewer games."""
    data = DataFolder.create(Path(folder), source.header)
    size = source.shard_games
    with data.locked():
        for number in range(-(-games // size)):
            wanted = min(size, games - number * size)
            if progress:
                progress(number * size, games)
            if cancel is not None and cancel.is_set():
                break
            if _games_in(data, number) < wanted:
                data.write(number, source.rows(number, wanted))
        else:
            if progress:
                progress(games, games)
    return data


def summarize(data: DataFolder) -> dict[str, Any]:
    """Return how many games and rows a folder has, what share each side won, and mean plies."""
    game = data.game
    games = rows = draws = plies = 0
    wins = np.zeros(len(game.teams), np.int64)
    for path in data.shards():
        shard = data.rows(path)
        lasts = np.flatnonzero(np.diff(shard["game"], append=-1))
        rewards = shard["rewards"][lasts][:, [team[0] for team in game.teams]]
        wins += (rewards > 0).sum(axis=0)
        draws += int((rewards == 0).all(axis=1).sum())
        plies += int(shard["ply"][lasts].sum()) + len(lasts)
        games += len(lasts)
        rows += len(shard)
    sides = ["+".join(game.players[seat] for seat in team) for team in game.teams]
    total = max(1, games)
    return {
        "game": game.name,
        "options": game.options,
        "player": data.header["player"],
        "games": games,
        "rows": rows,
        "wins": {side: int(won) / total for side, won in zip(sides, wins, strict=True)},
        "draws": draws / total,
        "plies": plies / total,
    }


def _games_in(data: DataFolder, number: int) -> int:
    """Return how many games a shard has; 0 if it is missing."""
    path = data.shard(number)
    if not path.exists():
        return 0
    rows = data.rows(path)
    return int(rows[-1]["game"]) + 1 - number * int(data.header["shard_games"]) if len(rows) else 0
