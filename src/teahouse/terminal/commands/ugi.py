"""`teahouse ugi`: the engine for programs that speak the Universal Game Interface."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from teahouse.search.levels import LEVELS
from teahouse.search.ugi.engine import UgiEngine
from teahouse.terminal.commands.common import GameName, Options, examples, load_game

EXAMPLES = examples(
    "teahouse ugi GAME",
    "printf 'ugi\\nposition startpos\\ngo movetime 500\\n' | teahouse ugi GAME --level 5",
    "teahouse arena GAME level5 'ugi[nodes=2000]:teahouse ugi GAME'",
)


def ugi(
    game: GameName,
    option: Options = None,
    level: Annotated[
        int,
        typer.Option(
            min=0, max=LEVELS[-1], help="play as the bot of this level; 0: the best move in time"
        ),
    ] = 0,
) -> None:
    """Run the engine for a controller that speaks the Universal Game Interface (UGI).

    Reads commands such as position, go and query from standard input, one a line, and writes the
    answers to standard output. The controller may set all options of the game and of the engine.
    """
    engine = UgiEngine(load_game(game, option), _send, level)
    try:
        engine.run(sys.stdin.buffer)
    finally:
        sys.stdout.flush()
    os._exit(0)  # a search that does not end holds up nobody


def _send(line: str) -> None:
    """Write a line; without a reader there is nothing left to do."""
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except OSError:
        os._exit(1)
