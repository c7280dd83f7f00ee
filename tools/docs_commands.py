"""The reference of the `teahouse` command: a section for each command, from its own help."""

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from typer.main import get_command

from teahouse.terminal.commands import command_line

PAGE = Path("reference", "commands.md")


def command_sections() -> str:
    """Return what is appended to the page: each command with its arguments and options."""
    root: Any = get_command(command_line())
    return "".join(_section(words, command) for words, command in _leaves(root, ["teahouse"]))


def _leaves(command: Any, words: list[str]) -> Iterator[tuple[list[str], Any]]:
    """Yield the commands that have no subcommands, with the words that call them."""
    below = getattr(command, "commands", None)
    if below is None:
        yield words, command
        return
    for name, one in below.items():
        yield from _leaves(one, [*words, name])


def _section(words: list[str], command: Any) -> str:
    parameters = [one for one in command.params if not one.hidden]
    arguments = [one for one in parameters if one.param_type_name == "argument"]
    call = " ".join([*words, *(one.metavar or one.name.upper() for one in arguments), "[OPTIONS]"])
    rows = "".join(_row(_names(one), _default(one), one.help or "") for one in parameters)
    table = f"\n| | default | |\n|---|---|---|\n{rows}" if rows else ""
    title, examples = " ".join(words), _examples(command.epilog or "")
    return f"\n## {title}\n\n```text\n{call}\n```\n\n{command.help}\n{table}{examples}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _names(parameter: Any) -> str:
    """Return an argument's name, or an option's names with the name of its value."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    value = "" if parameter.is_flag else f" {parameter.metavar or parameter.name.upper()}"
    names = [*parameter.opts, *parameter.secondary_opts]
    return ", ".join(f"`{name}{value}`" for name in names)


def _default(parameter: Any) -> str:
    default = parameter.default
    if parameter.required:
        return "required"
    if default is None or default == "" or callable(default):
        return ""
    if parameter.param_type_name == "option" and parameter.is_flag:
        return f"`{parameter.opts[0]}`" if default else ""
    return f"`{default.value if isinstance(default, Enum) else default}`"


def _examples(epilog: str) -> str:
    """Return the example lines at the end of a command's help as a block."""
    lines = [line for line in epilog.splitlines() if line.startswith("teahouse ")]
    return "\n```text\n" + "\n".join(lines) + "\n```\n" if lines else ""
