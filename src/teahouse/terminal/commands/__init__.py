"""The `teahouse` command: each of its commands is a file here, with a function of that name."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from inspect import cleandoc
from io import TextIOWrapper

import typer

import teahouse as th

PLAY, STUDY, SHOW, EXTEND = "Play", "Study", "Show and serve", "Add games"
COMMANDS = {  # in the order of the help, each with the group it stands in
    "play": PLAY,
    "games": PLAY,
    "rules": PLAY,
    "analyse": STUDY,
    "perft": STUDY,
    "playouts": STUDY,
    "solve": STUDY,
    "arena": STUDY,
    "bench": STUDY,
    "draw": SHOW,
    "serve": SHOW,
    "new": EXTEND,
    "check": EXTEND,
}
HELP = """Four abstract board games: play them, and study them at speed.

Alone, teahouse opens the house in the terminal: choose a game and play with mouse or keys.
"""
EPILOG = """Exit codes: 0 fine, 1 it ran and failed, 2 bad input, 130 interrupted.

teahouse COMMAND --help shows examples, and teahouse --install-completion teaches your shell."""
BAD_INPUT = (th.OptionError, th.DeviceError, th.PositionError, th.RecordError, th.IllegalMove)


def house(context: typer.Context) -> None:
    """Open the house where no command is given."""
    if context.invoked_subcommand is not None:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(context.get_help())
        return
    from teahouse.terminal.app.app import TeahouseApp

    TeahouseApp().run()


def command_line(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command with these commands; each is read from disk only where it is wanted."""
    app = typer.Typer(name="teahouse", epilog=EPILOG, rich_markup_mode="rich")
    app.callback(invoke_without_command=True, help=HELP)(house)
    for name in names:
        module = import_module(f"{__name__}.{name}")
        function = getattr(module, name)
        paragraphs = cleandoc(function.__doc__).split("\n\n")
        app.command(
            help="\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs),
            epilog=getattr(module, "EXAMPLES", None),
            rich_help_panel=COMMANDS[name],
            context_settings=getattr(module, "SETTINGS", None),
        )(function)
    return app


def main() -> None:
    """Run the command; what went wrong is one line, and an exit code that says which kind."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # odd bytes are shown as such, not a crash
            stream.reconfigure(errors="replace")
    wanted = [name for name in sys.argv[1:2] if name in COMMANDS]
    try:
        command_line(wanted or COMMANDS)()
    except BAD_INPUT as error:
        _fail(error, 2)
    except OSError as error:
        _fail(error, 1)


def _fail(error: Exception, code: int) -> None:
    print(f"teahouse: {error}", file=sys.stderr)
    raise SystemExit(code) from None
