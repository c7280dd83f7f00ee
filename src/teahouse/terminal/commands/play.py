"""`teahouse play`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import teahouse as th
from teahouse.core.files import check_writable
from teahouse.core.options import parse_options
from teahouse.terminal import progress
from teahouse.terminal.commands.common import (
    Options,
    check_seed_option,
    examples,
    load_game,
    read_record,
)
from teahouse.terminal.commands.completion import game_names, seat_texts
from teahouse.terminal.line_input import Ask, choose_game, line_input
from teahouse.terminal.line_ui import LineUI
from teahouse.terminal.local_game import LocalGame, branch_record, new_record
from teahouse.terminal.saved_games import unfinished_games
from teahouse.terminal.seats import ALLOWED, assign_engines, assign_seats, seats_of_record

EXAMPLES = examples(
    "teahouse play GAME",
    "teahouse play GAME --FIRST level3 --SECOND human",
    "teahouse play GAME --seat FIRST=human --seat SECOND=level8 -o NAME=VALUE",
    "teahouse play GAME --SECOND 'ugi:./engine --threads 2'",
    "teahouse play GAME --FIRST level4 --SECOND level5 --pause 2",
    "teahouse play --continue",
    "teahouse play --load game.txt --ply 20",
    "printf '?\\nquit\\n' | teahouse play GAME",
)
DEFAULT_PAUSE = 1.0  # seconds
SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}


def play(
    context: typer.Context,
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="name of the game", autocompletion=game_names),
    ] = None,
    option: Options = None,
    seat: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT=WHO",
            help=f"who plays a seat: {ALLOWED}; also --SEAT WHO",
            autocompletion=seat_texts,
        ),
    ] = None,
    save: Annotated[Path | None, typer.Option(help="also write the record to this file")] = None,
    load: Annotated[Path | None, typer.Option(help="continue from this record")] = None,
    resume: Annotated[
        bool, typer.Option("--continue", "-c", help="continue the last unfinished game")
    ] = False,
    new: Annotated[bool, typer.Option("--new", help="do not offer unfinished games")] = False,
    ply: Annotated[
        int | None,
        typer.Option(min=0, help="with --load: play on after so many moves; default: all"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, help="seed of a random setup; default: random", callback=check_seed_option
        ),
    ] = None,
    pause: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=60.0,
            metavar="SECONDS",
            help="time between the moves of bots that play alone; default: 1, in a pipe 0",
        ),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="no animated status line, as in a pipe")
    ] = False,
    words: Annotated[
        bool, typer.Option("--words", help="describe the board in words; implies --plain")
    ] = False,
) -> None:
    """Play a game line by line, with people and bots on any seat.

    By default you play the first seat that no bot is named for, and bots the others. Every move is
    saved, and an unfinished game is offered again. Type help during the game for all commands.
    """
    interactive = sys.stdin.isatty()
    ask = line_input()
    seats = _parse_seats(seat, context.args)
    known = [name for parameter in context.command.params for name in parameter.opts]
    if load is not None and (option or resume or seed is not None):
        raise th.OptionError(
            "--load excludes --option, --seed and --continue: a record has its own."
        )
    if ply is not None and load is None:
        raise th.OptionError("--ply needs --load: it is a number of moves of that record.")
    if resume and (new or option or seed is not None):
        raise th.OptionError("--continue excludes --new, --option and --seed.")
    if save is not None:
        check_writable(save)
    if load is not None:
        local_game: LocalGame | None = _from_file(load, ply, game, seats)
    else:
        offer = interactive and not new and not (seats or option or save)
        local_game = _resumed(game, ask, resume, offer, seats)
    if local_game is None:
        chosen = load_game(game or choose_game(ask, th.games()), option)
        _check_seats(chosen, seats, known)
        engines = assign_engines(chosen, seats)
        players = assign_seats(chosen, seats)
        local_game = LocalGame(new_record(chosen, seed), players, engines=engines)
    local_game.copy = save
    animated = Console(stderr=True).is_interactive and not (plain or words)
    show = progress.live if animated else progress.silent
    if pause is None:
        pause = DEFAULT_PAUSE if sys.stdout.isatty() else 0.0
    try:
        LineUI(local_game, ask, sys.stdout, show, words=words, pause=pause).run()
    finally:
        local_game.close()


def _parse_seats(given: list[str] | None, rest: list[str]) -> dict[str, str]:
    """Return who plays which seat from SEAT=WHO, --SEAT WHO and --SEAT=WHO."""
    seats = parse_options(given or (), "SEAT=WHO, such as White=human")
    words = iter(rest)
    for word in words:
        name, sign, who = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not name:
            raise th.OptionError(f"{word!r} is neither an option nor a seat; see --help.")
        seats[name] = who if sign else next(words, "")
    return seats


def _check_seats(game: th.Game, seats: Iterable[str], known: Sequence[str]) -> None:
    """Raise `OptionError` for a seat that the game does not have: it may be a misspelt option."""
    players = [player.lower() for player in game.players]
    for seat in seats:
        if seat.lower() in players:
            continue
        similar = get_close_matches(f"--{seat.lower()}", [*known, *(f"--{p}" for p in players)], 1)
        hint = f"did you mean {similar[0]}?" if similar else f"seats: {', '.join(game.players)}."
        raise th.OptionError(f"There is no option or seat --{seat}; {hint}")


def _resumed(
    game: str | None, ask: Ask, resume: bool, offer: bool, seats: dict[str, str]
) -> LocalGame | None:
    """Return the unfinished game that the player continues, or None for a new one."""
    if game is not None:
        game = th.load(game).name  # raises if it is unknown
    if not (resume or offer):
        return None
    games = unfinished_games(game)
    if resume:
        if not games:
            raise th.OptionError("There is no unfinished game to continue.")
        return LocalGame.resume(games[0].path, seats)
    if not games:
        return None
    print("Unfinished games:")
    for number, info in enumerate(games, 1):
        print(f"  {number}  {info.text}")
    while answer := (ask("Continue number (Enter: new game): ") or "").strip():
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(games):
            return LocalGame.resume(games[int(answer) - 1].path)
        print(f"Type a number from 1 to {len(games)}, or Enter for a new game.")
    return None


def _from_file(path: Path, ply: int | None, game: str | None, seats: dict[str, str]) -> LocalGame:
    """Return a game that continues a record after some or all moves; the file does not change."""
    record = read_record(path)
    if ply is not None:
        if ply > len(record.moves):
            raise th.OptionError(
                f"--ply must be at most {len(record.moves)}, the number of moves; got {ply}."
            )
        record = branch_record(record, ply)
    if game is not None and game.lower() != record.game.name:
        raise th.OptionError(f"{path} is a record of {record.game.name}, not of {game}.")
    _check_seats(record.game, seats, ())
    players = assign_seats(record.game, seats) if seats else seats_of_record(record)
    return LocalGame(record, players, engines=assign_engines(record.game, seats))
