"""Messages to accounts about their own games: one began, waits for a move, or is over."""

from __future__ import annotations

from typing import Any

from teahouse.server.accounts import rows as account_rows
from teahouse.server.lobby.members import Members
from teahouse.server.lobby.models import Visitor, account_key
from teahouse.server.registry import Registry
from teahouse.session.result import result_text
from teahouse.session.state import GameSession

MAX_GAMES = 100
"""Unfinished games of an account that are listed when it connects."""


class PersonalNews:
    """Tells the connected accounts of a table what concerns them."""

    def __init__(self, registry: Registry, members: Members) -> None:
        self._registry = registry
        self._members = members

    async def welcome(self, visitor: Visitor) -> list[dict[str, Any]]:
        """Return the unfinished games of an account; none for a guest."""
        account = visitor.account
        if account is None:
            return []
        store = self._registry.store
        ids = await store.read(
            lambda connection: account_rows.tables_of(connection, account.id, MAX_GAMES, over=False)
        )
        stored = await store.stored_tables(ids)
        return [
            _stored_game(table, stored[table].summary, account.id)
            for table in ids
            if table in stored
        ]

    def table_changed(self, table: str, before: GameSession | None, after: GameSession) -> None:
        """Tell the accounts at a table; called after every commit."""
        for seat, player in enumerate(after.seats):
            if player.account is None or after.is_bot(seat):
                continue
            key = account_key(player.account)
            if not self._members.of(key):
                continue
            news = _news(seat, player.account, before, after)
            for kind, more in news:
                body = {"type": kind, **_game(table, after, seat), **more}
                self._members.tell(key, body)


def _news(
    seat: int, account: str, before: GameSession | None, after: GameSession
) -> list[tuple[str, dict[str, Any]]]:
    """Return the kinds of news for the account of a seat, and what belongs to each."""
    found: list[tuple[str, dict[str, Any]]] = []
    if before is None or before.seats[seat].account != account:
        found.append(("game_begins", {}))
        before = None
    if after.over:
        if before is not None and not before.over:
            found.append(("game_over", {"result_text": result_text(after)}))
        return found
    if after.is_awaiting(seat) and (
        before is None or not before.is_awaiting(seat) or before.ply != after.ply
    ):
        found.append(("your_turn", {}))
    return found


def _game(table: str, session: GameSession, seat: int) -> dict[str, Any]:
    created = session.created
    return {
        "table": table,
        "seat": seat,
        "game": session.game.name,
        "title": session.game.title,
        "ply": session.ply,
        "rated": created.rated,
        "tournament": created.tournament,
        "time_control": created.time_control,
    }


def _stored_game(table: str, summary: dict[str, Any], account: str) -> dict[str, Any]:
    seats = [seat for seat, owner in enumerate(summary.get("accounts", ())) if owner == account]
    return {
        "table": table,
        "seat": seats[0] if seats else None,
        "game": summary["game"],
        "title": summary["title"],
        "ply": summary["ply"],
        "rated": summary.get("rated", False),
        "tournament": summary.get("tournament"),
        "your_turn": any(seat in summary["awaiting"] for seat in seats),
    }
