"""Bot accounts and their tokens in a database that no server uses yet."""

from __future__ import annotations

import asyncio

import sqlalchemy as sa

from teahouse.server.accounts import rows, tokens
from teahouse.server.accounts.models import Account
from teahouse.server.storage.store import Store
from teahouse.server.tables.ids import new_id


def add_bots(database: str, *names: str, scopes: tuple[str, ...] = tokens.SCOPES) -> list[str]:
    """Create bot accounts; return a token of each."""
    secrets = [tokens.new_token() for _ in names]

    def job(connection: sa.Connection) -> None:
        for name, secret in zip(names, secrets, strict=True):
            account = Account(new_id(), name, "bot", None, 1.0, None, deleted=False)
            assert rows.add(connection, account, None)
            token = tokens.ApiToken(
                new_id(), account.id, "test", frozenset(scopes), 1.0, None, None
            )
            assert tokens.add(connection, secret, token, limit=1)

    async def run() -> None:
        store = Store(database)
        store.start()
        try:
            await store.write(job)
        finally:
            await store.close()

    asyncio.run(run())
    return secrets
