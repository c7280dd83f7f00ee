"""Recovery codes: each signs in once, where a password or a passkey was lost."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import sqlalchemy as sa

from teahouse.server.storage.database import SCHEMA
from teahouse.server.tables.seat_keys import hash_secret

COUNT = 10
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without characters that look alike
GROUPS, GROUP_LENGTH = 4, 4
"""79 random bits: no slow hash is needed."""

recovery_codes = sa.Table(
    "recovery_codes",
    SCHEMA,
    sa.Column("account_id", sa.String(10), primary_key=True),
    sa.Column("code_hash", sa.String(64), primary_key=True),
    sa.Column("created", sa.Double),
)


def new_codes() -> list[str]:
    """Return new codes, such as abcd-efgh-jkmn-pqrs."""
    return ["-".join(_group() for _ in range(GROUPS)) for _ in range(COUNT)]


def _group() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH))


def hash_code(code: str) -> str:
    """Return the hash of a code, whatever its case and separators."""
    return hash_secret("".join(one for one in code.casefold() if one.isalnum()))


def replace_codes(
    connection: sa.Connection, account_id: str, codes: Sequence[str], now: float
) -> None:
    """Store new codes of an account; earlier ones are no longer valid."""
    connection.execute(recovery_codes.delete().where(recovery_codes.c.account_id == account_id))
    rows = [
        {"account_id": account_id, "code_hash": hash_code(code), "created": now} for code in codes
    ]
    connection.execute(recovery_codes.insert(), rows)


def use_code(connection: sa.Connection, account_id: str, code: str) -> bool:
    """Use up a code; return whether it was a valid one."""
    same = (recovery_codes.c.account_id == account_id) & (
        recovery_codes.c.code_hash == hash_code(code)
    )
    return connection.execute(recovery_codes.delete().where(same)).rowcount == 1


def count_codes(connection: sa.Connection, account_id: str) -> int:
    """Return the number of codes that an account has left."""
    own = recovery_codes.c.account_id == account_id
    counted = sa.select(sa.func.count()).select_from(recovery_codes).where(own)
    return connection.execute(counted).scalar_one()
