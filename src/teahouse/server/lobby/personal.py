"""Messages to accounts about their own games: one began, waits for a move, or is over."""

from __future__ import annotations

import logging
from typing import Any

from teahouse.server.accounts import rows as account_rows
from teahouse.server.lobby.members import Members
from teahouse.server.lobby.models import Visitor, account_key
from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.account_news import TOPIC, News, decode_news, news_of
from teahouse.server.tables.registry import Registry
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError
from teahouse.session.result import result_text
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.lobby.personal")

MAX_GAMES = 100
"""Unfinished games of an account that are listed when it connects."""


class PersonalNews:
    """Sends the accounts at a table the news about their game, if they are connected."""

    def __init__(self, registry: Registry, members: Members) -> None:
        self._registry = registry
        self._members = members
        self._tasks = BackgroundTasks()

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

    def start(self) -> None:
        """Listen to changes of tables, in this process and in others."""
        self._registry.add_listener(self.table_changed)
        self._registry.store.notifications.subscribe(TOPIC, self._on_notification)

    async def close(self) -> None:
        """Stop sending."""
        await self._tasks.cancel()

    def table_changed(self, table: str, before: GameSession | None, after: GameSession) -> None:
        """Send the news of a commit to the accounts at a table."""
        for seat, player in enumerate(after.seats):
            if player.account is None or after.is_bot(seat):
                continue
            if self._members.of(account_key(player.account)):
                for kind in news_of(seat, player.account, before, after):
                    self._send(table, after, seat, player.account, kind)

    def _send(self, table: str, session: GameSession, seat: int, account: str, kind: News) -> None:
        more = {"result_text": result_text(session)} if kind == "game_over" else {}
        body = {"type": kind, **_game(table, session, seat), **more}
        self._members.send(account_key(account), body)

    def _on_notification(self, text: str) -> None:
        """Send the news of tables that are not in memory here; the others follow by events."""
        for table, seat, account, kind in decode_news(text):
            here = self._members.of(account_key(account))
            if here and self._registry.loaded_room(table) is None:
                self._tasks.start(self._load_and_send(table, seat, account, kind))

    async def _load_and_send(self, table: str, seat: int, account: str, kind: News) -> None:
        try:
            room = await self._registry.room(table)
        except (ApiError, StoreError) as error:
            log.warning("Table %s: sending news to an account failed: %s", table, error)
            return
        self._send(table, room.session, seat, account, kind)


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
