"""`teahouse openings`: how often moves were played and how they scored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import teahouse as th
from teahouse.core.files import check_writable, write_atomic
from teahouse.search.levels import player_text
from teahouse.search.openings import (
    FILE,
    OpeningMove,
    bots_moves,
    bots_tables,
    build_tables,
    format_tables,
    listed_moves,
)
from teahouse.terminal.commands.common import (
    At,
    GameName,
    Json,
    Options,
    Seed,
    examples,
    load_position,
    print_json,
    progress_bar,
)

EXAMPLES = examples(
    "teahouse openings GAME",
    "teahouse openings GAME -p POSITION --json",
    "teahouse arena GAME level4 level5 --opening 0 --games 600 --folder matches/a",
    "teahouse openings GAME --build matches/a --out openings.txt",
)


def openings(
    game: GameName,
    option: Options = None,
    at: At = None,
    build: Annotated[
        list[Path] | None,
        typer.Option(help="make a table from the records in a match's folder; repeatable"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help=f"file to write with --build; default: {FILE}")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Show how often each move of a position was played by bots and how it scored.

    Mirror images and transpositions are counted together.
    """
    if build:
        if option or at is not None:
            raise th.OptionError(
                "--build excludes --option and --position: records have their own."
            )
        out = out or Path(FILE)
        check_writable(out)
        _build(th.load(game).name, build, out, as_json)
        return
    if out is not None:
        raise th.OptionError("--out needs --build: nothing else is written.")
    position = load_position(game, option, at, seed)
    moves = listed_moves(position, bots_moves(position))
    table = bots_tables(position.game.name).get(position.game)
    if as_json:
        listed = [asdict(move) for move in moves]
        print_json(
            {"position": str(position), "games": table.games if table else 0, "moves": listed}
        )
        return
    if table is None:
        print(f"There is no opening table for {position.game.title} with these options.")
    elif not moves:
        print(f"No bot reached this position in {table.games} games.")
    else:
        players = ", ".join(map(player_text, table.players.split(", ")))
        Console().print(_table(position, moves, f"{table.games} games: {players}"))


def _table(position: th.Position, moves: list[OpeningMove], title: str) -> Table:
    """Return moves and their results as a table for a terminal."""
    game = position.game
    table = Table("move", "games", title=title)
    for team in game.teams:
        table.add_column(" + ".join(game.players[player] for player in team), justify="right")
    table.add_column("draws", justify="right")
    for move in moves:
        images = f" and {len(move.images)} mirror images" if len(move.images) > 1 else ""
        images = f" = {move.images[0]}" if len(move.images) == 1 else images
        shares = (f"{count / move.games:.0%}" for count in (*move.wins, move.draws))
        table.add_row(f"{move.move}{images}", str(move.games), *shares)
    return table


def _build(name: str, folders: list[Path], out: Path, as_json: bool) -> None:
    """Write the opening tables of the records of a game in folders of matches."""
    paths = []
    for folder in folders:
        found = sorted((folder / "records").glob("*.txt"))
        if not found:
            raise th.OptionError(f"{folder} has no records/*.txt, as a match of the arena has.")
        paths += found
    with progress_bar("Reading", quiet=as_json) as step:

        def records() -> Iterator[th.Record]:
            for number, path in enumerate(paths, 1):
                try:
                    record = th.Record.parse(path.read_text(encoding="utf-8"))
                except (OSError, UnicodeError, th.RecordError) as error:
                    raise th.OptionError(f"{path}: {error}") from None
                if record.game.name != name:
                    raise th.OptionError(f"{path} is a record of {record.game.name}, not {name}.")
                yield record
                step(number, len(paths))

        tables = build_tables(records())
    text = format_tables(tables)
    write_atomic(out, text)
    if as_json:
        print_json(
            {"games": sum(one.games for one in tables), "bytes": len(text), "file": str(out)}
        )
    else:
        games = ", ".join(f"{one.games} games of {one.game!r}" for one in tables)
        print(f"{out}: {len(text)} bytes, {games}")
