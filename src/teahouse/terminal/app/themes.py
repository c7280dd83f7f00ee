"""Themes of the app and colours of its boards, light and dark."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from textual.theme import Theme

from teahouse.core.files import write_atomic
from teahouse.terminal.saved_games import folder


@dataclass(frozen=True)
class BoardColours:
    """Pairs of background and text colour."""

    board: tuple[str, str]
    cell: tuple[str, str]
    target: tuple[str, str]
    chosen: tuple[str, str]
    hint: tuple[str, str]
    last: tuple[str, str]
    neutral: tuple[str, str]
    """Pieces without an owner."""
    players: dict[str, tuple[str, str]]


LIGHT_BOARD = BoardColours(
    board=("#b89f70", "#2b2a28"),
    cell=("#c9b388", "#2b2a28"),
    target=("#a9cfe8", "#102f47"),
    chosen=("#c8452d", "#ffffff"),
    hint=("#2f6f9f", "#ffffff"),
    last=("#f3d27a", "#2b2a28"),
    neutral=("#c8452d", "#ffffff"),
    players={
        "white": ("#fffdf6", "#2b2a28"),
        "black": ("#1c1a17", "#fffaf0"),
        "red": ("#a32a15", "#ffffff"),
        "blue": ("#1f4f86", "#ffffff"),
        "yellow": ("#ffe58a", "#2b2a28"),
        "green": ("#1f6b45", "#ffffff"),
    },
)
DARK_BOARD = BoardColours(
    board=("#5c4d38", "#f2ebdf"),
    cell=("#6d5c44", "#f2ebdf"),
    target=("#1d3d55", "#d8ecfa"),
    chosen=("#e0664c", "#1c1a17"),
    hint=("#6fb1de", "#1c1a17"),
    last=("#b98a2c", "#1c1a17"),
    neutral=("#e0664c", "#1c1a17"),
    players={
        "white": ("#fffdf6", "#2b2a28"),
        "black": ("#0b0a09", "#fffaf0"),
        "red": ("#ef7a5f", "#1c1a17"),
        "blue": ("#7fb8ea", "#1c1a17"),
        "yellow": ("#ffdd66", "#1c1a17"),
        "green": ("#6fce9a", "#1c1a17"),
    },
)
LIGHT, DARK = "teahouse-light", "teahouse-dark"
OLD_NAMES = {"tea house by day": LIGHT, "tea house by night": DARK}
"""Names in files that version 0.1 wrote."""
THEMES = (
    Theme(
        name=LIGHT,
        dark=False,
        primary="#c8452d",
        secondary="#2f6f9f",
        accent="#c8452d",
        warning="#8a5a00",
        error="#a32a15",
        success="#1f6b45",
        foreground="#2b2a28",
        background="#f6f1e7",
        surface="#fffaf0",
        panel="#ece3d0",
    ),
    Theme(
        name=DARK,
        dark=True,
        primary="#e0664c",
        secondary="#6fb1de",
        accent="#e0664c",
        warning="#e6b450",
        error="#ef7a5f",
        success="#6fce9a",
        foreground="#ece5d8",
        background="#1c1a17",
        surface="#26231f",
        panel="#322d27",
    ),
)


def initial_theme() -> str:
    """Return the saved theme, or one that suits the terminal's background."""
    try:
        saved = _file().read_text(encoding="utf-8")
    except (OSError, ValueError):
        saved = ""
    saved = OLD_NAMES.get(saved, saved)
    if saved in (LIGHT, DARK):
        return saved
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]  # an ANSI colour number
    return LIGHT if background in ("7", "15") else DARK


def save_theme(name: str) -> None:
    """Use this theme at the next start too."""
    with suppress(OSError):  # not worth stopping for
        _file().parent.mkdir(parents=True, exist_ok=True)
        write_atomic(_file(), name)


def _file() -> Path:
    return folder().parent / "theme"
