"""Names and chat: what is accepted, and what is rejected as unreadable."""

from __future__ import annotations

import pytest

from teahouse.server.web.readable import clean, unreadable_because


@pytest.mark.parametrize(
    "text",
    [
        "Anna",
        "Zoë Müller-O'Brien",
        "日本 太郎",
        "محمد",
        "می\u200cخواهم",  # the joiner is part of the word
        "अनुष्का",
        "สวัสดี",
        "👩\u200d👩\u200d👧",
        "❤\ufe0f\u200d🔥",
        "1\ufe0f\u20e3",
        "a\u0323\u0302",
        "…",
    ],
)
def test_readable(text: str) -> None:
    assert unreadable_because(clean(text)) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("\u200b", "invisible"),
        ("An\u200bna", "invisible"),
        ("An\u00adna", "invisible"),
        ("\u2060", "invisible"),
        ("\u2800", "invisible"),
        ("\u3164", "invisible"),
        ("\u115f\u1160", "invisible"),
        ("\u200d", "invisible"),
        ("Anna\u200d", "invisible"),
        ("\ufe0f", "invisible"),
        ("A\ufe01", "invisible"),
        ("A\U000e0041", "invisible"),
        ("A\u2028B", "invisible"),
        ("\u202eannA", "direction-changing"),
        ("Anna\u200f", "direction-changing"),
        ("a\x07", "unprintable"),
        ("a\ue000", "unprintable"),
        ("a\ud800", "unprintable"),
        ("a" + "\u0300\u0301\u0302\u0303\u0304", "overlapping"),
        ("\u0301Anna", "overlapping"),
        ("Anna \u0301", "overlapping"),
    ],
)
def test_unreadable(text: str, kind: str) -> None:
    assert unreadable_because(clean(text)) == kind


def test_spaces_and_accents_have_one_form() -> None:
    assert clean("\u3000Anna\u00a0B.\u2003") == "Anna B."
    assert clean("Zoe\u0308") == "Zo\u00eb"
    assert clean(" \u00a0 ") == ""
