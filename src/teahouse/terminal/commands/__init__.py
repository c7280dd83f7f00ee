"""The `teahouse` command: a module for each subcommand, with a function of the same name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from inspect import cleandoc
from io import TextIOWrapper
from typing import Annotated

import typer

import teahouse as th
from teahouse.core.errors import TaskError
from teahouse.core.extras import extra
from teahouse.terminal.commands.completion import completing, words
from teahouse.terminal.commands.flags import Command, Group

PLAY, STUDY, SHOW, EXTEND = "Play", "Study", "Show and serve", "Add games"
COMMANDS = {  # in the order of the help, each with its group
    "learn": PLAY,
    "play": PLAY,
    "puzzle": PLAY,
    "games": PLAY,
    "rules": PLAY,
    "analyse": STUDY,
    "review": STUDY,
    "perft": STUDY,
    "playouts": STUDY,
    "solve": STUDY,
    "arena": STUDY,
    "report": STUDY,
    "compare": STUDY,
    "openings": STUDY,
    "puzzles": STUDY,
    "selfplay": STUDY,
    "train": STUDY,
    "bench": STUDY,
    "ugi": STUDY,
    "draw": SHOW,
    "serve": SHOW,
    "worker": SHOW,
    "connect": SHOW,
    "ratings": SHOW,
    "operator": SHOW,
    "warm": SHOW,
    "backup": SHOW,
    "restore": SHOW,
    "doctor": SHOW,
    "new": EXTEND,
    "check": EXTEND,
}
HELP = """Four abstract board games: play them, and study them at speed.

Without a command, teahouse opens a full-screen app: choose a game and play with mouse or keys.
"""
EPILOG = """Exit codes: 0 success, 1 failure, 2 invalid input, 130 interrupted.

teahouse COMMAND --help shows examples; teahouse --install-completion sets up shell completion."""
INPUT_ERRORS = (th.OptionError, th.DeviceError, th.PositionError, th.RecordError, th.IllegalMove)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"teahouse {th.__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_show_version, is_eager=True, help="print the version"),
]


def open_app(context: typer.Context, version: Version = False) -> None:
    """Open the terminal app if no command is given."""
    if context.invoked_subcommand is not None:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(context.get_help())
        return
    if os.environ.get("TERM") == "dumb":
        raise th.OptionError(
            "The full-screen app needs a terminal whose cursor can be moved; TERM is dumb. "
            "Play line by line: teahouse play"
        )
    with extra("terminal", "the full-screen app (unlike teahouse play)"):
        from teahouse.terminal.app.app import TeahouseApp
    TeahouseApp().run()


def command_line(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the command with these subcommands; only their modules are imported."""
    app = typer.Typer(name="teahouse", epilog=EPILOG, rich_markup_mode="rich", cls=Group)
    app.callback(invoke_without_command=True, help=HELP)(open_app)
    for name in names:
        module = import_module(f"{__name__}.{name}")
        function = getattr(module, name)
        paragraphs = cleandoc(function.__doc__).split("\n\n")
        text = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
        group: typer.Typer | None = getattr(module, "app", None)
        if group is not None:
            app.add_typer(group, name=name, help=text, rich_help_panel=COMMANDS[name])
            continue
        app.command(
            cls=Command,
            help=text,
            epilog=getattr(module, "EXAMPLES", None),
            rich_help_panel=COMMANDS[name],
            context_settings=getattr(module, "SETTINGS", None),
        )(function)
    return app


def main() -> None:
    """Run the command; an error is one line on the error stream and an exit code."""
    _open_closed_streams()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # invalid bytes do not raise
            stream.reconfigure(errors="replace")
    given = words() if completing() else sys.argv[1:]
    wanted = [name for name in given[:1] if name in COMMANDS]
    try:
        command_line(wanted or COMMANDS)()
    except INPUT_ERRORS as error:
        _fail(error, 2)
    except OSError as error:
        reason = error.strerror or str(error)
        _fail(f"{error.filename}: {reason}" if error.filename else reason, 1)
    except TaskError as error:
        _fail(error, 1)


def _open_closed_streams() -> None:
    """Read nothing from a closed standard input and write nothing to closed outputs."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _fail(error: Exception | str, code: int) -> None:
    print(f"teahouse: {error}", file=sys.stderr)
    raise SystemExit(code) from None
