"""Ids of tables and records."""

from __future__ import annotations

import secrets

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without characters that look alike
ID_LENGTH = 10


def new_id() -> str:
    """Return a random id for a table or a record."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))
