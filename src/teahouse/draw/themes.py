"""Colours of pictures, and the stylesheet that uses them.

A page links the stylesheet once and picks a theme with the attributes `data-theme` and
`data-colours` on any element around a board, or on the board. A picture that stands alone carries
the rules with the colours filled in, so that it looks the same wherever it is shown.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

from teahouse.core.errors import OptionError, listing, quoted

GROUNDS: Mapping[str, Mapping[str, str]] = {
    "paper": {
        "paper": "#f6f1e7",
        "raised": "#fffaf0",
        "ink": "#2b2a28",
        "quiet": "#6f675b",
        "writing": "#443219",
        "accent": "#c8452d",
        "hint": "#2f6f9f",
        "light": "#ffc83d",
        "wood": "#c99c66",
        "wood-edge": "#8f6437",
        "cell": "#e9cf9f",
        "cell-line": "#a67b48",
        "floor": "#ece2cd",
        "floor-edge": "#cdbb98",
        "table": "#d8ab74",
        "table-rim": "#8d5d33",
        "grain": "#b98750",
        "seat": "#bd8c57",
        "seat-line": "#8d5d33",
        "china": "#fdf9f0",
        "china-line": "#6d5a45",
        "ivory": "#fdf6e3",
        "back": "#b7a98d",
        "weave": "#857759",
        "wall": "#5c4a38",
        "wall-top": "#776250",
    },
    "night": {
        "paper": "#1c1a17",
        "raised": "#26231f",
        "ink": "#ece5d8",
        "quiet": "#a79d8e",
        "writing": "#cdc1ad",
        "accent": "#f58266",
        "hint": "#7cc0ee",
        "light": "#ffce5c",
        "wood": "#4b3726",
        "wood-edge": "#74583c",
        "cell": "#5f4731",
        "cell-line": "#3a2a1b",
        "floor": "#25211c",
        "floor-edge": "#443b30",
        "table": "#6d4d31",
        "table-rim": "#9a7248",
        "grain": "#5a3e26",
        "seat": "#4f3722",
        "seat-line": "#9a7248",
        "china": "#efe7d8",
        "china-line": "#1d1712",
        "ivory": "#f1e6cd",
        "back": "#4c443a",
        "weave": "#7d7162",
        "wall": "#17130f",
        "wall-top": "#2c241c",
    },
}

# Each colour's body, the edge around it, and the ink of what is on it.
SETS: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "tea": {
        "white": ("#f8f4ea", "#574735", "#5c5142"),
        "black": ("#262321", "#0b0a09", "#e8e0d2"),
        "red": ("#b23a30", "#4f120d", "#ffe3d8"),
        "blue": ("#2d5f93", "#0e2a47", "#e2effc"),
        "yellow": ("#e0ad35", "#5f4509", "#4b3606"),
        "green": ("#4f8143", "#1d3a15", "#eaf7dd"),
        "black-tea": ("#43190e", "#1d0a05", "#f0d9c4"),
        "green-tea": ("#a9c33f", "#49590f", "#2c3d07"),
        "red-tile": ("#ebb5a8", "#7c2a1f", "#6d1d13"),
        "blue-tile": ("#a9c5df", "#274a6e", "#163a60"),
    },
    "clear": {
        "white": ("#ffffff", "#3b3127", "#3b3127"),
        "black": ("#141414", "#000000", "#ffffff"),
        "red": ("#d55e00", "#4a2000", "#000000"),
        "blue": ("#0072b2", "#00283f", "#ffffff"),
        "yellow": ("#f0e442", "#5a5300", "#2b2800"),
        "green": ("#009e73", "#003a2a", "#000000"),
        "black-tea": ("#2a0f08", "#000000", "#ffffff"),
        "green-tea": ("#c3d94a", "#3c4a00", "#1c2600"),
        "red-tile": ("#ffe0c7", "#7a3600", "#6a2f00"),
        "blue-tile": ("#b5dcf5", "#00466e", "#00395a"),
    },
}
EDGES_AT_NIGHT = {"black": "#cbbfab", "red": "#f5c9bd", "blue": "#c4dcf3", "green": "#cfe6c2"}
"""Edges of dark colours that must stand out from a dark ground."""


def checked(kind: str, name: str, known: Mapping[str, object], *others: str) -> str:
    """The name of a theme or set, if there is such a one."""
    if name not in known and name not in others:
        raise OptionError(f"{kind} is one of {listing([*known, *others])}, not {quoted(name)}")
    return name


@cache
def values(theme: str, colours: str) -> Mapping[str, str]:
    """Every colour that the rules use, by its name."""
    found = dict(GROUNDS[theme])
    for name, (body, edge, ink) in SETS[colours].items():
        at_night = EDGES_AT_NIGHT.get(name, edge) if theme == "night" else edge
        found |= {name: body, f"{name}-edge": at_night, f"{name}-ink": ink}
    found["emblem"] = "0.75" if colours == "tea" else "1"
    return found


@cache
def rules(around: str) -> str:
    """The rules of the stylesheet for all that is inside of something, without spare space."""
    text = (resources.files("teahouse.draw") / "board.css").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"\s*([{};:,>])\s*", r"\1", text).replace(";}", "}").strip()
    return re.sub(r"[^{}]+(?={)", lambda found: _inside(around, found[0]), text)


def _inside(around: str, selectors: str) -> str:
    return ",".join(
        around if selector == ".board" else f"{around} {selector}"
        for selector in selectors.split(",")
    )


def scope(theme: str, colours: str) -> str:
    """The class of pictures that look so: rules of one picture leave all others alone."""
    checked("theme", theme, GROUNDS, "auto")
    checked("colours", colours, SETS)
    return f"teahouse-{theme}-{colours}"


def fill(text: str, theme: str, colours: str) -> str:
    """Put the colours of a theme in the place of their names, but for `auto`, which needs them."""
    if theme == "auto":
        return text
    found = values(theme, colours)
    return re.sub(r"var\(--([\w-]+)\)", lambda name: found[name[1]], text)


@cache
def style(theme: str, colours: str) -> str:
    """The stylesheet of a picture that stands alone; `auto` follows the reader's system."""
    around = f".{scope(theme, colours)}"
    names = ""
    if theme == "auto":
        light, dark = (f"{around}{{{_named(one, colours)}}}" for one in ("paper", "night"))
        names = f"{light}@media (prefers-color-scheme:dark){{{dark}}}"
    return names + fill(rules(around), theme, colours)


def _named(theme: str, colours: str) -> str:
    return ";".join(f"--{name}:{value}" for name, value in values(theme, colours).items())


@cache
def stylesheet() -> str:
    """The stylesheet for pages: every theme and set of colours, chosen by attributes."""
    parts = []
    for theme in GROUNDS:
        for colours in SETS:
            parts.append((theme, colours, _named(theme, colours)))
    lines = [f".board{{{parts[0][2]}}}"]
    for theme, colours, names in parts:
        lines.append(f"{_chosen(theme, colours)}{{{names}}}")
    for theme, colours, names in parts:
        dark = f"{_chosen('auto', colours)}{{{names}}}"
        lines.append(f"@media (prefers-color-scheme:dark){{{dark}}}" if theme == "night" else dark)
    return "\n".join([*lines, rules(".board"), ""])


def _chosen(theme: str, colours: str) -> str:
    """What matches boards under a theme and a set of colours; tea and paper need not be said."""
    attributes = [(f"[data-theme={theme}]", theme == "paper")]
    attributes.append((f"[data-colours={colours}]", colours == "tea"))
    named = "".join(text for text, _ in attributes)
    around = [f"{named} .board", f".board{named}", f"{attributes[0][0]} {attributes[1][0]} .board"]
    if attributes[1][1]:
        around.append(f"{attributes[0][0]} .board")
    if attributes[0][1]:
        around.append(f"{attributes[1][0]} .board")
    return ",".join(around)
