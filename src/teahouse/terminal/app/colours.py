"""The colours of the house: paper, ink and wood, by day and by night."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from textual.theme import Theme

from teahouse.terminal.saved_games import folder, write_whole


@dataclass(frozen=True)
class Wood:
    """A board's colours: each pair is a ground and what is written on it."""

    board: tuple[str, str]
    cell: tuple[str, str]
    target: tuple[str, str]
    chosen: tuple[str, str]
    hint: tuple[str, str]
    last: tuple[str, str]
    nobody: tuple[str, str]
    """Pieces that belong to nobody."""
    players: dict[str, tuple[str, str]]


DAY = Wood(
    board=("#b89f70", "#2b2a28"),
    cell=("#c9b388", "#2b2a28"),
    target=("#a9cfe8", "#102f47"),
    chosen=("#c8452d", "#ffffff"),
    hint=("#2f6f9f", "#ffffff"),
    last=("#f3d27a", "#2b2a28"),
    nobody=("#c8452d", "#ffffff"),
    players={
        "white": ("#fffdf6", "#2b2a28"),
        "black": ("#1c1a17", "#fffaf0"),
        "red": ("#a32a15", "#ffffff"),
        "blue": ("#1f4f86", "#ffffff"),
        "yellow": ("#ffe58a", "#2b2a28"),
        "green": ("#1f6b45", "#ffffff"),
    },
)
NIGHT = Wood(
    board=("#5c4d38", "#f2ebdf"),
    cell=("#6d5c44", "#f2ebdf"),
    target=("#1d3d55", "#d8ecfa"),
    chosen=("#e0664c", "#1c1a17"),
    hint=("#6fb1de", "#1c1a17"),
    last=("#b98a2c", "#1c1a17"),
    nobody=("#e0664c", "#1c1a17"),
    players={
        "white": ("#fffdf6", "#2b2a28"),
        "black": ("#0b0a09", "#fffaf0"),
        "red": ("#ef7a5f", "#1c1a17"),
        "blue": ("#7fb8ea", "#1c1a17"),
        "yellow": ("#ffdd66", "#1c1a17"),
        "green": ("#6fce9a", "#1c1a17"),
    },
)
LIGHT, DARK = "tea house by day", "tea house by night"
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


def first_theme() -> str:
    """The theme chosen last, else one that suits the terminal as far as it tells."""
    try:
        remembered = _file().read_text(encoding="utf-8")
    except (OSError, ValueError):
        remembered = ""
    if remembered in (LIGHT, DARK):
        return remembered
    ground = os.environ.get("COLORFGBG", "").rpartition(";")[2]  # its background's number
    return LIGHT if ground in ("7", "15") else DARK


def remember_theme(name: str) -> None:
    """Take the same theme next time."""
    with suppress(OSError):  # a choice of colours is no reason to stop
        _file().parent.mkdir(parents=True, exist_ok=True)
        write_whole(_file(), name)


def _file() -> Path:
    return folder().parent / "theme"
