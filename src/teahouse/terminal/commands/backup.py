"""`teahouse backup`: write a snapshot of a server's database to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from teahouse.core.extras import extra
from teahouse.terminal.commands.common import Json, examples, print_json

if TYPE_CHECKING:
    from teahouse.server.operations.backup import BackupReport

EXAMPLES = examples(
    "teahouse backup tea.backup",
    "teahouse backup tea.backup --database postgresql://teahouse@localhost/teahouse",
    "teahouse backup --check tea.backup",
)
File = Annotated[Path, typer.Argument(metavar="FILE", help="the backup")]
Database = Annotated[
    str | None, typer.Option(help="SQLite file, or postgresql://user:password@host/name")
]


def chosen_database(database: str | None) -> str:
    """Return a database that was named, or that of `teahouse serve`."""
    with extra("server", "the server"):
        from teahouse.server.settings import ServerSettings
    return database or ServerSettings().database


def describe(report: BackupReport) -> str:
    """Return what a backup has in words."""
    rows = "1 row" if report.rows == 1 else f"{report.rows:,} rows"
    return f"{rows} in {len(report.tables)} tables (schema {report.revision})"


def print_report(report: BackupReport) -> None:
    """Print what a backup has as JSON."""
    tables = {name: digest.rows for name, digest in report.tables.items()}
    print_json({"rows": report.rows, "tables": tables, "schema": report.revision})


def backup(
    file: File,
    database: Database = None,
    check: Annotated[
        bool, typer.Option("--check", help="write nothing: test that FILE is an intact backup")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a snapshot of a server's database to a new file, while the server runs.

    Every row is compared. The file can be restored to SQLite and to PostgreSQL. It has all that the
    server knows about accounts: keep it as safe as the database.
    """
    database = chosen_database(database)
    from teahouse.server.operations import backup as backups

    report = backups.check(file) if check else backups.back_up(database, file)
    if as_json:
        print_report(report)
    elif check:
        print(f"{file} is intact: {describe(report)}.")
    else:
        print(f"Backed up {describe(report)} to {file}.")
