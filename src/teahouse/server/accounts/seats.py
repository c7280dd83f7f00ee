"""The seats of accounts: at new tables, and in lists of games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teahouse.server.accounts import rows
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.names import guest_name, name_key
from teahouse.server.storage.store import Store, StoredTable
from teahouse.server.tables.seat_keys import hash_secret
from teahouse.server.web import messages as ms

MAX_OWN_TABLES = 200
"""Tables of an account in a list: first those that are not over, then the latest."""


async def seat_people(
    store: Store, request: ms.NewTableIn, account: Account | None
) -> tuple[ms.NewTableIn, list[Account | None]]:
    """Return a request with names of guests that no account has, and the account of each seat.

    An account gets the first seat on the device that creates the game.
    """
    local = [seat for seat, spec in enumerate(request.seats) if spec.kind == "local"]
    own = local[0] if local and account is not None else None
    names = {
        seat: spec.name
        for seat, spec in enumerate(request.seats)
        if seat != own and spec.kind != "bot" and spec.name is not None
    }
    unlike = dict(zip(names, await guest_names(store, list(names.values())), strict=True))
    seats = [
        spec.model_copy(update={"name": unlike[seat]}) if seat in unlike else spec
        for seat, spec in enumerate(request.seats)
    ]
    accounts = [account if seat == own else None for seat in range(len(seats))]
    return request.model_copy(update={"seats": seats}), accounts


async def guest_names(store: Store, names: Sequence[str]) -> list[str]:
    """Return names of guests; one that looks like an account's is marked as a guest's."""
    if not names:
        return []
    taken = await store.read(lambda connection: rows.by_names(connection, names))
    return [guest_name(name) if name_key(name) in taken else name for name in names]


async def own_tables(store: Store, account_id: str) -> list[str]:
    """Return the ids of an account's tables."""

    def job(connection: Any) -> list[str]:
        unfinished = rows.tables_of(connection, account_id, MAX_OWN_TABLES, over=False)
        latest = rows.tables_of(connection, account_id, MAX_OWN_TABLES)
        return list(dict.fromkeys([*unfinished, *latest]))[:MAX_OWN_TABLES]

    return await store.read(job)


def table_status(
    table: StoredTable, secrets: Sequence[str], account: Account | None
) -> dict[str, Any]:
    """Return the summary of a table, with the client's seats and whether they are to move."""
    summary = dict(table.summary)
    awaiting = set(summary.pop("awaiting"))
    bots = summary.pop("bots", [])  # not stored by 0.1.0
    summary.setdefault("result_reason", None)  # not stored by versions before 0.2.0
    owners = summary.setdefault("accounts", [None] * len(table.key_hashes))  # nor is this
    local = summary.pop("local", [])
    hashes = {hash_secret(secret) for secret in secrets}
    seats = {
        seat for seat, key in enumerate(table.key_hashes) if key in hashes and owners[seat] is None
    }
    if account is not None:
        own = {seat for seat, owner in enumerate(owners) if owner == account.id}
        seats |= own if own.isdisjoint(local) else own.union(local)
    seats.difference_update(bots)
    return {
        **summary,
        "bots": bots,
        "your_seats": sorted(seats),
        "your_turn": not awaiting.isdisjoint(seats),
        "updated": table.updated,
    }
