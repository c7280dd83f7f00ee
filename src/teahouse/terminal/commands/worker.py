"""`teahouse worker`: carry out the jobs of servers that share a PostgreSQL database."""

from __future__ import annotations

from typing import Annotated

import typer

from teahouse.core.errors import OptionError
from teahouse.terminal.commands.common import examples
from teahouse.terminal.commands.serve import LogFormat, MetricsHost, MetricsPort

EXAMPLES = examples(
    "teahouse worker --database postgresql://teahouse@db.example.org/teahouse",
    "teahouse worker --metrics-port 9101 --log-format json",
)


def worker(
    database: Annotated[
        str | None,
        typer.Option(help="postgresql://user:password@host/name; also TEAHOUSE_DATABASE"),
    ] = None,
    metrics_port: MetricsPort = None,
    metrics_host: MetricsHost = "127.0.0.1",
    log_format: LogFormat = "text",
) -> None:
    """Play for the bots of servers on other machines, without serving pages."""
    try:
        from teahouse.server.job_worker import run_worker
        from teahouse.server.settings import ServerSettings
    except ModuleNotFoundError as missing:
        message = f"{missing}; the worker needs: pip install 'teahouse[server,postgres]'"
        raise OptionError(message) from None
    settings = ServerSettings(
        metrics_port=metrics_port, metrics_host=metrics_host, log_format=log_format
    )
    run_worker(database, settings)
