"""API errors: the answer to every rejected request or message, which has changed nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teahouse.session.errors import CommandError

HTTP_STATUS = {
    "invalid": 422,
    "sign_in_required": 401,
    "sign_in_failed": 401,
    "invalid_passkey": 401,
    "cloned_passkey": 401,
    "invalid_token": 401,
    "confirmation_required": 403,
    "invalid_secret": 403,
    "forbidden_origin": 403,
    "missing_scope": 403,
    "suspended": 403,
    "forbidden": 403,
    "wrong_password": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "too_large": 413,
    "rate_limited": 429,
    "at_capacity": 429,
    "internal": 500,
    "busy": 503,
}
OTHER_STATUS = 409
CLOSE_CODE = {
    "invalid": 4400,
    "sign_in_required": 4401,
    "invalid_token": 4401,
    "invalid_secret": 4403,
    "missing_scope": 4403,
    "suspended": 4403,
    "not_found": 4404,
    "unsupported_protocol": 4406,
    "too_large": 4413,
    "rate_limited": 4429,
    "at_capacity": 4429,
}
RECONNECT = 1012
"""The close code after which a client should connect again."""
MAX_RECORD = 100_000


class ApiError(Exception):
    """A rejected request or message: a code for programs, a message for people.

    `allowed` lists the accepted values where they are known.
    """

    def __init__(self, code: str, message: str, allowed: Sequence[str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = _sentence(message)
        self.allowed = allowed

    @classmethod
    def from_command(cls, error: CommandError) -> ApiError:
        """Return the API error for a command that the session rejected."""
        return cls(error.code, error.message, error.allowed)

    @property
    def body(self) -> dict[str, Any]:
        """The JSON body."""
        allowed = {} if self.allowed is None else {"allowed": list(self.allowed)}
        return {"code": self.code, "message": self.message, **allowed}

    @property
    def status(self) -> int:
        """The HTTP status."""
        return HTTP_STATUS.get(self.code, OTHER_STATUS)

    @property
    def close_code(self) -> int:
        """The code a socket is closed with if it cannot join."""
        return CLOSE_CODE.get(self.code, RECONNECT)


def _sentence(text: str) -> str:
    """Return a text with a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"
