"""News for the accounts at a table: the game began, it is their turn, or it is over."""

from __future__ import annotations

from typing import Literal, get_args

from teahouse.session.consent import is_awaiting
from teahouse.session.state import GameSession

News = Literal["game_begins", "your_turn", "game_over"]
TOPIC = "news"
"""The topic of notifications with news."""
_KINDS: tuple[News, ...] = get_args(News)


def news_of(seat: int, account: str, before: GameSession | None, after: GameSession) -> list[News]:
    """Return the news for the account of a seat; `before` is None for a new table."""
    found: list[News] = []
    if before is None or before.seats[seat].account != account:
        found.append("game_begins")
        before = None
    if after.over:
        if before is not None and not before.over:
            found.append("game_over")
        return found
    if is_awaiting(after, seat) and (
        before is None or not is_awaiting(before, seat) or before.ply != after.ply
    ):
        found.append("your_turn")
    return found


def encode_news(table: str, before: GameSession | None, after: GameSession) -> list[str]:
    """Return the news for all accounts of a table, as items of a notification."""
    return [
        f"{table}:{seat}:{player.account}:{_KINDS.index(kind)}"
        for seat, player in enumerate(after.seats)
        if player.account is not None and not after.is_bot(seat)
        for kind in news_of(seat, player.account, before, after)
    ]


def decode_news(text: str) -> list[tuple[str, int, str, News]]:
    """Return table, seat, account and kind of each news in a notification."""
    items = (item.split(":") for item in text.split(" "))
    return [(table, int(seat), account, _KINDS[int(kind)]) for table, seat, account, kind in items]
