"""Validation of texts that others read, such as names and chat.

Invisible characters would make an empty name, or two names that look the same; characters that
change the direction of writing, and piles of accents, would spill over into the rest of the page.
"""

from __future__ import annotations

import unicodedata

UNPRINTABLE = ("Cc", "Cs", "Co", "Cn")
"""Unicode categories: control characters, surrogates, private use, unassigned."""
DIRECTION_CHANGING = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
JOINERS = frozenset("\u200c\u200d")
"""Invisible, but part of words in some scripts and of emoji: allowed between visible characters."""
EMOJI_STYLE = "\ufe0f"
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and symbols without a shape."""
MAX_MARKS = 3
"""Combining marks on one character."""


def clean(text: str) -> str:
    """Return a text in composed form (NFC), with plain spaces and none around it."""
    spaced = "".join(" " if unicodedata.category(one) == "Zs" else one for one in text)
    return unicodedata.normalize("NFC", spaced.strip())


def unreadable_because(text: str) -> str | None:
    """Return what kind of characters makes a text unreadable, or None if it is readable."""
    marks = 0
    for before, letter, after in zip(f" {text}", text, f"{text[1:]} ", strict=False):
        category = unicodedata.category(letter)
        if category in UNPRINTABLE:
            return "unprintable"
        if letter in DIRECTION_CHANGING:
            return "direction-changing"
        if letter in JOINERS or letter == EMOJI_STYLE:
            if not _visible(before) or (letter in JOINERS and not _visible(after)):
                return "invisible"
            continue
        if letter != " " and not _visible(letter):
            return "invisible"
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > MAX_MARKS or (marks and before == " "):
            return "overlapping"
    return None


def _visible(letter: str) -> bool:
    """Return whether a character leaves ink; an emoji's style belongs to the one before it."""
    invisible = unicodedata.category(letter) in ("Cf", "Zl", "Zp", "Zs", "Cc")
    selector = "\ufe00" <= letter <= "\ufe0e" or "\U000e0100" <= letter <= "\U000e01ef"
    return not invisible and not selector and letter not in BLANK
