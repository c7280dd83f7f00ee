"""Errors of the database."""

from __future__ import annotations

import sqlalchemy as sa

from teahouse.server.storage.lock import LockLostError


class StoreError(RuntimeError):
    """The database failed; as far as is known, nothing was changed."""


def store_error(error: Exception) -> Exception:
    """Return a database error as a `StoreError` of one line."""
    if isinstance(error, sa.exc.DBAPIError):
        return StoreError(str(error.orig).strip())
    return StoreError(str(error)) if isinstance(error, LockLostError) else error
