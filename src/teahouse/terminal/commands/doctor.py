"""`teahouse doctor`: check that a server can run here."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from teahouse.core.extras import extra
from teahouse.terminal.commands.backup import Database
from teahouse.terminal.commands.common import Json, examples, print_json

EXAMPLES = examples(
    "teahouse doctor",
    "teahouse doctor --database postgresql://teahouse@localhost/teahouse",
)
STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red"}


def doctor(
    database: Database = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="port of the server")] = 8000,
    as_json: Json = False,
) -> None:
    """Check database, cache, permissions, versions, compiler, fonts, port, disk space and clock.

    Exit code 1 if there is a problem; each one says what to do.
    """
    with extra("server", "the server"):
        from teahouse.server.operations.doctor import diagnose
        from teahouse.server.settings import ServerSettings
    settings = ServerSettings()
    findings = []
    console = Console(soft_wrap=True)
    for found in diagnose(replace(settings, database=database or settings.database), port):
        findings.append(found)
        if as_json:
            continue
        line = Text()
        line.append(f"{found.status:<8}", STYLES[found.status])
        line.append(f"{found.name}: {found.detail}")
        if found.advice:
            line.append(f"\n        {found.advice}", "dim")
        console.print(line)
    if as_json:
        print_json([asdict(one) for one in findings])
    if any(one.status == "problem" for one in findings):
        raise typer.Exit(1)
