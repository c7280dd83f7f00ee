"""Themes and palettes, and the stylesheets made from them.

A page links `stylesheet()` once and selects a theme and a palette with the attributes
`data-theme` and `data-colours` on the board or any element around it. A standalone picture carries
the rules with the colours substituted, so that it looks the same everywhere.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

from teahouse.core.errors import OptionError, listing, quoted

THEMES: Mapping[str, Mapping[str, str]] = {
    "light": {
        "paper": "#f6f1e7",
        "raised": "#fffaf0",
        "ink": "#2b2a28",
        "quiet": "#6f675b",
        "writing": "#443219",
        "accent": "#c8452d",
        "last": "#6f35a0",
        "hint": "#2f6f9f",
        "target": "#154a73",
        "target-edge": "#fdf6e3",
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
    "dark": {
        "paper": "#1c1a17",
        "raised": "#26231f",
        "ink": "#ece5d8",
        "quiet": "#a79d8e",
        "writing": "#cdc1ad",
        "accent": "#f58266",
        "last": "#d0a3f7",
        "hint": "#7cc0ee",
        "target": "#7cc0ee",
        "target-edge": "#0d1b28",
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

PALETTES: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "classic": {
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
    "colour-blind": {
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
"""For each colour: fill, outline, and ink of what is drawn on it."""
DARK_OUTLINES = {"black": "#cbbfab", "red": "#f5c9bd", "blue": "#c4dcf3", "green": "#cfe6c2"}
"""Outlines of dark colours on a dark background."""

# Names of version 0.1, accepted until 0.3.
OLD_THEMES = {"paper": "light", "night": "dark"}
OLD_PALETTES = {"tea": "classic", "clear": "colour-blind"}


def theme_name(name: str) -> str:
    """Return the current name of a theme; raise `OptionError` if it is unknown."""
    return _current("theme", name, [*THEMES, "auto"], OLD_THEMES)


def palette_name(name: str) -> str:
    """Return the current name of a palette; raise `OptionError` if it is unknown."""
    return _current("colours", name, [*PALETTES], OLD_PALETTES)


def _current(kind: str, name: str, known: list[str], old: Mapping[str, str]) -> str:
    name = old.get(name, name)
    if name not in known:
        raise OptionError(f"{kind} must be one of {listing(known)}, got {quoted(name)}.")
    return name


@cache
def variables(theme: str, palette: str) -> Mapping[str, str]:
    """Return every CSS variable of a theme and palette."""
    found = dict(THEMES[theme])
    for name, (fill, outline, ink) in PALETTES[palette].items():
        edge = DARK_OUTLINES.get(name, outline) if theme == "dark" else outline
        found |= {name: fill, f"{name}-edge": edge, f"{name}-ink": ink}
    found["emblem"] = "0.75" if palette == "classic" else "1"
    return found


@cache
def scoped_rules(scope: str) -> str:
    """Return the minified rules of `board.css`, limited to descendants of a selector."""
    text = (resources.files("teahouse.draw") / "board.css").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"\s*([{};:,>])\s*", r"\1", text).replace(";}", "}").strip()
    return re.sub(r"[^{}]+(?={)", lambda found: _scoped(scope, found[0]), text)


def _scoped(scope: str, selectors: str) -> str:
    return ",".join(
        scope if selector == ".board" else f"{scope} {selector}"
        for selector in selectors.split(",")
    )


def scope_class(theme: str, palette: str) -> str:
    """Return the class that keeps the rules of standalone pictures on one page apart."""
    return f"teahouse-{theme_name(theme)}-{palette_name(palette)}"


def substitute(text: str, theme: str, palette: str) -> str:
    """Replace CSS variables by their values; theme `auto` keeps them."""
    if theme == "auto":
        return text
    found = variables(theme, palette)
    return re.sub(r"var\(--([\w-]+)\)", lambda name: found[name[1]], text)


@cache
def standalone_css(theme: str, palette: str) -> str:
    """Return the stylesheet of a standalone picture; theme `auto` follows the reader's system."""
    scope = f".{scope_class(theme, palette)}"
    declared = ""
    if theme == "auto":
        light, dark = (f"{scope}{{{_declarations(one, palette)}}}" for one in THEMES)
        declared = f"{light}@media (prefers-color-scheme:dark){{{dark}}}"
    return declared + substitute(scoped_rules(scope), theme, palette)


def _declarations(theme: str, palette: str) -> str:
    return ";".join(f"--{name}:{value}" for name, value in variables(theme, palette).items())


@cache
def stylesheet() -> str:
    """Return the stylesheet for pages: every theme and palette, selected by attributes."""
    combinations = [
        (theme, palette, _declarations(theme, palette)) for theme in THEMES for palette in PALETTES
    ]
    lines = [f".board{{{combinations[0][2]}}}"]
    for theme, palette, declared in combinations:
        lines.append(f"{_selectors(theme, palette)}{{{declared}}}")
    for theme, palette, declared in combinations:
        rule = f"{_selectors('auto', palette)}{{{declared}}}"
        lines.append(f"@media (prefers-color-scheme:dark){{{rule}}}" if theme == "dark" else rule)
    return "\n".join([*lines, scoped_rules(".board"), ""])


def _selectors(theme: str, palette: str) -> str:
    """Return the selectors of boards under a theme and palette; the defaults may be left out."""
    by_theme = _attribute("data-theme", theme, OLD_THEMES)
    by_palette = _attribute("data-colours", palette, OLD_PALETTES)
    both = f"{by_theme}{by_palette}"
    selectors = [f"{both} .board", f".board{both}", f"{by_theme} {by_palette} .board"]
    if palette == "classic":
        selectors.append(f"{by_theme} .board")
    if theme == "light":
        selectors.append(f"{by_palette} .board")
    return ",".join(selectors)


def _attribute(name: str, value: str, old: Mapping[str, str]) -> str:
    """Return a selector that also matches a value's name of version 0.1."""
    values = [value, *(alias for alias, current in old.items() if current == value)]
    selectors = [f"[{name}={one}]" for one in values]
    return selectors[0] if len(selectors) == 1 else f":is({','.join(selectors)})"
