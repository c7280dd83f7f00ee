"""The rows of tournaments: their events, and a summary of each for lists.

The events are the source of truth; `tournaments.seq` prevents appending to a stale state.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field, TypeAdapter

from teahouse.server.accounts.anonymous import DeletedAccount
from teahouse.server.accounts.names import DELETED_NAME
from teahouse.server.storage.database import SCHEMA
from teahouse.server.tournaments import events as ev
from teahouse.server.tournaments.state import Tournament

tournaments = sa.Table(
    "tournaments",
    SCHEMA,
    sa.Column("id", sa.String(10), primary_key=True),
    sa.Column("seq", sa.Integer),
    sa.Column("status", sa.String(10)),
    sa.Column("private", sa.Boolean),
    sa.Column("creator", sa.String(10)),
    sa.Column("moment", sa.Double),
    sa.Column("summary", sa.Text),
    sa.Column("password_hash", sa.Text),
)
tournament_events = sa.Table(
    "tournament_events",
    SCHEMA,
    sa.Column("tournament_id", sa.String(10), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("time", sa.Double),
    sa.Column("body", sa.Text),
)
tournament_players = sa.Table(
    "tournament_players",
    SCHEMA,
    sa.Column("tournament_id", sa.String(10), primary_key=True),
    sa.Column("account_id", sa.String(10), primary_key=True),
)
event_adapter: TypeAdapter[ev.Event] = TypeAdapter(Annotated[ev.Event, Field(discriminator="type")])
Summary = dict[str, Any]
UNFINISHED = ("open", "running")


@dataclass(frozen=True)
class Change:
    """Events to append to a tournament, and what it is afterwards."""

    log: Sequence[tuple[float, ev.Event]]
    after: Tournament
    summary: Summary


def _values(change: Change) -> dict[str, Any]:
    after = change.after
    starts = after.rules.starts_at or after.created
    return {
        "seq": after.seq,
        "status": after.status,
        "moment": after.ended or after.started or starts,
        "summary": json.dumps(change.summary),
    }


def insert(connection: sa.Connection, change: Change, password_hash: str | None) -> None:
    """Store a new tournament."""
    opened = change.after.opened
    fixed = {
        "id": change.after.id,
        "private": opened.rules.private,
        "creator": opened.creator,
        "password_hash": password_hash,
    }
    connection.execute(tournaments.insert().values(**fixed, **_values(change)))
    _insert_events(connection, change, 1)


def append(connection: sa.Connection, change: Change) -> bool:
    """Append events; return False, with nothing changed, if others were appended meanwhile."""
    before = change.after.seq - len(change.log)
    current = (tournaments.c.id == change.after.id) & (tournaments.c.seq == before)
    updated = connection.execute(tournaments.update().where(current).values(_values(change)))
    if updated.rowcount != 1:
        return False
    _insert_events(connection, change, before + 1)
    return True


def last_events(connection: sa.Connection, ids: Sequence[str]) -> dict[str, int]:
    """Return the sequence numbers of the last events of tournaments."""
    wanted = sa.select(tournaments.c.id, tournaments.c.seq).where(tournaments.c.id.in_(ids))
    return {row.id: row.seq for row in connection.execute(wanted)}


def _insert_events(connection: sa.Connection, change: Change, first: int) -> None:
    rows = [
        {
            "tournament_id": change.after.id,
            "seq": first + index,
            "time": time,
            "body": event_adapter.dump_json(event).decode(),
        }
        for index, (time, event) in enumerate(change.log)
    ]
    connection.execute(tournament_events.insert(), rows)
    players = [
        {"tournament_id": change.after.id, "account_id": event.account}
        for _, event in change.log
        if isinstance(event, ev.Joined) and event.account is not None
    ]
    if players:
        connection.execute(tournament_players.insert(), players)


def load(connection: sa.Connection, tournament_id: str) -> Tournament | None:
    """Return a tournament, or None if there is no such one."""
    wanted = (
        sa.select(tournament_events.c.time, tournament_events.c.body)
        .where(tournament_events.c.tournament_id == tournament_id)
        .order_by(tournament_events.c.seq)
    )
    log = [(row.time, event_adapter.validate_json(row.body)) for row in connection.execute(wanted)]
    return Tournament.replay(tournament_id, log) if log else None


def unfinished(connection: sa.Connection) -> list[str]:
    """Return the ids of all tournaments that are open or running."""
    wanted = sa.select(tournaments.c.id).where(tournaments.c.status.in_(UNFINISHED))
    return list(connection.execute(wanted).scalars())


def count_unfinished(connection: sa.Connection, creator: str | None = None) -> int:
    """Count the tournaments that are open or running: all, or those of a creator."""
    found: Any = tournaments.c.status.in_(UNFINISHED)
    if creator is not None:
        found &= tournaments.c.creator == creator
    return connection.execute(
        sa.select(sa.func.count()).select_from(tournaments).where(found)
    ).scalar_one()


def password_hash(connection: sa.Connection, tournament_id: str) -> str | None:
    """Return the hash of the password that joining needs, if any."""
    wanted = sa.select(tournaments.c.password_hash).where(tournaments.c.id == tournament_id)
    return connection.execute(wanted).scalar_one_or_none()


def listed(
    connection: sa.Connection, statuses: Sequence[str], limit: int, before: float | None = None
) -> list[Summary]:
    """Return the summaries of public tournaments; those that are over, the latest first."""
    found = tournaments.c.status.in_(statuses) & tournaments.c.private.is_(False)
    if before is not None:
        found &= tournaments.c.moment < before
    past = not set(UNFINISHED).intersection(statuses)
    order = tournaments.c.moment.desc() if past else tournaments.c.moment
    return _summaries(connection, found, order, limit)


def of_account(connection: sa.Connection, account: str, limit: int) -> list[Summary]:
    """Return the unfinished tournaments that an account has created or joined, private ones too."""
    own = tournaments.c.id.in_(ids_of(connection, account))
    unfinished_ = tournaments.c.status.in_(UNFINISHED)
    return _summaries(connection, own & unfinished_, tournaments.c.moment, limit)


def _summaries(connection: sa.Connection, where: Any, order: Any, limit: int) -> list[Summary]:
    columns = (tournaments.c.id, tournaments.c.status, tournaments.c.moment, tournaments.c.summary)
    wanted = sa.select(*columns).where(where).order_by(order, tournaments.c.id).limit(limit)
    return [
        {"id": row.id, "status": row.status, "moment": row.moment, **json.loads(row.summary)}
        for row in connection.execute(wanted)
    ]


def ids_of(connection: sa.Connection, account: str) -> list[str]:
    """Return the tournaments that an account has created or joined."""
    joined = sa.select(tournament_players.c.tournament_id).where(
        tournament_players.c.account_id == account
    )
    theirs = (tournaments.c.creator == account) | tournaments.c.id.in_(joined)
    return list(connection.execute(sa.select(tournaments.c.id).where(theirs)).scalars())


def forget_account(connection: sa.Connection, deleted: DeletedAccount) -> None:
    """Replace the name and id of a deleted account in all tournaments."""
    account = deleted.account_id
    for tournament_id in ids_of(connection, account):
        place = tournament_events.c.tournament_id == tournament_id
        for row in connection.execute(sa.select(tournament_events).where(place)).all():
            event = event_adapter.validate_json(row.body)
            if isinstance(event, ev.Joined) and event.account == account:
                event = replace(event, account=None, name=DELETED_NAME)
            elif isinstance(event, ev.Renamed) and event.account == account:
                event = replace(event, account="", name=DELETED_NAME)
            elif isinstance(event, ev.Opened) and event.creator == account:
                event = replace(event, creator="", creator_name=DELETED_NAME)
            else:
                continue
            this = place & (tournament_events.c.seq == row.seq)
            body = event_adapter.dump_json(event).decode()
            connection.execute(tournament_events.update().where(this).values(body=body))
        _forget_in_summary(connection, tournament_id, account)
    players = tournament_players.c.account_id == account
    connection.execute(tournament_players.delete().where(players))
    created = tournaments.c.creator == account
    connection.execute(tournaments.update().where(created).values(creator=""))


def _forget_in_summary(connection: sa.Connection, tournament_id: str, account: str) -> None:
    this = tournaments.c.id == tournament_id
    columns = (tournaments.c.summary, tournaments.c.creator)
    row = connection.execute(sa.select(*columns).where(this)).one()
    summary: Summary = json.loads(row.summary)
    if row.creator == account:
        summary["creator"] = DELETED_NAME
    summary["winners"] = [
        {**one, "account": None, "name": DELETED_NAME} if one["account"] == account else one
        for one in summary["winners"]
    ]
    connection.execute(tournaments.update().where(this).values(summary=json.dumps(summary)))


def export(connection: sa.Connection, account: str) -> list[Summary]:
    """Return the tournaments that an account has created or joined, for its export."""
    ids = ids_of(connection, account)
    return _summaries(connection, tournaments.c.id.in_(ids), tournaments.c.moment, len(ids))
