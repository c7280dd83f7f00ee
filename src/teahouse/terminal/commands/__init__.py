"""The `teahouse` command: each of its commands is a file here, with a function of that name."""

from __future__ import annotations

import sys
from importlib import import_module
from inspect import cleandoc
from io import TextIOWrapper

import typer

import teahouse as th

PLAY, STUDY, SHOW = "Play", "Study", "Show and serve"
COMMANDS = {  # in the order of the help, each with the group it stands in
    "play": PLAY,
    "games": PLAY,
    "rules": PLAY,
    "analyse": STUDY,
    "perft": STUDY,
    "playouts": STUDY,
    "arena": STUDY,
    "bench": STUDY,
    "draw": SHOW,
}
HELP = """Four abstract board games: play them, and study them at speed.

Alone, teahouse opens the house in the terminal: choose a game and play with mouse or keys.
"""
EPILOG = """Exit codes: 0 all went well, 1 the command ran and failed, 2 the input was wrong,
130 interrupted.

teahouse COMMAND --help shows examples, and teahouse --install-completion teaches your shell."""
BAD_INPUT = (th.OptionError, th.DeviceError, th.PositionError, th.RecordError, th.IllegalMove)

app = typer.Typer(epilog=EPILOG, rich_markup_mode="rich", name="teahouse")


@app.callback(invoke_without_command=True, help=HELP)
def house(context: typer.Context) -> None:
    if context.invoked_subcommand is not None:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(context.get_help())
        return
    from teahouse.terminal.house.app import House

    House().run()


def _add(name: str, panel: str) -> None:
    """Hook in the command of a file here."""
    module = import_module(f"{__name__}.{name}")
    function = getattr(module, name)
    paragraphs = (cleandoc(function.__doc__)).split("\n\n")
    app.command(
        help="\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs),
        epilog=module.EXAMPLES,
        rich_help_panel=panel,
        context_settings=getattr(module, "SETTINGS", None),
    )(function)


for _name, _panel in COMMANDS.items():
    _add(_name, _panel)


def main() -> None:
    """Run the command; what went wrong is one line, and an exit code that says which kind."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # odd bytes are shown as such, not a crash
            stream.reconfigure(errors="replace")
    try:
        app()
    except BAD_INPUT as error:
        _fail(error, 2)
    except OSError as error:
        _fail(error, 1)


def _fail(error: Exception, code: int) -> None:
    print(f"teahouse: {error}", file=sys.stderr)
    raise SystemExit(code) from None
