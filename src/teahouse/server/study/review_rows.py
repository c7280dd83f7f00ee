"""Reviews in the database: one row for each review, one for each evaluated position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from pydantic import TypeAdapter

from teahouse.search.evaluations import Evaluation
from teahouse.server.storage.database import evaluations, records, reviews
from teahouse.server.web.wire import to_json

METHOD = 1
"""Version of the method; reviews by another method are computed again."""

_adapter: TypeAdapter[Evaluation] = TypeAdapter(Evaluation)


@dataclass(frozen=True)
class StoredReview:
    """A record with its review as far as it was computed."""

    text: str
    exists: bool
    finished: bool
    evaluations: Sequence[str]
    claimed: float = 0.0
    """When a process last renewed its claim on the review."""

    def known(self) -> dict[int, Evaluation]:
        """Return the evaluations by ply."""
        found = (_adapter.validate_json(body) for body in self.evaluations)
        return {one.ply: one for one in found}


def load(connection: sa.Connection, record_id: str) -> StoredReview | None:
    """Return a record with its review, or None if there is no such record."""
    wanted = sa.select(records.c.text).where(records.c.id == record_id)
    text = connection.execute(wanted).scalar_one_or_none()
    if text is None:
        return None
    row = connection.execute(
        sa.select(reviews.c.finished, reviews.c.claimed).where(
            (reviews.c.record_id == record_id) & (reviews.c.method == METHOD)
        )
    ).one_or_none()
    if row is None:
        return StoredReview(text, False, False, ())
    bodies = sa.select(evaluations.c.body).where(evaluations.c.record_id == record_id)
    found = connection.execute(bodies.order_by(evaluations.c.ply)).scalars()
    return StoredReview(text, True, row.finished, list(found), row.claimed or 0.0)


def create(connection: sa.Connection, record_id: str, now: float, max_reviews: int) -> None:
    """Add a review unless there is one; drop the oldest if there are too many.

    A dropped review can be computed again, and one by another method is.
    """
    own = reviews.c.record_id == record_id
    method = connection.execute(sa.select(reviews.c.method).where(own)).scalar_one_or_none()
    if method == METHOD:
        return
    delete(connection, [record_id])
    counted = sa.select(sa.func.count()).select_from(reviews)
    excess = connection.execute(counted).scalar_one() + 1 - max_reviews
    if excess > 0:
        oldest = sa.select(reviews.c.record_id).where(reviews.c.finished.is_(True))
        oldest = oldest.order_by(reviews.c.created).limit(excess)
        delete(connection, list(connection.execute(oldest).scalars()))
    values = {"record_id": record_id, "created": now, "method": METHOD, "finished": False}
    connection.execute(reviews.insert().values(values))


def delete(connection: sa.Connection, record_ids: Sequence[str]) -> None:
    """Delete the reviews of records; they can be computed again."""
    for table in (evaluations, reviews):
        connection.execute(table.delete().where(table.c.record_id.in_(record_ids)))


def save(connection: sa.Connection, record_id: str, found: Sequence[Evaluation]) -> None:
    """Store evaluations in place of those of earlier stages."""
    plies = [one.ply for one in found]
    own = evaluations.c.record_id == record_id
    connection.execute(evaluations.delete().where(own & evaluations.c.ply.in_(plies)))
    connection.execute(
        evaluations.insert(),
        [
            {"record_id": record_id, "ply": one.ply, "stage": one.stage, "body": to_json(one)}
            for one in found
        ],
    )


def claim(
    connection: sa.Connection, record_id: str, process: str, now: float, stale: float
) -> bool:
    """Claim a review for a process; return False if another one has a fresh claim."""
    free = (reviews.c.process == process) | reviews.c.claimed.is_(None)
    free |= reviews.c.claimed < now - stale
    own = (reviews.c.record_id == record_id) & reviews.c.finished.is_(False) & free
    claimed = reviews.update().where(own).values(process=process, claimed=now)
    return connection.execute(claimed).rowcount == 1


def release(connection: sa.Connection, record_id: str) -> None:
    """Release the claim on a review."""
    own = reviews.c.record_id == record_id
    connection.execute(reviews.update().where(own).values(process=None, claimed=None))


def finish(connection: sa.Connection, record_id: str) -> None:
    """Mark a review as finished."""
    own = reviews.c.record_id == record_id
    connection.execute(reviews.update().where(own).values(finished=True))


def unfinished(connection: sa.Connection, before: float) -> list[str]:
    """Return the records whose reviews nobody has claimed since a time, the oldest first."""
    wanted = (reviews.c.finished.is_(False)) & (reviews.c.method == METHOD)
    wanted &= reviews.c.claimed.is_(None) | (reviews.c.claimed < before)
    found = sa.select(reviews.c.record_id).where(wanted).order_by(reviews.c.created)
    return list(connection.execute(found).scalars())
