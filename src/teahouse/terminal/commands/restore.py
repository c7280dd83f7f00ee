"""`teahouse restore`: fill an empty database from a backup."""

from __future__ import annotations

from teahouse.terminal.commands.backup import (
    Database,
    File,
    chosen_database,
    describe,
    print_report,
)
from teahouse.terminal.commands.common import Json, examples

EXAMPLES = examples(
    "teahouse restore tea.backup --database restored.db",
    "teahouse restore tea.backup --database postgresql://teahouse@localhost/empty",
)


def restore(file: File, database: Database = None, as_json: Json = False) -> None:
    """Fill a new SQLite file or an empty PostgreSQL database from a backup.

    Every row is compared. Nothing is overwritten: a database that has anything in it is refused.
    """
    database = chosen_database(database)
    from teahouse.server.operations import backup as backups

    report = backups.restore(file, database)
    if as_json:
        print_report(report)
        return
    print(f"Restored {describe(report)}.")
    print("Start a server on it: teahouse serve --database …")
