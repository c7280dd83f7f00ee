"""Themes and palettes: contrast, the stylesheet of pages, and names of version 0.1."""

import re

import pytest
from support.pictures import record_of

import teahouse as th
from teahouse.draw import themes
from teahouse.draw.movie import movie
from teahouse.draw.style import RenderStyle


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def blended(over: str, under: str, share: float) -> str:
    """A colour that lets another one shine through."""
    parts = [
        round(share * int(over[at : at + 2], 16) + (1 - share) * int(under[at : at + 2], 16))
        for at in (1, 3, 5)
    ]
    return "#" + "".join(f"{part:02x}" for part in parts)


@pytest.mark.parametrize("theme", themes.THEMES)
@pytest.mark.parametrize("colours", themes.PALETTES)
def test_colours_have_enough_contrast(theme: str, colours: str) -> None:
    """3 to 1 for pieces on a board, 4.5 to 1 for text (WCAG 2.2)."""
    found = themes.variables(theme, colours)
    for ground in ("paper", "wood", "floor"):
        assert contrast(found["writing"], found[ground]) >= 4.5, ground
    assert contrast(found["ink"], found["paper"]) >= 4.5
    assert contrast(found["ink"], found["raised"]) >= 4.5
    for name in themes.PALETTES[colours]:
        body, edge, ink = found[name], found[f"{name}-edge"], found[f"{name}-ink"]
        assert contrast(body, blended(ink, body, float(found["emblem"]))) >= 3, name
        if not name.endswith(("-tea", "-tile")):  # cups have rims of china, tiles lie on paper
            ground = found["cell"]
            assert max(contrast(body, ground), contrast(edge, ground)) >= 3, name
    assert contrast(found["black-tea"], found["green-tea"]) >= 3
    assert contrast(found["white"], found["black"]) >= 3
    for colour in ("red", "blue"):
        assert contrast(found[colour], found[f"{colour}-tile"]) >= 2.5
        assert contrast(found["ivory"], found[colour]) >= 3  # the rim of a piece on its own tile
    for name in ("accent", "hint", "last"):
        assert contrast(found[name], found["cell"]) >= 3, name
    for ground in ("cell", "seat", "table", "floor", "wood", "paper", "red-tile", "blue-tile"):
        dot, edge = found["target"], found["target-edge"]
        assert max(contrast(dot, found[ground]), contrast(edge, found[ground])) >= 3, ground
        assert contrast(dot, edge) >= 3


def test_the_stylesheet_of_pages_has_every_theme() -> None:
    sheet = themes.stylesheet()
    for theme in (*themes.THEMES, "auto"):
        assert f"[data-theme={theme}]" in sheet
    for colours in themes.PALETTES:
        assert f"[data-colours={colours}]" in sheet
    used = set(re.findall(r"var\(--([\w-]+)\)", sheet))
    assert used <= set(re.findall(r"--([\w-]+):", sheet))
    # Rules never reach outside of boards.
    for selectors in re.findall(r"(?:^|\})([^{}@]+)\{", themes.scoped_rules(".board")):
        assert all(selector.startswith(".board") for selector in selectors.split(","))


def test_names_of_version_0_1_are_accepted() -> None:
    """Old names of themes and palettes draw the same picture until 0.3."""
    position = th.load("orochi", side=2).start()
    for old, new in (("paper", "light"), ("night", "dark")):
        assert position.svg(theme=old) == position.svg(theme=new)
        assert f"[data-theme={old}]" in themes.stylesheet()
    for old, new in (("tea", "classic"), ("clear", "colour-blind")):
        assert position.svg(colours=old) == position.svg(colours=new)
        assert f"[data-colours={old}]" in themes.stylesheet()
    record = record_of("orochi", 2)
    old_style, new_style = RenderStyle("night", "clear"), RenderStyle("dark", "colour-blind")
    assert movie(record, style=old_style) == movie(record, style=new_style)
