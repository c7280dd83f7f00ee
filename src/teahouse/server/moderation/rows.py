"""The rows of blocked and muted players, of reports, and of operators' actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import sqlalchemy as sa

from teahouse.server.storage.database import SCHEMA

Relation = Literal["block", "mute"]
Subject = Literal["table", "chat", "name"]
Reason = Literal["abuse", "name", "cheating", "spam", "stalling", "other"]
Action = Literal["suspend", "unsuspend", "rename", "close-table", "grant", "revoke", "close-report"]
REASONS: tuple[Reason, ...] = get_args(Reason)
ACTIONS: tuple[Action, ...] = get_args(Action)

account_relations = sa.Table(
    "account_relations",
    SCHEMA,
    sa.Column("account_id", sa.String(10), primary_key=True),
    sa.Column("other_id", sa.String(10), primary_key=True),
    sa.Column("relation", sa.String(10)),
    sa.Column("created", sa.Double),
)
reports = sa.Table(
    "reports",
    SCHEMA,
    sa.Column("id", sa.String(10), primary_key=True),
    sa.Column("created", sa.Double),
    sa.Column("reporter", sa.String(10)),
    sa.Column("subject", sa.String(10)),
    sa.Column("key", sa.String(64)),
    sa.Column("reason", sa.String(20)),
    sa.Column("text", sa.Text),
    sa.Column("quote", sa.Text),
    sa.Column("account_id", sa.String(10)),
    sa.Column("table_id", sa.String(10)),
    sa.Column("seat", sa.Integer),
    sa.Column("closed", sa.Double),
    sa.Column("closed_by", sa.Text),
)
operator_actions = sa.Table(
    "operator_actions",
    SCHEMA,
    sa.Column("id", sa.String(10), primary_key=True),
    sa.Column("created", sa.Double),
    sa.Column("operator", sa.Text),
    sa.Column("action", sa.String(20)),
    sa.Column("account_id", sa.String(10)),
    sa.Column("table_id", sa.String(10)),
    sa.Column("report_id", sa.String(10)),
    sa.Column("reason", sa.Text),
    sa.Column("until", sa.Double),
    sa.Column("name", sa.String(20)),
    sa.Column("answer", sa.Text),
    sa.Column("finished", sa.Boolean),
)


# Blocked and muted players.


def set_relation(
    connection: sa.Connection, account_id: str, other_id: str, relation: Relation | None, now: float
) -> None:
    """Block or mute another account, or neither."""
    same = (account_relations.c.account_id == account_id) & (
        account_relations.c.other_id == other_id
    )
    connection.execute(account_relations.delete().where(same))
    if relation is not None:
        values = {
            "account_id": account_id,
            "other_id": other_id,
            "relation": relation,
            "created": now,
        }
        connection.execute(account_relations.insert().values(values))


def relations_of(connection: sa.Connection, account_id: str) -> dict[str, Relation]:
    """Return whom an account blocks or mutes, the latest first."""
    wanted = (
        sa.select(account_relations.c.other_id, account_relations.c.relation)
        .where(account_relations.c.account_id == account_id)
        .order_by(account_relations.c.created.desc())
    )
    return {row.other_id: row.relation for row in connection.execute(wanted)}


def blocked_either_way(connection: sa.Connection, account_id: str) -> frozenset[str]:
    """Return the accounts that an account blocks, and those that block it."""
    blocks = account_relations.c.relation == "block"
    own, others = account_relations.c.account_id, account_relations.c.other_id
    by_it = sa.select(others).where(blocks, own == account_id)
    of_it = sa.select(own).where(blocks, others == account_id)
    return frozenset(connection.execute(sa.union(by_it, of_it)).scalars())


# Reports.


@dataclass(frozen=True)
class Report:
    """What somebody reported to the operators."""

    id: str
    created: float
    reporter: str | None
    """The id of an account; None for a guest."""
    subject: Subject
    key: str
    """The same for the same subject and reporter, so that nothing is reported twice."""
    reason: Reason
    text: str
    quote: str
    """The message or the name as it was."""
    account_id: str | None
    """The account that is reported, if the seat has one."""
    table_id: str | None
    seat: int | None
    closed: float | None = None
    closed_by: str | None = None


def add_report(connection: sa.Connection, report: Report) -> str:
    """Store a report and return its id; that of an open one about the same."""
    same = (reports.c.key == report.key) & reports.c.closed.is_(None)
    known: str | None = connection.execute(sa.select(reports.c.id).where(same)).scalar()
    if known is None:
        connection.execute(reports.insert().values(vars(report)))
    return known or report.id


def count_open(connection: sa.Connection) -> int:
    """Count the reports that no operator has closed."""
    open_reports = sa.select(sa.func.count()).select_from(reports)
    return connection.execute(open_reports.where(reports.c.closed.is_(None))).scalar_one()


def list_reports(connection: sa.Connection, limit: int, *, closed: bool = False) -> list[Report]:
    """Return open reports, the oldest first, or closed ones, the latest first."""
    state = reports.c.closed.is_not(None) if closed else reports.c.closed.is_(None)
    order = reports.c.closed.desc() if closed else reports.c.created
    wanted = sa.select(reports).where(state).order_by(order).limit(limit)
    return [Report(**row._mapping) for row in connection.execute(wanted)]


def get_report(connection: sa.Connection, report_id: str) -> Report | None:
    """Return a report by its id."""
    row = connection.execute(sa.select(reports).where(reports.c.id == report_id)).one_or_none()
    return None if row is None else Report(**row._mapping)


def close_report(connection: sa.Connection, report_id: str, operator: str, now: float) -> None:
    """Mark a report as closed by an operator."""
    values = {"closed": now, "closed_by": operator}
    connection.execute(reports.update().where(reports.c.id == report_id).values(values))


# Actions.


@dataclass(frozen=True)
class OperatorAction:
    """What an operator did, or asks the server to do."""

    id: str
    created: float
    operator: str
    """The name of an account, or the command line."""
    action: Action
    reason: str
    account_id: str | None = None
    table_id: str | None = None
    report_id: str | None = None
    until: float | None = None
    """The end of a suspension; `accounts.models.FOREVER` for never."""
    name: str | None = None
    """The name that an account gets; a neutral one if None."""
    answer: str | None = None
    """What was done, or why it could not be; None until then."""
    finished: bool = False
    """Whether its effects on tables and connections are complete."""


def add_action(connection: sa.Connection, action: OperatorAction) -> None:
    """Store an action, done or to be done."""
    connection.execute(operator_actions.insert().values(vars(action)))


def update_action(connection: sa.Connection, action_id: str, **values: Any) -> None:
    """Change columns of an action."""
    same = operator_actions.c.id == action_id
    connection.execute(operator_actions.update().where(same).values(values))


def get_action(connection: sa.Connection, action_id: str) -> OperatorAction | None:
    """Return an action by its id."""
    found = _actions(connection, operator_actions.c.id == action_id, 1)
    return found[0] if found else None


def latest_actions(connection: sa.Connection, limit: int) -> list[OperatorAction]:
    """Return what operators did, the latest first."""
    return _actions(connection, operator_actions.c.answer.is_not(None), limit)


def unfinished_actions(connection: sa.Connection) -> list[OperatorAction]:
    """Return the actions that are to be done or completed, the oldest first."""
    return _actions(connection, operator_actions.c.finished.is_(False), None)[::-1]


def _actions(
    connection: sa.Connection, condition: sa.ColumnElement[bool], limit: int | None
) -> list[OperatorAction]:
    order = operator_actions.c.created.desc()
    wanted = sa.select(operator_actions).where(condition).order_by(order).limit(limit)
    return [OperatorAction(**row._mapping) for row in connection.execute(wanted)]


def accounts_in(entries: Sequence[Report | OperatorAction]) -> set[str]:
    """Return the ids of all accounts that reports or actions name."""
    found = {one.account_id for one in entries}
    found |= {one.reporter for one in entries if isinstance(one, Report)}
    return {one for one in found if one is not None}
