"""What is wrong with a request, in words for people: never a validator's own text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from teahouse.server.web.errors import MAX_RECORD, ApiError

NOT_JSON = "The message is not valid JSON."
SOURCES = ("body", "path", "query", "header", "cookie")
LISTS = {
    "seats": "seat",
    "moves": "move",
    "tables": "table",
    "secrets": "secret",
    "clicked": "click",
    "nodes": "move",
    "spots": "spot",
}
"""Fields that are lists, and what their entries are called."""
NAMES = {"ply": "Move number", "id": "Id", "time_control": "Clock"}
"""Fields whose name says little to people."""
FORMATS = {
    "game": "the name of a game, in small letters",
    "secret": "the part of a seat's link after the #",
    "id": "10 small letters and digits",
}
TYPES = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "finite": "a number",
    "bool": "true or false",
    "list": "a list",
    "tuple": "a list",
    "dict": "an object",
    "mapping": "an object",
    "model": "an object",
    "dataclass": "an object",
    "none": "null",
}
"""What is expected, by the first word of an error's type."""
Wording = Callable[[Mapping[str, Any]], str]
REASONS: Mapping[str, Wording] = {
    "missing": lambda _: "is missing",
    "extra_forbidden": lambda _: "is not a known field",
    "string_too_long": lambda c: f"is too long (limit {c['max_length']:,} characters)",
    "string_too_short": lambda _: "must not be empty",
    "too_long": lambda c: f"has too many entries (limit {c['max_length']:,})",
    "too_short": lambda c: f"has too few entries (minimum {c['min_length']:,})",
    "greater_than_equal": lambda c: f"must be at least {c['ge']}",
    "greater_than": lambda c: f"must be more than {c['gt']}",
    "less_than_equal": lambda c: f"must be at most {c['le']}",
    "less_than": lambda c: f"must be less than {c['lt']}",
    "literal_error": lambda c: f"must be {c['expected']}",
    "union_tag_invalid": lambda c: f"must have a {_tag(c)} that is one of {c['expected_tags']}",
    "union_tag_not_found": lambda c: f"needs the field {_tag(c)}",
}


def validation_error(errors: Sequence[Mapping[str, Any]]) -> ApiError:
    """Return the API error for the first of Pydantic's errors, without echoing the input."""
    first = errors[0]
    kind, context = str(first["type"]), first.get("ctx", {})
    if kind == "custom":  # a sentence of this package
        return ApiError("invalid", str(first["msg"]))
    if kind == "string_too_long" and context["max_length"] == MAX_RECORD:
        return ApiError("invalid", f"This record is too long (limit {MAX_RECORD:,} characters).")
    if kind.startswith("json"):
        return ApiError("invalid", NOT_JSON)
    source, *path = first["loc"] or ("body",)
    if source not in SOURCES:
        path = [source, *path]
    if source == "path" and path[-1].endswith("_id"):
        return ApiError("not_found", f"There is no such {path[-1].removesuffix('_id')}.")
    field = field_name(path)
    if path[:1] == ["options"] and len(path) > 2:  # one error for each type that it may have
        return ApiError("invalid", f"{field} must be text, a whole number, or true or false.")
    return ApiError("invalid", f"{field} {_reason(kind, context, path)}.")


def field_name(path: Sequence[str | int]) -> str:
    """Return a field in words, such as "Level of seat 2"."""
    named: list[str] = []
    for number, part in enumerate(path):
        before = path[number - 1] if number else None
        if isinstance(part, int) and isinstance(before, str):
            named[-1:] = [f"{LISTS.get(before, before)} {part + 1}"]
        elif isinstance(part, str) and before == "options":
            return f"Option {part}"
        elif isinstance(part, str) and not _is_tag(path, number):
            named.append(NAMES.get(part, part.replace("_", " ")))
    if not named:
        return "The request"
    last, *outer = reversed(named[-2:])
    text = " of ".join([last, *(one for one in outer if one[-1:].isdigit())])
    return text[:1].upper() + text[1:]


def _is_tag(path: Sequence[str | int], number: int) -> bool:
    """Return whether a part of a path names a kind of object and no field."""
    of_seat = number > 1 and path[number - 2] == "seats"
    return of_seat or (number > 0 and path[number - 1] == "time_control")


def _tag(context: Mapping[str, Any]) -> str:
    return str(context["discriminator"]).strip("'")


def _reason(kind: str, context: Mapping[str, Any], path: Sequence[str | int]) -> str:
    if kind in REASONS:
        return REASONS[kind](context)
    if kind == "string_pattern_mismatch":
        names = [LISTS.get(part, part) for part in path if isinstance(part, str)]
        expected = FORMATS.get(names[-1]) if names else None
        return f"must be {expected}" if expected else "has the wrong format"
    expected = TYPES.get(kind.split("_")[0])
    return f"must be {expected}" if expected else "is not valid"
