"""Moderation from the command line, whether a server is running or not.

A running server holds the database lock. Then an action is only added to the log; the server polls
it, carries it out and stores the answer. Without a server the action is applied here, under the
same lock, and the next server applies the effects on tables.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa

from teahouse.core.errors import OptionError
from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.models import Account
from teahouse.server.moderation import rows
from teahouse.server.moderation.actions import apply
from teahouse.server.moderation.rows import OperatorAction, Report
from teahouse.server.storage.database import connect
from teahouse.server.storage.lock import StartupError, acquire_lock, unusable
from teahouse.server.web.errors import ApiError

COMMAND_LINE = "command line"
WAIT_SECONDS = 30.0
POLL_SECONDS = 0.1
MAX_LISTED = 1_000
LATER = "Tables are updated when the server starts."
COMPLETED_LATER = ("rename", "close-table")


class OperatorDatabase:
    """The database of a server, as operators use it from the command line."""

    def __init__(self, url: str) -> None:
        self._engine = connect(url)
        file = self._engine.url.database
        if self._engine.dialect.name == "sqlite" and not Path(str(file)).is_file():
            raise OptionError(f"There is no database {file}; teahouse serve creates one.")

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def account(self, name: str) -> Account:
        """Return an account by its name; raise `OptionError`."""
        with self._reading() as connection:
            found = account_rows.by_name(connection, name)
        if found is None:
            raise OptionError(f"There is no account with the name {name!r}.")
        return found

    def reports(self, *, closed: bool) -> list[tuple[Report, str, str]]:
        """Return reports, each with the names of the account and of the reporter."""
        with self._reading() as connection:
            found = rows.list_reports(connection, MAX_LISTED, closed=closed)
            accounts = account_rows.get_many(connection, rows.accounts_in(found))

        def name(account_id: str | None) -> str:
            account = accounts.get(account_id or "")
            return account.name if account else "guest"

        return [(one, name(one.account_id), name(one.reporter)) for one in found]

    def actions(self) -> list[OperatorAction]:
        """Return what operators did, the latest first."""
        with self._reading() as connection:
            return rows.latest_actions(connection, MAX_LISTED)

    def carry_out(self, action: OperatorAction) -> str:
        """Carry out an action, here or through the running server; return the answer.

        Raise `OptionError` if it is not possible.
        """
        try:
            lock = acquire_lock(self._engine)
        except StartupError:
            return self._ask_server(action)
        try:
            with self._reading():
                pass
            with lock.begin() as connection:
                answer = apply(connection, action, action.created)
                later = action.action in COMPLETED_LATER
                done = replace(action, answer=answer, finished=not later)
                rows.add_action(connection, done)
        except ApiError as error:
            raise OptionError(error.message) from None
        finally:
            lock.release()
        return f"{answer} {LATER}" if later else answer

    def _ask_server(self, action: OperatorAction) -> str:
        """Add an action for the server that runs, and wait for its answer."""
        with self._reading(), self._engine.begin() as connection:
            rows.add_action(connection, action)
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            with self._engine.connect() as connection:
                found = rows.get_action(connection, action.id)
            if found is not None and found.finished:
                answer = found.answer or ""
                if answer.startswith("Failed: "):
                    raise OptionError(answer)
                return answer
            time.sleep(POLL_SECONDS)
        raise OptionError(
            f"The server has not answered within {WAIT_SECONDS:.0f} s; the action is queued."
        )

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        """Yield a connection to a database of this version; raise `OptionError` for others."""
        try:
            with self._engine.connect() as connection:
                if sa.inspect(connection).has_table(rows.operator_actions.name):
                    yield connection
                    return
        except sa.exc.DatabaseError as error:
            raise unusable(error) from None
        raise OptionError(
            "The database has another schema version; start the server on it once: teahouse serve."
        )
