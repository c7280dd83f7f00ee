"""Actions of operators as changes of rows, shared by the server and the command line."""

from __future__ import annotations

import secrets

import sqlalchemy as sa

from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.models import FOREVER, Account, until_text
from teahouse.server.moderation import rows
from teahouse.server.moderation.rows import OperatorAction
from teahouse.server.storage.database import tables
from teahouse.server.web.errors import ApiError

NEUTRAL_NAME = "Player"
NEUTRAL_NUMBERS = 1_000_000


def apply(connection: sa.Connection, action: OperatorAction, now: float) -> str:
    """Change the rows that an action is about; return what was done, as a sentence.

    Raise `ApiError` if that is not possible. The server applies the effects on tables and
    connections.
    """
    match action.action:
        case "suspend":
            return _suspend(connection, action)
        case "unsuspend":
            account = _account(connection, action)
            _set_suspension(connection, account, None, None)
            return f"{account.name} may play again."
        case "rename":
            return _rename(connection, action)
        case "close-table":
            return _check_table(connection, action)
        case "close-report":
            return _close_report(connection, action, now)
        case "grant" | "revoke":
            account = _account(connection, action)
            if account.kind != "person":
                raise ApiError("invalid", "A bot account cannot be an operator.")
            role = "operator" if action.action == "grant" else None
            account_rows.update(connection, account.id, {"role": role})
            return f"{account.name} is {'an operator now' if role else 'no longer an operator'}."


def _account(connection: sa.Connection, action: OperatorAction) -> Account:
    found = account_rows.get(connection, action.account_id or "")
    if found is None or found.deleted:
        raise ApiError("not_found", "There is no such account.")
    return found


def _suspend(connection: sa.Connection, action: OperatorAction) -> str:
    account, until = _account(connection, action), action.until or FOREVER
    if account.is_operator:
        raise ApiError("forbidden", f"{account.name} is an operator. Revoke that first.")
    _set_suspension(connection, account, until, action.reason)
    return f"{account.name} is suspended {until_text(until)}."


def _set_suspension(
    connection: sa.Connection, account: Account, until: float | None, because: str | None
) -> None:
    """Suspend an account and the bot accounts that it owns, or end that."""
    values = {"suspended_until": until, "suspended_because": because}
    for one in (account, *account_rows.owned_by(connection, account.id)):
        account_rows.update(connection, one.id, values)


def _rename(connection: sa.Connection, action: OperatorAction) -> str:
    """Give an account the name of the action, or a neutral one."""
    account = _account(connection, action)
    if action.name is not None:
        if not account_rows.rename(connection, account.id, action.name):
            raise ApiError("name_taken", "This name, or one that looks like it, is taken.")
        return f"{account.name} is called {action.name} now."
    while True:
        name = f"{NEUTRAL_NAME} {secrets.randbelow(NEUTRAL_NUMBERS)}"
        if account_rows.rename(connection, account.id, name):
            return f"{account.name} is called {name} now."


def _check_table(connection: sa.Connection, action: OperatorAction) -> str:
    wanted = sa.select(tables.c.over).where(tables.c.id == action.table_id)
    over: bool | None = connection.execute(wanted).scalar_one_or_none()
    if over is None:
        raise ApiError("not_found", "There is no such table.")
    if over:
        raise ApiError("game_over", "The game at this table is over.")
    return f"The game at table {action.table_id} is closed."


def _close_report(connection: sa.Connection, action: OperatorAction, now: float) -> str:
    report = rows.get_report(connection, action.report_id or "")
    if report is None:
        raise ApiError("not_found", "There is no such report.")
    rows.close_report(connection, report.id, action.operator, now)
    return "The report is closed."
