"""The `teahouse` command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import teahouse as th
from teahouse.terminal import drawing
from teahouse.terminal.arena import arena
from teahouse.terminal.house import serve
from teahouse.terminal.solve import solve
from teahouse.terminal.table import Table as PlayTable

app = typer.Typer(
    help="Four abstract board games: play them, and study them at speed.",
    no_args_is_help=True,
    add_completion=True,
)

GameName = Annotated[str, typer.Argument(help="a game's name", metavar="GAME")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="an option of the game"),
]
Seed = Annotated[int, typer.Option(help="the same seed gives the same result")]


def loaded(name: str, options: list[str] | None) -> th.Game:
    """The game that the command line names."""
    values = {}
    for text in options or ():
        option, sign, value = text.partition("=")
        if not sign:
            raise th.OptionError(f"an option is NAME=VALUE, not {text!r}")
        values[option] = value
    return th.load(name, **values)


@app.command()
def games() -> None:
    """List the games and their options."""
    table = Table("game", "seats", "options", "what it is")
    for name in th.games():
        game = th.load(name)
        options = ", ".join(f"{option}={value}" for option, value in game.options.items())
        table.add_row(name, ", ".join(game.players), options, game.summary)
    Console().print(table)


@app.command()
def play(
    game: GameName = "orochi",
    option: Options = None,
    seat: Annotated[
        list[str] | None,
        typer.Option(metavar="SEAT=WHO", help="who sits where: human or bot, such as Black=bot"),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0.05, max=600, help="a bot's time for a move")
    ] = 1.0,
    save: Annotated[Path | None, typer.Option(help="keep the record in this file")] = None,
    seed: Seed = 0,
) -> None:
    """Play a game line by line; you take the first seat unless told otherwise."""
    chosen = loaded(game, option)
    bots = _bots(chosen, seat)
    table = PlayTable(th.Record.new(chosen, seed), bots, seconds, save)
    table.run(sys.stdin, sys.stdout)


def _bots(game: th.Game, seats: list[str] | None) -> set[int]:
    """The seats that bots take."""
    bots = set(range(1, len(game.players)))
    for text in seats or ():
        name, _, who = text.partition("=")
        if name not in game.players or who not in ("human", "bot"):
            seats_there = ", ".join(game.players)
            raise th.OptionError(
                f"a seat is SEAT=human or SEAT=bot, SEAT one of {seats_there}, not {text!r}"
            )
        (bots.add if who == "bot" else bots.discard)(game.players.index(name))
    return bots


@app.command()
def rules(game: GameName) -> None:
    """Print a game's rules."""
    from rich.markdown import Markdown

    Console().print(Markdown(th.load(game).rules_page))


@app.command()
def perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(min=0, max=20)],
    option: Options = None,
    seed: Seed = 0,
) -> None:
    """Count the sequences of decisions from the start, for depths up to DEPTH."""
    start = loaded(game, option).start(seed)
    for level in range(1, depth + 1):
        print(level, th.perft(start, level))


@app.command()
def playouts(
    game: GameName,
    number: Annotated[int, typer.Argument(min=1, help="how many games")] = 100_000,
    option: Options = None,
    threads: Annotated[int, typer.Option(min=1)] = 1,
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    seed: Seed = 0,
) -> None:
    """Play random games and count how they end."""
    chosen = loaded(game, option)
    console = Console()
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("playing", total=number)
        counts = chosen.playouts(
            number,
            seed=seed,
            threads=threads,
            device=device,
            progress=lambda done, _: progress.update(task, completed=done),
        )
    table = Table("outcome", "games", "share")
    for player, wins in zip(chosen.players, counts.wins, strict=True):
        table.add_row(f"{player} wins", str(wins), f"{wins / counts.games:.2%}")
    table.add_row("draw", str(counts.draws), f"{counts.draws / counts.games:.2%}")
    console.print(table)
    console.print(f"{counts.moves / counts.games:.1f} decisions a game")


app.command()(arena)
app.command()(serve)
app.command(epilog=drawing.EXAMPLES)(drawing.draw)
app.command()(solve)


def main() -> None:
    """Run the command; what went wrong is one line, and the exit code 2 for bad input."""
    try:
        app()
    except (th.OptionError, th.DeviceError) as error:
        print(f"teahouse: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
