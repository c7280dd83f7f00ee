"""A message that cannot be followed: nothing has changed, and its sender is told why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

STATUS = {
    "invalid": 422,
    "secret": 403,
    "foreign": 403,
    "missing": 404,
    "large": 413,
    "fast": 429,
    "limit": 429,
    "busy": 503,
    "broken": 500,
}


class Refused(Exception):  # noqa: N818 - nothing is wrong with the house
    """Why not, in a word for programs and a sentence for people, and what is allowed."""

    def __init__(self, code: str, why: str, allowed: Sequence[str] | None = None) -> None:
        super().__init__(why)
        self.code = code
        self.why = why
        self.allowed = allowed

    @property
    def body(self) -> dict[str, Any]:
        """As it is told."""
        allowed = {} if self.allowed is None else {"allowed": list(self.allowed)}
        return {"code": self.code, "why": self.why, **allowed}

    @property
    def status(self) -> int:
        """The HTTP status."""
        return STATUS.get(self.code, 409)


def malformed(errors: Sequence[Any]) -> Refused:
    """What is wrong with a message's form, from Pydantic's findings, without what was sent."""
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return Refused("invalid", f"{where}: {first['msg']}" if where else str(first["msg"]))
