"""Names of accounts: short, readable, and no two that look alike."""

from __future__ import annotations

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from teahouse.server.web.messages import MAX_NAME
from teahouse.server.web.readable import clean, unreadable_because

MIN_LENGTH = 2
MAX_LENGTH = 20
PUNCTUATION = frozenset(" -_.'")
DELETED_NAME = "Deleted player"
"""Who stands for deleted accounts in games."""
RESERVED = frozenset(
    {
        DELETED_NAME,
        "admin",
        "administrator",
        "anonymous",
        "bot",
        "deleted",
        "guest",
        "level",
        "me",
        "moderator",
        "new",
        "nobody",
        "operator",
        "root",
        "server",
        "staff",
        "support",
        "system",
        "teahouse",
    }
)
LOOKALIKES = {
    # Digits and letters of the Latin script.
    **dict.fromkeys("0", "o"),
    **dict.fromkeys("1|!ı", "l"),
    **dict.fromkeys("i", "l"),
    **dict.fromkeys("5$", "s"),
    # Cyrillic and Greek letters with a Latin twin, after case folding.
    **dict(zip("аеорсухіјѕԁһкмтвнгԛԝӏ", "aeopcyxljsdhkmtbhrqwl", strict=True)),
    **dict(zip("αβγεζηικμνορστυχω", "abyezhlkmvopstyxw", strict=True)),
}
"""Letters that are taken for others, by the one they are taken for."""


def name_key(name: str) -> str:
    """Return what two names that look alike have in common: letters without case and accents."""
    spread = unicodedata.normalize("NFKD", name).casefold()
    letters = [
        LOOKALIKES.get(one, one)
        for one in unicodedata.normalize("NFKD", spread)
        if unicodedata.category(one)[0] in "LN"
    ]
    return "".join(letters).replace("rn", "m").replace("vv", "w")[:80]


def check_name(name: str) -> str:
    """Return a name without spaces around it, if an account may have it."""
    name = clean(name)
    kind = unreadable_because(name)
    if kind:
        raise _refused(f"Please choose a name without {kind} characters.")
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH:
        raise _refused(f"Please choose a name of {MIN_LENGTH} to {MAX_LENGTH} characters.")
    if any(unicodedata.category(one)[0] not in "LNM" and one not in PUNCTUATION for one in name):
        raise _refused("Please choose a name of letters, digits, spaces and - _ . ' only.")
    if unicodedata.category(name[0])[0] not in "LN" or "  " in name:
        raise _refused("Please choose a name that begins with a letter or a digit.")
    key = name_key(name)
    if len(key) < MIN_LENGTH:
        raise _refused(f"Please choose a name with at least {MIN_LENGTH} letters or digits.")
    if key in {name_key(one) for one in RESERVED}:
        raise _refused("This name is reserved. Please choose another one.")
    return name


def guest_name(name: str) -> str:
    """Return a guest's name that cannot be taken for an account of the same name."""
    mark = " (guest)"
    return name if name.endswith(mark) else f"{name[: MAX_NAME - len(mark)]}{mark}"


def _refused(message: str) -> PydanticCustomError:
    return PydanticCustomError("custom", message)


AccountName = Annotated[str, Field(max_length=200), AfterValidator(check_name)]
