"""How commands end when interrupted, and help that names no type for flags: they take no value."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from teahouse.terminal.interrupts import EXIT_CODE, interrupts


def _without_types(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with that of the help."""
        return _without_types(super().get_params(ctx))


class Group(TyperGroup):
    """A command with subcommands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with that of the help."""
        return _without_types(super().get_params(ctx))

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
