"""Accounts and their sign-in sessions, as immutable values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from teahouse.session.events import Player

AccountKind = Literal["person", "bot"]


@dataclass(frozen=True)
class Account:
    """A person's or a program's account."""

    id: str
    name: str
    kind: AccountKind
    owner: str | None
    """The id of the person's account that runs a program's; None for a person."""
    created: float
    suspended_until: float | None
    """The time from which the account may play again; infinity for never."""
    deleted: bool
    suspended_because: str | None = None
    """What an operator says about the suspension."""
    role: str | None = None
    """`operator`, or None."""

    @property
    def is_operator(self) -> bool:
        """Whether the account may keep order: read reports, suspend accounts, close tables."""
        return self.role == "operator"

    def suspended(self, now: float) -> bool:
        """Return whether the account may only read."""
        return self.suspended_until is not None and now < self.suspended_until

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
