"""The public state of the lobby, sent whole once and then as diffs.

A message is serialised once for all members who see the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from teahouse.server.lobby.members import Member, Members
from teahouse.server.lobby.models import Challenge
from teahouse.server.web.messages import PROTOCOL
from teahouse.server.web.wire import RawJson, to_json


@dataclass(frozen=True)
class Item:
    """An entry of a list: its JSON, and the visitors it comes from."""

    text: str
    by: str | None = None
    source: Challenge | None = field(default=None, compare=False)

    @property
    def raw(self) -> RawJson:
        """The JSON, to be part of a message."""
        return RawJson(self.text)


Items = Mapping[str, Item]
Counts = dict[str, Any]


class LobbyFeed:
    """The lists that all members have been sent, and what has changed since."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._challenges: Items = {}
        self._games: Items = {}
        self._counts: Counts = {"players": 1, "games": 0, "seeking": {}}
        self._whole: dict[bool, str] = {}
        """The message with everything, with and without boards; empty when outdated."""

    def welcome(self, member: Member) -> None:
        """Send everything to a member."""
        if member.hidden:
            member.client.send(self._everything(member.boards, member.hidden))
            return
        if member.boards not in self._whole:
            self._whole[member.boards] = self._everything(member.boards, frozenset())
        member.client.send(self._whole[member.boards])

    def _everything(self, boards: bool, hidden: frozenset[str]) -> str:
        return to_json(
            {
                "type": "lobby",
                "protocol": PROTOCOL,
                "challenges": [one.raw for one in _shown(self._challenges.values(), hidden)],
                "games": [one.raw for one in self._games.values()] if boards else [],
                "counts": self._counts,
            }
        )

    def publish(
        self,
        challenges: Iterable[Challenge],
        games: Iterable[dict[str, Any]],
        counts: Counts,
    ) -> None:
        """Send all members what has changed."""
        public = {one.id: self._item(one) for one in challenges if one.to is None}
        playing = {one["id"]: Item(to_json(one)) for one in games}
        new, gone = _difference(self._challenges, public)
        boards, over = _difference(self._games, playing)
        body: dict[str, Any] = {"type": "changes"}
        if counts != self._counts:
            body["counts"] = counts
        self._challenges, self._games, self._counts = public, playing, counts
        if new or gone or boards or over or "counts" in body:
            self._whole.clear()
            self._send(body, (new, gone), (boards, over))

    def _item(self, challenge: Challenge) -> Item:
        """Return a challenge's item; the cached one if nothing has changed."""
        before = self._challenges.get(challenge.id)
        if before is not None and before.source is challenge:
            return before
        return Item(to_json(challenge.body), challenge.challenger.key, challenge)

    def _send(
        self,
        body: dict[str, Any],
        challenges: tuple[list[Item], list[str]],
        games: tuple[list[Item], list[str]],
    ) -> None:
        """Send the same text to all who see the same."""
        texts: dict[tuple[bool, frozenset[str]], str | None] = {}
        for member in self._members:
            key = (member.boards, member.hidden)
            if key not in texts:
                new = _shown(challenges[0], member.hidden)
                own = dict(body)
                if new or challenges[1]:
                    own["challenges"] = {
                        "changed": [one.raw for one in new],
                        "removed": challenges[1],
                    }
                if member.boards and any(games):
                    own["games"] = {
                        "changed": [one.raw for one in games[0]],
                        "removed": games[1],
                    }
                texts[key] = to_json(own) if len(own) > 1 else None
            text = texts[key]
            if text is not None:
                member.client.send(text)


def _difference(before: Items, after: Items) -> tuple[list[Item], list[str]]:
    """Return the items that are new or different, and the ids of those that are gone."""
    changed = [item for key, item in after.items() if before.get(key) != item]
    return changed, [key for key in before if key not in after]


def _shown(items: Iterable[Item], hidden: frozenset[str]) -> list[Item]:
    return [one for one in items if one.by not in hidden]
