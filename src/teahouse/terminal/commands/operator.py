"""`teahouse operator`: moderate a server, from the machine that has its database."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from teahouse.core.errors import OptionError
from teahouse.core.extras import extra
from teahouse.terminal.commands.common import Json, examples, print_json
from teahouse.terminal.commands.flags import Command, Group

if TYPE_CHECKING:
    from teahouse.server.moderation.offline import OperatorDatabase

DAY_SECONDS = 86_400.0
EXAMPLES = examples(
    "teahouse operator grant Anna",
    "teahouse operator reports",
    "teahouse operator suspend Robert --days 7 --because 'Insults in the chat'",
    "teahouse operator close-table abcdefghij --because 'Private data in the chat'",
)
app = typer.Typer(cls=Group, no_args_is_help=True, epilog=EXAMPLES, rich_markup_mode="rich")
Database = Annotated[
    str | None, typer.Option(help="SQLite file, or postgresql://user:password@host/name")
]
Name = Annotated[str, typer.Argument(metavar="ACCOUNT", help="name of the account")]
Because = Annotated[
    str, typer.Option("--because", metavar="REASON", help="reason, shown to the player")
]


def operator() -> None:
    """Moderate a server: read reports, suspend and rename accounts, close tables.

    Works on the server's database, whether the server runs or not. All that operators do is logged.
    """


@contextmanager
def _opened(database: str | None) -> Iterator[OperatorDatabase]:
    """Open the server's database, by default that of `teahouse serve`."""
    with extra("server", "the server"):
        from teahouse.server.moderation.offline import OperatorDatabase
        from teahouse.server.settings import ServerSettings
    opened = OperatorDatabase(database or ServerSettings().database)
    try:
        yield opened
    finally:
        opened.close()


def _carry_out(database: str | None, action: Any, reason: str, **values: Any) -> None:
    """Carry out an action, and print what was done."""
    from teahouse.server.moderation.offline import COMMAND_LINE
    from teahouse.server.moderation.rows import OperatorAction
    from teahouse.server.tables.ids import new_id

    with _opened(database) as opened:
        if name := values.pop("account", None):
            values["account_id"] = opened.account(name).id
        print(
            opened.carry_out(
                OperatorAction(new_id(), time.time(), COMMAND_LINE, action, reason, **values)
            )
        )


@app.command(cls=Command)
def reports(
    closed: Annotated[bool, typer.Option("--closed", help="those that were closed")] = False,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """List the open reports, the oldest first."""
    with _opened(database) as opened:
        found = opened.reports(closed=closed)
    if as_json:
        hidden = ("key", "account_id", "reporter")
        print_json(
            [
                {name: value for name, value in vars(one).items() if name not in hidden}
                | {"account": account, "reporter": reporter}
                for one, account, reporter in found
            ]
        )
        return
    table = Table("report", "time (UTC)", "about", "reason", "what", "by")
    for one, account, reporter in found:
        where = f"{account}, table {one.table_id}" if one.table_id else account
        what = "\n".join(text for text in (one.quote and f"“{one.quote}”", one.text) if text)
        _add_row(table, one.id, _time(one.created), where, one.reason, what, reporter)
    Console().print(table if found else "There are no reports.")


@app.command(cls=Command)
def log(database: Database = None, as_json: Json = False) -> None:
    """List what operators did, the latest first."""
    with _opened(database) as opened:
        found = opened.actions()
    if as_json:
        print_json([vars(one) for one in found])
        return
    table = Table("time (UTC)", "operator", "what", "reason")
    for one in found:
        _add_row(table, _time(one.created), one.operator, one.answer or one.action, one.reason)
    Console().print(table if found else "Operators have done nothing yet.")


@app.command(cls=Command)
def close_report(
    report: Annotated[str, typer.Argument(metavar="REPORT", help="id of the report")],
    because: Because = "",
    database: Database = None,
) -> None:
    """Close a report that needs nothing more."""
    _carry_out(database, "close-report", because, report_id=report)


@app.command(cls=Command)
def suspend(
    account: Name,
    because: Because,
    days: Annotated[int | None, typer.Option(min=1, max=3650, help="permanent by default")] = None,
    database: Database = None,
) -> None:
    """Suspend an account and its bot accounts: they can read, but not play, chat or challenge."""
    until = None if days is None else time.time() + days * DAY_SECONDS
    _carry_out(database, "suspend", because, account=account, until=until)


@app.command(cls=Command)
def unsuspend(account: Name, because: Because = "", database: Database = None) -> None:
    """End a suspension."""
    _carry_out(database, "unsuspend", because, account=account)


@app.command(cls=Command)
def rename(
    account: Name,
    because: Because,
    to: Annotated[str | None, typer.Option(help="new name; by default a neutral one")] = None,
    database: Database = None,
) -> None:
    """Give an account another name, at all its tables too."""
    name = None if to is None else _checked_name(to)
    _carry_out(database, "rename", because, account=account, name=name)


def _checked_name(name: str) -> str:
    """Return a name that accounts may have; raise `OptionError`."""
    from pydantic import TypeAdapter, ValidationError

    from teahouse.server.accounts.names import AccountName

    try:
        checked: str = TypeAdapter(AccountName).validate_python(name)
    except ValidationError as error:
        raise OptionError(error.errors()[0]["msg"]) from None
    return checked


@app.command(cls=Command)
def close_table(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="id of the table")],
    because: Because,
    database: Database = None,
) -> None:
    """End the game at a table without a result."""
    _carry_out(database, "close-table", because, table_id=table)


@app.command(cls=Command)
def grant(account: Name, because: Because = "", database: Database = None) -> None:
    """Make an account an operator: it can use the page /operator."""
    _carry_out(database, "grant", because, account=account)


@app.command(cls=Command)
def revoke(account: Name, because: Because = "", database: Database = None) -> None:
    """Make an operator an ordinary account again."""
    _carry_out(database, "revoke", because, account=account)


def _add_row(table: Table, *cells: str) -> None:
    """Add a row of texts, none of which is markup."""
    table.add_row(*map(Text, cells))


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
