"""The rows of passkeys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from teahouse.server.accounts.passkeys import NewPasskey
from teahouse.server.storage.database import SCHEMA

MAX_PASSKEYS = 20
"""Of an account."""

passkeys = sa.Table(
    "passkeys",
    SCHEMA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("account_id", sa.String(10)),
    sa.Column("rp_id", sa.String(255)),
    sa.Column("name", sa.String(40)),
    sa.Column("public_key", sa.LargeBinary),
    sa.Column("sign_count", sa.BigInteger),
    sa.Column("synced", sa.Boolean),
    sa.Column("created", sa.Double),
    sa.Column("used", sa.Double),
)


@dataclass(frozen=True)
class StoredPasskey:
    """A passkey of an account."""

    id: str
    account_id: str
    rp_id: str
    """The relying party id: the only host name it works for."""
    name: str
    public_key: bytes
    synced: bool
    created: float
    used: float | None

    @property
    def body(self) -> dict[str, Any]:
        """What its owner sees."""
        return {
            "id": self.id,
            "name": self.name,
            "host": self.rp_id,
            "synced": self.synced,
            "created": self.created,
            "used": self.used,
        }


_COLUMNS = (
    passkeys.c.id,
    passkeys.c.account_id,
    passkeys.c.rp_id,
    passkeys.c.name,
    passkeys.c.public_key,
    passkeys.c.synced,
    passkeys.c.created,
    passkeys.c.used,
)


def add(
    connection: sa.Connection, account_id: str, rp_id: str, name: str, new: NewPasskey, now: float
) -> bool:
    """Store a passkey; return False if it is stored already or the account has too many."""
    known = connection.execute(sa.select(passkeys.c.id).where(passkeys.c.id == new.id)).first()
    if known is not None or len(passkeys_of(connection, account_id)) >= MAX_PASSKEYS:
        return False
    values = {
        "id": new.id,
        "account_id": account_id,
        "rp_id": rp_id,
        "name": name,
        "public_key": new.public_key,
        "sign_count": new.sign_count,
        "synced": new.synced,
        "created": now,
        "used": None,
    }
    connection.execute(passkeys.insert().values(values))
    return True


def find(connection: sa.Connection, passkey_id: str) -> StoredPasskey | None:
    """Return a passkey by its id."""
    row = connection.execute(sa.select(*_COLUMNS).where(passkeys.c.id == passkey_id)).one_or_none()
    return row and StoredPasskey(*row)


def passkeys_of(connection: sa.Connection, account_id: str) -> list[StoredPasskey]:
    """Return the passkeys of an account, the oldest first."""
    wanted = sa.select(*_COLUMNS).where(passkeys.c.account_id == account_id)
    return [StoredPasskey(*row) for row in connection.execute(wanted.order_by(passkeys.c.created))]


def update_sign_count(
    connection: sa.Connection, passkey_id: str, sign_count: int, now: float
) -> bool:
    """Store the signature counter of a used passkey; return False if it has not increased.

    Then the key has been cloned. Passkeys without a counter stay at zero.
    """
    counts = (passkeys.c.sign_count < sign_count) | (
        (passkeys.c.sign_count == 0) & sa.literal(sign_count == 0)
    )
    used = passkeys.update().where(passkeys.c.id == passkey_id, counts)
    return connection.execute(used.values(sign_count=sign_count, used=now)).rowcount == 1


def rename(connection: sa.Connection, account_id: str, passkey_id: str, name: str) -> bool:
    """Rename a passkey; return False if the account has none with this id."""
    own = (passkeys.c.id == passkey_id) & (passkeys.c.account_id == account_id)
    return connection.execute(passkeys.update().where(own).values(name=name)).rowcount == 1


def remove(connection: sa.Connection, account_id: str, passkey_id: str) -> bool:
    """Remove a passkey; return False if the account has none with this id."""
    own = (passkeys.c.id == passkey_id) & (passkeys.c.account_id == account_id)
    return connection.execute(passkeys.delete().where(own)).rowcount == 1
