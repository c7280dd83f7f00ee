"""Trained networks as players of a study: those of a run, and those of the package."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import teahouse as th
from teahouse.core.files import write_atomic
from teahouse.core.packages import builtin_games, game_file
from teahouse.search.arena import Player, parse_player
from teahouse.search.arena.players import DEFAULT_MEMORY, SearchPlayer
from teahouse.search.levels import profile
from teahouse.search.networks import FOLDER, SUFFIX, Network, load_network, network_game


@dataclass(frozen=True)
class Trained:
    """A network, stored in the study's folder under the beginning of its hash."""

    game: th.Game
    key: str
    minutes: float

    def player(self, simulations: int) -> str:
        """Return it as a player with this many simulations per move."""
        return f"network@{self.key}:simulations={simulations}"


@dataclass(frozen=True)
class StoredPlayers:
    """Makes players; networks come from the study's folder, so that it can be moved."""

    folder: Path

    def __call__(self, game: th.Game, text: str) -> Player:
        """Return the player that a text stands for."""
        name, _, settings = text.partition(":")
        if "@" not in name:
            return parse_player(game, text)
        network = _stored_network(game, self.folder / f"{name.partition('@')[2]}{SUFFIX}")
        profiled = profile(game)
        budget = int(settings.partition("=")[2])
        return SearchPlayer(
            *(profiled.params, None, budget, 1, DEFAULT_MEMORY, False, network, profiled.puct)
        )


@cache
def _stored_network(game: th.Game, path: Path) -> Network:
    return load_network(game, path)


def store(path: Path, folder: Path) -> Trained:
    """Copy a network into the study's folder."""
    game = network_game(path)
    network = load_network(game, path)
    key = network.hash[:12]
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / f"{key}{SUFFIX}").exists():
        write_atomic(folder / f"{key}{SUFFIX}", path.read_bytes())
    return Trained(game, key, float(network.metadata.get("minutes", 0)))


def networks_of_run(run: Path, folder: Path) -> tuple[Trained, ...]:
    """Return the networks of a run by their minutes; export snapshots if that was not done."""
    if any((run / "snapshots").glob("*.pt")):
        from teahouse.learn.export import export_snapshots  # needs PyTorch

        export_snapshots(run)
    files = [*(run / "snapshots").glob(f"*{SUFFIX}"), *run.glob(f"network{SUFFIX}")]
    if not files:
        raise SystemExit(f"{run} has no networks: neither snapshots nor network{SUFFIX}.")
    found = {one.minutes: one for one in (store(file, folder) for file in files) if one.minutes}
    if not found or len({one.game for one in found.values()}) > 1:
        raise SystemExit(f"{run} needs networks of one game with their minutes of training.")
    return tuple(found[minutes] for minutes in sorted(found))


def shipped_networks(folder: Path) -> list[Trained]:
    """Return the networks in the package."""
    return [store(path, folder) for path in shipped_files()]


def shipped_files() -> list[Path]:
    """Return the files of the networks in the package."""
    folders = [game_file(name, FOLDER) for name in builtin_games()]
    files = [file for one in folders if one.is_dir() for file in one.iterdir()]
    return sorted(Path(str(file)) for file in files if file.name.endswith(SUFFIX))
