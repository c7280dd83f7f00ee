"""API errors: every rejected request or message is answered by one, and nothing has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teahouse.session.errors import CommandError

HTTP_STATUS = {
    "invalid": 422,
    "invalid_secret": 403,
    "forbidden_origin": 403,
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
    "invalid_secret": 4403,
    "not_found": 4404,
    "unsupported_protocol": 4406,
    "too_large": 4413,
    "rate_limited": 4429,
    "at_capacity": 4429,
}
RECONNECT = 1012
"""The close code after which a client should connect again."""
MAX_RECORD = 100_000

_TYPE_NAMES = {
    "string_type": "a string",
    "int_type": "an integer",
    "int_parsing": "an integer",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dataclass_type": "an object",
}


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


def validation_error(errors: Sequence[Mapping[str, Any]]) -> ApiError:
    """Return the API error for the first of Pydantic's errors, without echoing the input."""
    first = errors[0]
    field = ".".join(str(part) for part in first["loc"] if part != "body") or "The body"
    kind, context = first["type"], first.get("ctx", {})
    return ApiError("invalid", _message(field, kind, context, str(first["msg"])))


def _message(field: str, kind: str, context: Mapping[str, Any], fallback: str) -> str:
    if kind == "string_too_long" and context["max_length"] == MAX_RECORD:
        return f"This record is too long (limit {MAX_RECORD:,} characters)."
    if kind in _TYPE_NAMES:
        return f"{field} must be {_TYPE_NAMES[kind]}."
    match kind:
        case "custom":
            return fallback
        case "missing":
            return f"{field}: a required field is missing."
        case "union_tag_not_found":
            name = str(context["discriminator"]).strip("'")
            return f"{field}: the required field {name} is missing."
        case "extra_forbidden":
            return f"{field} is not a known field."
        case "string_too_long":
            return f"{field} is too long (limit {context['max_length']:,} characters)."
        case "string_too_short":
            return f"{field} must not be empty."
        case "too_long":
            return f"{field} has too many entries (limit {context['max_length']:,})."
        case "too_short":
            return f"{field} has too few entries (minimum {context['min_length']:,})."
        case "greater_than_equal":
            return f"{field} must be at least {context['ge']}."
        case "less_than_equal":
            return f"{field} must be at most {context['le']}."
        case "less_than":
            return f"{field} must be less than {context['lt']}."
        case "literal_error":
            return f"{field} must be {context['expected']}."
        case "union_tag_invalid":
            name = str(context["discriminator"]).strip("'")
            return f"{field}: {name} must be one of {context['expected_tags']}."
        case "string_pattern_mismatch":
            return f"{field} has the wrong format (pattern {context['pattern']})."
        case "json_invalid":
            return "The message is not valid JSON."
    return f"{field}: {fallback}"
