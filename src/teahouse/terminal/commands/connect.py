"""`teahouse connect`: play on a server as a bot account, with a level or a UGI engine."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from teahouse.core.catalog import load
from teahouse.core.errors import OptionError
from teahouse.core.extras import extra
from teahouse.search.prepare import prepare_in_background
from teahouse.terminal.commands.common import examples
from teahouse.terminal.commands.completion import game_names
from teahouse.terminal.connect.choices import Clock, Rated

if TYPE_CHECKING:
    from teahouse.terminal.connect.players import PlayerFactory
    from teahouse.terminal.connect.rules import AcceptRules

TOKEN_VARIABLE = "TEAHOUSE_TOKEN"  # noqa: S105 - its name
TIME = "%H:%M:%S"
EXAMPLES = examples(
    "teahouse connect http://localhost:8000 --token-file token.txt --level 5",
    'teahouse connect https://tea.example.org --token-file token.txt --engine "ugi:./engine"',
    "teahouse connect http://localhost:8000 --token-file token.txt --level 3 --rated casual",
)


def connect(
    url: Annotated[str, typer.Argument(help="address of the server, as http://localhost:8000")],
    token_file: Annotated[
        Path | None,
        typer.Option(help=f"file with the bot account's token; else the variable {TOKEN_VARIABLE}"),
    ] = None,
    level: Annotated[
        int | None, typer.Option(min=1, max=8, help="play as the bot of this level")
    ] = None,
    engine: Annotated[
        str | None, typer.Option(metavar="UGI", help='play by a UGI engine, as "ugi:./engine"')
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option(
            "--game",
            "-g",
            metavar="GAME",
            help="accept this game; repeatable; all by default",
            autocompletion=game_names,
        ),
    ] = None,
    clock: Annotated[
        list[Clock] | None,
        typer.Option(help="accept this kind of clock; repeatable; all by default"),
    ] = None,
    rated: Annotated[Rated, typer.Option(help="accept such games only")] = Rated.ANY,
    min_seconds: Annotated[
        int, typer.Option(min=0, help="accept real-time clocks that start with this or more")
    ] = 30,
    bots: Annotated[bool, typer.Option(help="accept challenges of other bots")] = True,
    concurrency: Annotated[
        int, typer.Option("--concurrency", "-c", min=1, max=50, help="games at the same time")
    ] = 2,
    tournament: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="enter this tournament; repeatable")
    ] = None,
    max_games: Annotated[
        int | None, typer.Option(min=1, help="stop after this many games; by default never")
    ] = None,
    stop_with_input: Annotated[
        bool,
        typer.Option("--stop-with-input", help="stop when the standard input is closed"),
    ] = False,
) -> None:
    """Play on a server as a bot account: accept challenges and play them, until interrupted.

    Lost connections and dead engines are started again. docs/bots.md says how to get a token.
    """
    with extra("client", "this command"):
        from teahouse.client import AsyncClient, ClientError
        from teahouse.terminal.connect.rules import AcceptRules, check_games
        from teahouse.terminal.connect.runner import Runner
    token = read_token(token_file)
    clocks = frozenset(clock or Clock)
    rules = AcceptRules(check_games(game), clocks, rated, min_seconds, bots, engine is not None)
    factory = _factory(level, engine, rules)

    async def run() -> None:
        async with AsyncClient(url, token, patience=math.inf) as client:
            runner = Runner(
                client, factory, rules, concurrency, _report, max_games, tournament or ()
            )
            await runner.run()

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s  %(message)s", datefmt=TIME)
    logging.getLogger("teahouse.client").setLevel(logging.INFO)  # lost connections
    if stop_with_input:
        threading.Thread(target=_interrupt_after_input, daemon=True).start()
    preparation = None
    if level is not None:
        preparation = prepare_in_background([load(name) for name in sorted(rules.games)])
    try:
        asyncio.run(run())
    except ClientError as error:
        print(f"teahouse: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    finally:
        if preparation is not None:
            preparation.close()


def _interrupt_after_input() -> None:
    """Interrupt the program once the program that started it closes its input, or has ended."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def read_token(file: Path | None) -> str:
    """Return the token of a file or the variable; raise `OptionError` if there is none."""
    variable = os.environ.pop(TOKEN_VARIABLE, "")  # an engine inherits the others
    token = (file.read_text(encoding="utf-8") if file else variable).strip()
    if not token.startswith("th_") or not token.isascii() or len(token.split()) != 1:
        where = str(file) if file else f"the variable {TOKEN_VARIABLE}"
        raise OptionError(
            f"There is no token in {where}. Create one at /account/tokens of the server; it begins "
            "with th_."
        )
    return token


def _factory(level: int | None, engine: str | None, rules: AcceptRules) -> PlayerFactory:
    """Return what makes players; raise `OptionError` unless it is one of the two."""
    from teahouse.search.ugi import parse_ugi
    from teahouse.terminal.connect.players import engine_factory, level_factory
    from teahouse.terminal.connect.rules import has_two_sides

    if (level is None) == (engine is None):
        raise OptionError("Give either --level or --engine.")
    if level is not None:
        return level_factory(level)
    assert engine is not None
    two_sided = [game for game in map(load, sorted(rules.games)) if has_two_sides(game)]
    for game in two_sided[:1]:
        parse_ugi(game, engine)  # the command is checked before anybody waits for it
    return engine_factory(engine)


def _report(text: str) -> None:
    print(f"{time.strftime(TIME)}  {text}", flush=True)
