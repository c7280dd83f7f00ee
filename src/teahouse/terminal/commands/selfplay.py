"""`teahouse selfplay`: games of one player against itself, as training data and as records."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Annotated

import typer

import teahouse as th
from teahouse.core.extras import extra
from teahouse.core.files import data_folder, split_settings
from teahouse.core.options import parse_options
from teahouse.rl.data.generate import (
    RANDOM,
    SHARD_GAMES,
    Source,
    summarize,
    write_selfplay,
    write_shards,
)
from teahouse.rl.data.store import DataFolder
from teahouse.search.arena.match import OPENING_PLIES
from teahouse.search.arena.players import UnknownPlayerError
from teahouse.terminal.commands.common import (
    GameName,
    Jobs,
    Json,
    Options,
    Ray,
    Seed,
    examples,
    load_game,
    open_executor,
    print_json,
    progress_bar,
    until_interrupted,
)
from teahouse.terminal.interrupts import PATIENCE, interruptible

EXAMPLES = examples(
    "teahouse selfplay GAME --games 100000 --out games",
    "teahouse selfplay GAME level5 --games 1000 -j 2 --out games",
    "teahouse selfplay GAME network:file=own.onnx,simulations=200 --ray auto --out games",
    "teahouse selfplay GAME checkpoint:folder=runs/GAME --games 100000 --device cuda --out games",
    "teahouse puzzles GAME --games 0 --records games",
)
CHECKPOINT = "checkpoint"


def selfplay(
    game: GameName,
    player: Annotated[
        str,
        typer.Argument(
            metavar="[PLAYER]",
            help="random, level1 to level8, network:simulations=200, …, as in the arena;"
            " checkpoint:folder=runs/GAME,simulations=32",
        ),
    ] = RANDOM,
    games: Annotated[int, typer.Option(min=1, help="games that the folder is to have")] = 100,
    option: Options = None,
    opening: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="random plies of the opening, which are not learnt from, of players of the arena;"
            f" default: {OPENING_PLIES}",
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(help="of random games and of a checkpoint: cpu or cuda")
    ] = "cpu",
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=64, help="threads of random games and of a checkpoint; default: 1"),
    ] = None,
    shard: Annotated[
        int, typer.Option(min=1, max=1 << 20, help="games in each file, and in a batch")
    ] = SHARD_GAMES,
    jobs: Jobs = None,
    ray: Ray = None,
    seed: Seed = 0,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "--folder",
            metavar="FOLDER",
            help="where games are stored; by default one folder for each player",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Let a player play against itself, and store its games for learners.

    Each action is a row of NumPy files, which teahouse.rl.data.Dataset reads; players of the arena
    also leave a record of each game, for puzzles and openings. Ctrl-C stops; the same command, also
    with more --games, resumes.
    """
    chosen = load_game(game, option)
    _check_options(player, opening, threads, jobs, ray)
    random_plies = OPENING_PLIES if opening is None else opening
    where = folder or _default_folder(chosen, player, random_plies, seed)
    try:
        with (
            open_executor(jobs, ray) as executor,
            progress_bar(f"{chosen.title} games", quiet=as_json, note=executor.status) as step,
            interruptible(PATIENCE) as cancel,
        ):

            def play() -> DataFolder:
                if _is_checkpoint(player):
                    source = _network_games(chosen, player, seed, device, threads or 1, shard)
                    return write_shards(source, games, where, step, cancel)
                return write_selfplay(
                    chosen,
                    player,
                    games,
                    where,
                    seed=seed,
                    opening=random_plies,
                    device=device,
                    threads=threads or 1,
                    shard_games=shard,
                    progress=step,
                    cancel=cancel,
                    executor=executor,
                )

            data = until_interrupted(play)
    except UnknownPlayerError as error:
        raise th.OptionError(
            f"{error} Also checkpoint:folder=runs/{chosen.name} for the network of a training run."
        ) from None
    summary = summarize(data)
    if as_json:
        print_json({"folder": str(where), **summary})
    else:
        shares = ", ".join(f"{side} {share:.1%}" for side, share in summary["wins"].items())
        print(f"{summary['games']} games, {summary['rows']} rows: {where}")
        if summary["games"]:
            draws, plies = summary["draws"], summary["plies"]
            print(f"Wins: {shares}; draws {draws:.1%}; {plies:.1f} plies per game.")
    if cancel.is_set() and summary["games"] < games:
        print("Stopped. Run the same command to continue.", file=sys.stderr)
        raise typer.Exit(130)


def _check_options(
    player: str, opening: int | None, threads: int | None, jobs: int | None, ray: str | None
) -> None:
    """Raise `OptionError` if an option was given that does nothing for this player."""
    in_batch = player == RANDOM or _is_checkpoint(player)
    of_arena = {"--opening": opening, "--jobs": jobs, "--ray": ray}
    unused = of_arena if in_batch else {"--threads": threads}
    given = [name for name, value in unused.items() if value is not None]
    if given:
        owners = "players of the arena" if in_batch else "random games and a checkpoint"
        raise th.OptionError(f"{', '.join(given)}: only for {owners}, not for {player}.")


def _is_checkpoint(player: str) -> bool:
    return player.partition(":")[0] == CHECKPOINT


def _network_games(
    game: th.Game, player: str, seed: int, device: str, threads: int, shard: int
) -> Source:
    """Return the games of a training run's network, given as checkpoint:folder=…,simulations=…."""
    settings = {
        "simulations": "32",
        **parse_options(split_settings(player.partition(":")[2], "folder")),
    }
    if settings.keys() != {"folder", "simulations"} or not settings["simulations"].isdecimal():
        raise th.OptionError(
            f"{player!r}: give the folder of a training run, such as"
            " checkpoint:folder=runs/own,simulations=32."
        )
    with extra("learn", "a checkpoint"):
        import torch

        from teahouse.learn.checkpoint import CheckpointError
        from teahouse.learn.rows import NetworkGames, TrainedNetwork
    try:
        network = TrainedNetwork.load(game, Path(settings["folder"]), device)
    except CheckpointError as error:
        raise th.OptionError(str(error)) from None
    torch.set_num_threads(threads)
    return NetworkGames(
        game,
        network,
        seed=seed,
        device=device,
        shard_games=shard,
        simulations=int(settings["simulations"]),
    )


def _default_folder(game: th.Game, player: str, opening: int, seed: int) -> Path:
    """Return the user's folder for these games."""
    key = repr((game, player, opening, seed)).encode()
    return data_folder() / "selfplay" / f"{game.name}-{hashlib.sha256(key).hexdigest()[:12]}"
