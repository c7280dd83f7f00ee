"""Common passwords: those of published breaches, keyboard sequences, and the account's name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

LIST = Path(__file__).with_name("common_passwords.txt")
MAX_PREFIX = 4
MAX_SUFFIX = 6
"""Digits and punctuation before and after a word, as in "!!summer2024"."""
MIN_DIFFERENT = 4
"""Different characters that a password must have."""
_SUBSTITUTES = str.maketrans("013457@$!+", "oieastasit")
_ROWS = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "qazwsxedcrfvtgbyhnujm",
    "1q2w3e4r5t6y7u8i9o0p",
    "q1w2e3r4t5y6u7i8o9p0",
    "zaq12wsxcde34rfv",
    "!@#$%^&*()",
)


def too_common(password: str, name: str) -> str | None:
    """Return why a password is easily guessed, or None."""
    folded = password.casefold()
    own = "".join(one for one in name.casefold() if one.isalnum())
    bare = "".join(one for one in folded if one.isalnum())
    if len(own) > 2 and own in bare and len(bare) - len(own) <= MAX_PREFIX + MAX_SUFFIX:
        return "it contains your name"
    if len(set(folded)) < MIN_DIFFERENT or _repeats(folded):
        return "it repeats itself"
    if _is_sequence(folded):
        return "it is a sequence of keys"
    if any(word in _words() for word in _cores(folded)):
        return "it is one of the most common ones"
    return None


@cache
def _words() -> frozenset[str]:
    return frozenset(LIST.read_text(encoding="utf-8").split())


def _cores(folded: str) -> set[str]:
    """Return a password, and what is left of it without digits and punctuation around a word."""
    found = set()
    for text in (folded, folded.translate(_SUBSTITUTES)):
        letters = [at for at, one in enumerate(text) if one.isalpha()]
        found.add(text)
        if letters:
            first, last = letters[0], letters[-1] + 1
            if first <= MAX_PREFIX and len(text) - last <= MAX_SUFFIX:
                found.add(text[first:last])
    inner = folded.strip("0123456789!?.,-_*#$@ ")
    if len(folded) - len(inner) <= MAX_PREFIX + MAX_SUFFIX:
        found.add(inner.translate(_SUBSTITUTES))
        found.add("".join(one for one in inner.translate(_SUBSTITUTES) if one.isalnum()))
    return found


def _repeats(text: str) -> bool:
    """Return whether a text is a short one, repeated."""
    return (
        any((text[:size] * len(text))[: len(text)] == text for size in range(1, len(text) // 2 + 1))
        and len(set(text)) < 2 * MIN_DIFFERENT
    )


def _is_sequence(text: str) -> bool:
    """Return whether a text is made of a few runs along the keyboard or the alphabet."""
    runs, at = 0, 0
    while at < len(text):
        at += max(_run(text[at:]), 1)
        runs += 1
    return runs <= max(1, len(text) // 4)


def _run(text: str) -> int:
    """Return how many characters from the start run along a row, in either direction."""
    longest = 0
    for row in _ROWS:
        for keys in (row, row[::-1]):
            size = longest + 1
            while size <= len(text) and text[:size] in keys:
                longest = size
                size += 1
    return longest
