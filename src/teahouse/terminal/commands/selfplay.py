"""`teahouse selfplay`: games of one player against itself, as records."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

import teahouse as th
from teahouse.core.files import data_folder
from teahouse.search.arena import MatchResults
from teahouse.search.arena.match import OPENING_PLIES
from teahouse.search.arena.selfplay import play_against_itself
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
)
from teahouse.terminal.progress import interruptible

EXAMPLES = examples(
    "teahouse selfplay GAME level5 --games 1000 -j 2",
    "teahouse selfplay GAME network:file=own.onnx,simulations=200 --ray auto --folder games",
    "teahouse puzzles GAME --games 0 --records games",
)


def selfplay(
    game: GameName,
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER", help="level1 to level8, network:simulations=200, …, as in the arena"
        ),
    ],
    games: Annotated[int, typer.Option(min=1, help="games that the folder is to have")] = 100,
    option: Options = None,
    opening: Annotated[int, typer.Option(min=0, help="random plies of the opening")] = (
        OPENING_PLIES
    ),
    jobs: Jobs = None,
    ray: Ray = None,
    seed: Seed = 0,
    folder: Annotated[
        Path | None,
        typer.Option(help="where games are stored; by default one folder for each player"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Let a player play against itself, and store the records of its games.

    Puzzles, openings and own programs start from such games. Ctrl-C stops; the same command, also
    with more --games, goes on.
    """
    chosen = load_game(game, option)
    where = folder or _default_folder(chosen, player, opening, seed)
    with (
        open_executor(jobs, ray) as executor,
        progress_bar(f"{chosen.title} games", quiet=as_json, note=executor.status) as step,
        interruptible() as cancel,
    ):
        results = play_against_itself(
            chosen,
            player,
            games,
            where,
            seed=seed,
            opening=opening,
            progress=lambda found, wanted: step(len(found.games), wanted),
            cancel=cancel,
            executor=executor,
        )
    summary = _summary(results)
    if as_json:
        print_json({"folder": str(where), **summary})
    else:
        shares = ", ".join(f"{side} {share:.1%}" for side, share in summary["wins"].items())
        print(f"{summary['games']} games: {where / 'records'}")
        print(f"Wins: {shares}; draws {results.draws:.1%}; {results.plies:.1f} plies per game.")
    if len(results.games) < games:
        print("Stopped. Run the same command to continue.", file=sys.stderr)
        raise typer.Exit(130)


def _summary(results: MatchResults) -> dict[str, Any]:
    """Return the number of games, and the share that each side won."""
    game = results.game
    won = Counter(result.winner for result in results.games)
    sides = ["+".join(game.players[seat] for seat in team) for team in game.teams]
    total = max(1, len(results.games))
    return {
        "game": game.name,
        "options": game.options,
        "player": results.players[0],
        "games": len(results.games),
        "wins": {side: won[number] / total for number, side in enumerate(sides)},
        "draws": results.draws,
        "plies": results.plies,
    }


def _default_folder(game: th.Game, player: str, opening: int, seed: int) -> Path:
    """Return the user's folder for these games."""
    key = repr((game, player, opening, seed)).encode()
    return data_folder() / "selfplay" / f"{game.name}-{hashlib.sha256(key).hexdigest()[:12]}"
