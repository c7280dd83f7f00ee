"""Commands whose help names no type for flags, which take no value, and arguments in capitals.

They end with a line when interrupted.
"""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from teahouse.terminal.interrupts import EXIT_CODE, interrupts


def _named(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
        elif parameter.metavar is None and isinstance(parameter, TyperArgument):
            parameter.metavar = str(parameter.name).upper() + (" …" if parameter.nargs != 1 else "")
    return parameters


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with that of the help."""
        return _named(super().get_params(ctx))


class Group(TyperGroup):
    """A command with subcommands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with that of the help."""
        return _named(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Run the command; Ctrl-C ends it with a line instead of a traceback."""
        with interrupts() as interrupted:
            try:
                return super().invoke(ctx)
            except typer.Exit:
                raise
            except (Exception, KeyboardInterrupt) as error:
                if not (interrupted.is_set() or isinstance(error, KeyboardInterrupt)):
                    raise
        print("Interrupted.", file=sys.stderr, flush=True)
        raise typer.Exit(EXIT_CODE)
