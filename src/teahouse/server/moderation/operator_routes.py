"""The operators' page and its API, for accounts that the command line has made operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import APIRouter, Depends, Request
from pydantic import AfterValidator, Field

from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.identity import SignedIn
from teahouse.server.accounts.models import FOREVER, Account
from teahouse.server.accounts.names import AccountName
from teahouse.server.moderation import rows
from teahouse.server.moderation.moderator import Moderator
from teahouse.server.moderation.rows import OperatorAction, Report
from teahouse.server.tables.ids import new_id
from teahouse.server.web import api
from teahouse.server.web import messages as ms
from teahouse.server.web.api import RegistryDep
from teahouse.server.web.errors import ApiError

MAX_LISTED = 200
MAX_REASON = 300
MAX_DAYS = 3_650
DAY_SECONDS = 86_400.0

router = APIRouter(prefix="/api/operator", responses=api.router.responses)
PublicReason = Annotated[
    str,
    Field(min_length=1, max_length=MAX_REASON),
    AfterValidator(lambda text: ms.readable("reason", text)),
]


class ActionIn(ms.StrictModel):
    """What an operator does; the reason is shown to whom it concerns."""

    action: Literal["suspend", "unsuspend", "rename", "close-table"]
    reason: PublicReason
    account: ms.Name | None = None
    days: Annotated[int, Field(ge=1, le=MAX_DAYS)] | None = None
    """Of a suspension; permanent if null."""
    name: AccountName | None = None
    """The new name of an account; a neutral one if null."""
    table: ms.TableId | None = None


class CloseIn(ms.StrictModel):
    """What an operator notes about a report that they close."""

    note: Annotated[str, Field(max_length=MAX_REASON)] = ""


async def _operator(account: SignedIn) -> Account:
    if not account.is_operator:
        raise ApiError("forbidden", "Only operators of this server may do this.")
    return account


Operator = Annotated[Account, Depends(_operator)]


def _moderator(request: Request) -> Moderator:
    moderator: Moderator = request.app.state.moderator
    return moderator


@router.get("")
async def overview(operator: Operator, registry: RegistryDep) -> dict[str, Any]:
    """Return the reports, the accounts that are suspended, and what operators did."""
    now = registry.store.now().wall

    def job(connection: sa.Connection) -> dict[str, Any]:
        reports = rows.list_reports(connection, MAX_LISTED)
        closed = rows.list_reports(connection, MAX_LISTED, closed=True)
        actions = rows.latest_actions(connection, MAX_LISTED)
        ids = rows.accounts_in([*reports, *closed, *actions])
        accounts = account_rows.get_many(connection, ids)
        return {
            "reports": [_report_body(one, accounts, now) for one in reports],
            "closed": [_report_body(one, accounts, now) for one in closed],
            "actions": [_action_body(one, accounts) for one in actions],
        }

    return await registry.store.read(job)


@router.post("/actions", status_code=201)
async def act(
    body: ActionIn, request: Request, operator: Operator, registry: RegistryDep
) -> dict[str, Any]:
    """Suspend or rename an account, end a suspension, or close a table."""
    now, account = registry.store.now().wall, await _target(body, registry)
    if body.action == "close-table" and body.table is None:
        raise ApiError("invalid", "Choose the table to close.")
    action = OperatorAction(
        id=new_id(),
        created=now,
        operator=operator.name,
        action=body.action,
        reason=body.reason,
        account_id=None if account is None else account.id,
        table_id=body.table,
        until=None if body.days is None else now + body.days * DAY_SECONDS,
        name=body.name,
    )
    return {"answer": await _moderator(request).carry_out(action)}


async def _target(body: ActionIn, registry: RegistryDep) -> Account | None:
    """Return the account that an action is about."""
    name = body.account
    if body.action == "close-table":
        return None
    if name is None:
        raise ApiError("invalid", "Choose the account.")
    found = await registry.store.read(lambda connection: account_rows.by_name(connection, name))
    if found is None:
        raise ApiError("not_found", "There is no account with this name.")
    return found


@router.post("/reports/{report_id}/close")
async def close_report(
    report_id: str, body: CloseIn, request: Request, operator: Operator, registry: RegistryDep
) -> dict[str, Any]:
    """Close a report."""
    action = OperatorAction(
        id=new_id(),
        created=registry.store.now().wall,
        operator=operator.name,
        action="close-report",
        reason=body.note,
        report_id=report_id[:10],
    )
    return {"answer": await _moderator(request).carry_out(action)}


def _account_body(account: Account | None, now: float | None = None) -> dict[str, Any] | None:
    if account is None:
        return None
    suspended = now is not None and account.suspended(now)
    return {**account.body, "suspended": suspended}


def _report_body(one: Report, accounts: Mapping[str, Account], now: float) -> dict[str, Any]:
    return {
        **{name: value for name, value in vars(one).items() if name not in ("key", "account_id")},
        "reporter": _account_body(accounts.get(one.reporter or "")),
        "account": _account_body(accounts.get(one.account_id or ""), now),
    }


def _action_body(one: OperatorAction, accounts: Mapping[str, Account]) -> dict[str, Any]:
    forever = one.until is not None and one.until >= FOREVER
    return {
        "id": one.id,
        "created": one.created,
        "operator": one.operator,
        "action": one.action,
        "reason": one.reason,
        "answer": one.answer,
        "account": _account_body(accounts.get(one.account_id or "")),
        "table_id": one.table_id,
        "until": None if forever else one.until,
    }
