"""Errors of the client. Illegal moves are found locally and raise `teahouse.IllegalMove`."""

from __future__ import annotations

from collections.abc import Sequence


class ClientError(Exception):
    """Base of all errors of this package."""


class ConnectionLostError(ClientError):
    """The server could not be reached for too long, or closed the connection permanently."""


class ProtocolError(ClientError):
    """The server uses another protocol version, or sent an invalid message."""


class RequestError(ClientError):
    """The server rejected a request, and nothing has changed.

    `code` is for programs (docs/protocol.md lists them), `message` for people; `allowed` has the
    accepted values where the server names them.
    """

    def __init__(
        self, code: str, message: str, allowed: Sequence[str] | None = None, status: int = 0
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.allowed = tuple(allowed or ())
        self.status = status


class AuthenticationError(RequestError):
    """The token is missing, expired or revoked, or lacks the scope; or a seat's secret is wrong."""


class NotFoundError(RequestError):
    """There is no such table, challenge, account or tournament."""


class RateLimitError(RequestError):
    """A limit is exceeded, and waiting as long as the server asks for would take too long."""


_BY_CODE: dict[str, type[RequestError]] = {
    "sign_in_required": AuthenticationError,
    "invalid_token": AuthenticationError,
    "missing_scope": AuthenticationError,
    "invalid_secret": AuthenticationError,
    "forbidden_origin": AuthenticationError,
    "not_found": NotFoundError,
    "rate_limited": RateLimitError,
    "at_capacity": RateLimitError,
}


def request_error(body: object, status: int = 0) -> RequestError:
    """Return the error for the body of an error response or message."""
    if not isinstance(body, dict) or "code" not in body:
        return RequestError("invalid", f"The server answered with status {status}.", (), status)
    code = str(body["code"])
    kind = _BY_CODE.get(code, RequestError)
    return kind(code, str(body.get("message", code)), body.get("allowed"), status)
