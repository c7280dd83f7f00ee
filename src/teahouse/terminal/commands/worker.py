"""`teahouse worker`: carry out the jobs of servers that share a PostgreSQL database."""

from __future__ import annotations

from typing import Annotated

import typer

from teahouse.core.errors import OptionError
from teahouse.terminal.commands.common import examples

EXAMPLES = examples("teahouse worker --database postgresql://teahouse@db.example.org/teahouse")


def worker(
    database: Annotated[
        str | None,
        typer.Option(help="postgresql://user:password@host/name; also TEAHOUSE_DATABASE"),
    ] = None,
) -> None:
    """Play for the bots of servers on other machines, without serving pages."""
    try:
        from teahouse.server.work import run_worker
    except ModuleNotFoundError as missing:
        message = f"{missing}; the worker needs: pip install 'teahouse[server,postgres]'"
        raise OptionError(message) from None
    run_worker(database)
