"""The code blocks of the documents, and the command lines in them."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer
from markdown_it import MarkdownIt

import teahouse as th
from teahouse.core.options import parse_options
from teahouse.terminal.commands import command_line

ROOT = Path(__file__).parents[2]
INVENTED = {"halma", "domineering"}  # games that documents build
OTHER_PROGRAMS = re.compile(
    "apt|caddy|cat|cd|cp|curl|docker|echo|export|git|install|ls|mkdir|pipx|pre-commit|printf|ray|"
    "source|systemctl|uvx"
)
MARK = re.compile(r"<!-- test: (.*?) -->")


@dataclass(frozen=True)
class Block:
    """A block of code."""

    page: Path
    line: int
    language: str
    """Empty for an indented block, and for a fenced one that names none."""
    file: str
    """The name of the file that the block is, if it is one."""
    text: str
    mark: str
    """What the hidden comment before it says."""

    @property
    def skipped(self) -> bool:
        """Whether it is compiled or parsed only; the reason is in the mark."""
        return self.mark.startswith("skip, ")

    @property
    def runs(self) -> bool:
        """Whether it is a shell script that runs."""
        return self.mark == "run" or self.mark.startswith("run;")

    @property
    def code(self) -> str:
        """The text with the replacements of the mark."""
        text = self.text
        for change in self.mark.split("; ") if not self.skipped else ():
            if " -> " in change:
                shown, used = change.split(" -> ")
                assert shown in text, f"{self}: {shown!r} is not in the block"
                text = text.replace(shown, used)
        return text

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page."""
    text = page.read_text(encoding="utf-8")
    lines = text.splitlines()
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type not in ("fence", "code_block") or token.map is None:
            continue
        before = [line.strip() for line in lines[max(token.map[0] - 2, 0) : token.map[0]]]
        mark = MARK.fullmatch(next((line for line in reversed(before) if line), ""))
        language, _, file = token.info.strip().partition(" ")
        yield Block(page, token.map[0] + 1, language, file, token.content, mark[1] if mark else "")


def command_lines(block: Block) -> Iterator[list[str]]:
    """Yield the words of each command of a block: all lines of a shell block, some of others."""
    is_shell = block.language in ("sh", "bash")
    for line in block.text.replace("\\\n", " ").splitlines():
        words = line.strip().removeprefix("$ ")
        if not is_shell:  # commands with an explanation after some spaces
            words = re.split(r" {2,}", words)[0]
            if words.partition(" ")[0] not in ("teahouse", "make", "pip", "python"):
                continue
        split = shlex.shlex(words, posix=True, punctuation_chars="|;&")
        split.whitespace_split = True
        command: list[str] = []
        for word in [*split, ";"]:
            if word.strip("|;&"):
                command.append(word)
            elif command:
                yield _bare(command)
                command = []


def _bare(command: list[str]) -> list[str]:
    """Return a command without variables set for it, `sudo`, and redirections."""
    while command and (command[0] == "sudo" or re.match(r"[A-Z_]+=", command[0])):
        command = command[1:]
    for index, word in enumerate(command):
        if re.match(r"\d?[<>]", word):
            return command[:index]
    return command


def check_command(words: list[str], files: set[str]) -> None:
    """Raise if a command, one of its options, its file or its extra does not exist."""
    if not words:
        return
    program, *arguments = words
    name = Path(program).name
    if name == "teahouse":
        _check_teahouse(arguments)
    elif name in ("python", "python3"):
        _check_script(arguments, files)
    elif name == "make":
        targets = {word for word in arguments if "=" not in word}
        assert targets <= _targets(), f"no target of make: {targets - _targets()}"
    elif name == "pip":
        for extra in re.findall(r"teahouse\[([\w,]+)\]", " ".join(arguments)):
            unknown = {*extra.split(",")} - _extras()
            assert not unknown, f"no extra: {unknown}"
    else:
        assert OTHER_PROGRAMS.fullmatch(name), f"unknown program {program!r}"


def _check_teahouse(arguments: list[str]) -> None:
    """Parse arguments with the real command line; check games and their options too."""
    if not arguments or arguments[0] in ("--help", "--version"):
        return
    command: Any = _command_line()
    context: Any = typer.Context(command, info_name="teahouse")
    while hasattr(command, "resolve_command"):
        _, command, arguments = command.resolve_command(context, [*arguments])
        if "--help" in arguments:
            return
        if not hasattr(command, "resolve_command"):
            context = command.make_context(command.name, [*arguments], parent=context)
    named = context.params.get("game") or []
    for game in [named] if isinstance(named, str) else named:
        if game in th.games():
            loaded = th.load(game, **parse_options(_real(context.params.get("option") or [])))
            seats = {f"--{player.lower()}" for player in loaded.players}
            unknown = {word for word in context.args if word.startswith("--")} - seats
            assert not unknown, f"unknown options {unknown}"
        elif not Path(game).suffix:
            assert game.isupper() or game in INVENTED, f"unknown game {game!r}"


def _real(options: list[str]) -> list[str]:
    return [option for option in options if option != "NAME=VALUE"]


def _check_script(arguments: list[str], files: set[str]) -> None:
    if arguments[0] in ("-m", "-c"):
        return
    if arguments[0] in files:
        return
    script = ROOT / arguments[0]
    source = script.read_text(encoding="utf-8")
    for word in arguments[1:]:
        if word.startswith("--"):
            assert f'"{word.partition("=")[0]}"' in source, f"{script.name} has no option {word}"


@cache
def _command_line() -> typer.core.TyperGroup:
    found = typer.main.get_command(command_line())
    assert isinstance(found, typer.core.TyperGroup)
    return found


@cache
def _targets() -> set[str]:
    return {*re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)}


@cache
def _extras() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {*project["optional-dependencies"]}
