"""Accounts and their sign-in sessions, as immutable values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from teahouse.session.events import HumanSeat, Player, SeatSpec

FOREVER = 253_402_300_799.0
"""The end of a suspension that does not end: the last second of the year 9999."""
AccountKind = Literal["person", "bot"]


def until_text(until: float) -> str:
    """Return the end of a suspension in words."""
    if until >= FOREVER:
        return "permanently"
    return f"until {datetime.fromtimestamp(until, UTC):%d %B %Y, %H:%M} UTC"


@dataclass(frozen=True)
class Account:
    """The account of a person, or a bot account."""

    id: str
    name: str
    kind: AccountKind
    owner: str | None
    """The id of the owner of a bot account; None for a person."""
    created: float
    suspended_until: float | None
    """The time from which the account may play again; the year 9999 for never."""
    deleted: bool
    suspended_because: str | None = None
    """What an operator says about the suspension."""
    role: str | None = None
    """`operator`, or None."""

    @property
    def is_operator(self) -> bool:
        """Whether the account may moderate: read reports, suspend accounts, close tables."""
        return self.role == "operator"

    def suspended(self, now: float) -> bool:
        """Return whether the account may only read."""
        return self.suspended_until is not None and now < self.suspended_until

    @property
    def suspension_text(self) -> str:
        """Until when the account is suspended and why, as a sentence for its owner."""
        when = until_text(self.suspended_until or 0.0)
        because = f" Reason: {self.suspended_because}" if self.suspended_because else ""
        return f"Your account is suspended {when}: you can read, but not play.{because}"

    @property
    def player(self) -> Player:
        """The account as it takes a seat."""
        return Player(account=self.id, name=self.name, program=self.kind == "bot")

    @property
    def body(self) -> dict[str, Any]:
        """What everybody may see."""
        return {"id": self.id, "name": self.name, "kind": self.kind}


@dataclass(frozen=True)
class AccountSession:
    """A signed-in browser."""

    id: str
    account_id: str
    created: float
    used: float
    """When it was last used, to the hour."""
    browser: str
    """The browser and the system, in words."""


def with_account(spec: SeatSpec, account: Account | None) -> SeatSpec:
    """Return a seat as the account plays it; unchanged for a guest."""
    if account is None:
        return spec
    assert isinstance(spec, HumanSeat), "bots of a level have no account"
    player = account.player
    return replace(spec, name=player.name, account=player.account, program=player.program)
