"""Reports of tables, chat messages and names, from anybody, to the operators."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import APIRouter, Request
from pydantic import AfterValidator, Field

from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.identity import AccountDep
from teahouse.server.accounts.models import Account
from teahouse.server.moderation import rows
from teahouse.server.moderation.rows import Reason, Report, Subject
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.socket import check_table_id
from teahouse.server.web import api
from teahouse.server.web import messages as ms
from teahouse.server.web.api import RegistryDep
from teahouse.server.web.client_address import scope_client
from teahouse.server.web.errors import ApiError
from teahouse.server.web.limits import RateLimitError
from teahouse.server.web.rate_limit import RateLimiter

DAY_SECONDS = 86_400.0
MAX_OPEN = 5_000
MAX_TEXT = 500
_SALT = secrets.token_hex(16)
"""Forgotten at the next start, so that nobody can find the address of a guest by its hash."""

router = APIRouter(responses=api.router.responses)


class ReportQuota:
    """How many reports an account, or the guests of an address, may send; in memory."""

    def __init__(self, reports_a_day: int) -> None:
        self._limiter = RateLimiter(reports_a_day / DAY_SECONDS, reports_a_day)

    def charge(self, reporter: str) -> None:
        """Count a report; raise `RateLimitError` if there were too many."""
        wait = self._limiter.reserve(reporter, 1.0)
        if wait > 0.0:
            raise RateLimitError("reports", wait)


def _explanation(text: str) -> str:
    """Return what the reporter says, which may be nothing."""
    return ms.readable("text", text) if text.strip() else ""


class ReportIn(ms.StrictModel):
    """A report about a table, a chat message at it, or the name of a player."""

    subject: Subject
    reason: Reason
    text: Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(_explanation)] = ""
    table: ms.TableId | None = None
    seat: ms.SeatNumber | None = None
    """Whose name, at the table."""
    seq: Annotated[int, Field(ge=1, le=1 << 53)] | None = None
    """The sequence number of the chat message."""
    account: ms.Name | None = None
    """The name of the account, instead of a table and a seat."""


@router.post("/api/reports", status_code=201)
async def report(
    body: ReportIn, request: Request, account: AccountDep, registry: RegistryDep
) -> dict[str, Any]:
    """Report something to the operators; what was reported before is not reported again."""
    found = await _subject(body, registry)
    reporter = account.id if account else scope_client(request.scope)
    what = (reporter, body.subject, found.table, found.seat, body.seq, found.account)
    salt = "" if account else _SALT
    key = sha256(repr((salt, *what)).encode()).hexdigest()
    quota: ReportQuota = request.app.state.report_quota
    quota.charge(reporter)
    sent = Report(
        id=new_id(),
        created=registry.store.now().wall,
        reporter=account.id if account else None,
        subject=body.subject,
        key=key,
        reason=body.reason,
        text=body.text,
        quote=found.quote,
        account_id=found.account,
        table_id=found.table,
        seat=found.seat,
    )

    def job(connection: sa.Connection) -> str:
        if rows.count_open(connection) >= MAX_OPEN:
            raise ApiError("at_capacity", "There are too many open reports. Please try again.")
        return rows.add_report(connection, sent)

    return {"id": await registry.store.write(job)}


class _Found:
    """What a report is about: looked up here, so that nobody can put words in others' mouths."""

    def __init__(
        self, quote: str, account: str | None, table: str | None = None, seat: int | None = None
    ) -> None:
        self.quote = quote
        self.account = account
        self.table = table
        self.seat = seat


async def _subject(body: ReportIn, registry: Registry) -> _Found:
    if body.table is None:
        return await _reported_account(body, registry)
    room = await registry.room(check_table_id(body.table))
    session = room.session
    if body.subject == "chat":
        if body.seq is None:
            raise ApiError("invalid", "Choose the message to report.")
        messages = await registry.store.chat(body.table, body.seq + 1)
        said = next((one for one in messages if one.seq == body.seq), None)
        if said is None:
            raise ApiError("not_found", "There is no such message.")
        return _Found(said.text, session.seats[said.seat].account, body.table, said.seat)
    if body.seat is None:
        if body.subject == "name":
            raise ApiError("invalid", "Choose the seat whose name you report.")
        return _Found("", None, body.table)
    if body.seat >= len(session.seats):
        raise ApiError("not_found", "There is no such seat.")
    seat = session.seats[body.seat]
    return _Found(seat.name or "", seat.account, body.table, body.seat)


async def _reported_account(body: ReportIn, registry: Registry) -> _Found:
    name = body.account
    if body.subject != "name" or name is None:
        raise ApiError("invalid", "Choose the table or the account to report.")
    account: Account | None = await registry.store.read(
        lambda connection: account_rows.by_name(connection, name)
    )
    if account is None:
        raise ApiError("not_found", "There is no account with this name.")
    return _Found(account.name, account.id)
