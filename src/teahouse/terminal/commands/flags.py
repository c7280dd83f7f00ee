"""Commands whose help names no type for flags: they take no value."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


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
