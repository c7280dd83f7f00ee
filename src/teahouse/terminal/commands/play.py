"""`teahouse play`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import teahouse as th
from teahouse.terminal import saved_games
from teahouse.terminal.commands.common import Options, examples, game_names, loaded, read_record
from teahouse.terminal.line_ui import LinePlay
from teahouse.terminal.seats import ALLOWED, from_record, seated
from teahouse.terminal.table import Table, new_record
from teahouse.terminal.thinking import quietly, visibly

EXAMPLES = examples(
    "teahouse play GAME",
    f"teahouse play GAME --{th.load(th.games()[0]).players[0].lower()} level3  (a seat's name)",
    "teahouse play GAME --seat SEAT=human --seat SEAT=level8 -o NAME=VALUE",
    "teahouse play --continue",
    "printf '?\\nquit\\n' | teahouse play GAME",
)
SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}
Ask = Callable[[str], str | None]


def play(
    context: typer.Context,
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="a game's name", autocompletion=game_names),
    ] = None,
    option: Options = None,
    seat: Annotated[
        list[str] | None,
        typer.Option(metavar="SEAT=WHO", help=f"who sits where: {ALLOWED}; also --SEAT WHO"),
    ] = None,
    save: Annotated[Path | None, typer.Option(help="keep the record in this file too")] = None,
    load: Annotated[Path | None, typer.Option(help="play on from this record")] = None,
    go_on: Annotated[
        bool, typer.Option("--continue", "-c", help="go on with the game left last")
    ] = False,
    new: Annotated[bool, typer.Option("--new", help="do not offer games left before")] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, help="for games with a random setup; by chance if not told")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="no moving signs while a bot thinks, as in a pipe")
    ] = False,
    words: Annotated[
        bool, typer.Option("--words", help="say the board instead of drawing it; goes with --plain")
    ] = False,
) -> None:
    """Play a game line by line, with people and bots on any seat.

    You take the first seat and bots the others unless told otherwise. Every move is kept: a game
    left in the middle is offered again. Type help at the table for all words.
    """
    typed = sys.stdin.isatty()
    ask = _typing() if typed else _reading
    seats = _seats(seat, context.args)
    if load is not None:
        table: Table | None = _loaded(load, game, seats)
    else:
        table = _taken_up(game, ask, go_on, typed and not new and not (seats or option or save))
    if table is None:
        chosen = loaded(game or _asked(ask), option)
        table = Table(new_record(chosen, seed), seated(chosen, seats))
    table.copy = save
    shown = Console(stderr=True).is_interactive and not (plain or words)
    try:
        LinePlay(table, ask, sys.stdout, visibly if shown else quietly, words=words).run()
    finally:
        table.let_go()


def _seats(given: list[str] | None, rest: list[str]) -> dict[str, str]:
    """Who sits where: SEAT=WHO, --SEAT WHO and --SEAT=WHO."""
    seats = {}
    for text in given or ():
        name, sign, who = text.partition("=")
        if not sign:
            raise th.OptionError(f"a seat is SEAT=WHO, such as White=human, not {text!r}")
        seats[name] = who
    words = iter(rest)
    for word in words:
        name, sign, who = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not name:
            raise th.OptionError(f"{word!r} is neither an option nor a seat; see --help")
        seats[name] = who if sign else next(words, "")
    return seats


def _taken_up(game: str | None, ask: Ask, go_on: bool, offer: bool) -> Table | None:
    """The table of a game left before, if the player goes on with one."""
    if game is not None:
        th.load(game)  # says what games there are
    if not (go_on or offer):
        return None
    left = saved_games.unfinished(game)
    if go_on:
        if not left:
            raise th.OptionError("there is no unfinished game to go on with")
        return Table.take_up(left[0].path)
    if not left:
        return None
    print("Unfinished games:")
    for number, entry in enumerate(left, 1):
        print(f"  {number}  {entry.text}")
    while answer := (ask("Go on with number (Enter for a new game): ") or "").strip():
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(left):
            return Table.take_up(left[int(answer) - 1].path)
        print(f"type a number from 1 to {len(left)}, or Enter alone for a new game")
    return None


def _asked(ask: Ask) -> str:
    """The name of a game, asked for until there is one."""
    names = ", ".join(th.games())
    while True:
        answer = ask(f"Which game ({names})? ")
        if answer is None:
            raise th.OptionError(f"name a game: {names}")
        if answer.strip().lower() in th.games():
            return answer.strip().lower()


def _loaded(path: Path, game: str | None, seats: dict[str, str]) -> Table:
    """A table for a record from a file; the file stays as it is."""
    record = read_record(path)
    if game not in (None, record.game.name):
        raise th.OptionError(f"{path} is a record of {record.game.name}, not of {game}")
    return Table(record, seated(record.game, seats) if seats else from_record(record))


def _reading(prompt: str) -> str | None:
    """The next line of a pipe."""
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    return line or None


def _typing() -> Ask:
    """The next line that a person types, with a history and the arrow keys."""
    with suppress(ImportError):  # not everywhere; input works without it
        import readline  # noqa: F401

    def ask(prompt: str) -> str | None:
        try:
            return input(prompt)
        except EOFError:
            return None

    return ask
