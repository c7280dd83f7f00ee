"""The shapes that pictures are made of: those of the house, and a game's own `symbols.svg`.

A file holds shapes by their ids, for a spot that reaches from -50 to 50. What a shape may carry is
said by attributes: `data-emblem` and `data-sign` where and how large the sign of its colour or its
own sign is drawn (x y scale), `data-text` where its letters stand, `data-pips` that its count is
shown as pips.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from xml.etree import ElementTree  # only files of this package are read

SPACE = "{http://www.w3.org/2000/svg}"
_REFERENCE = re.compile(r'(?<=url\(#)[\w-]+(?=\))|(?<=href="#)[\w-]+(?=")')


@dataclass(frozen=True)
class Shape:
    """One shape: its markup, the other shapes it uses, and what it may carry."""

    markup: str
    uses: tuple[str, ...]
    carries: dict[str, tuple[float, ...]]


@cache
def shapes(game: str) -> dict[str, Shape]:
    """Every shape a game can draw with, by its id."""
    found = _read("teahouse.draw", "shapes.svg")
    if (resources.files(f"teahouse.games.{game}") / "symbols.svg").is_file():
        found = found | _read(f"teahouse.games.{game}", "symbols.svg")
    return found


def _read(package: str, name: str) -> dict[str, Shape]:
    text = (resources.files(package) / name).read_text(encoding="utf-8")
    found = {}
    for element in ElementTree.fromstring(text):  # noqa: S314
        carries = {
            attribute.removeprefix("data-"): tuple(
                map(float, element.attrib.pop(attribute).split())
            )
            for attribute in [*element.attrib]
            if attribute.startswith("data-")
        }
        for part in element.iter():
            part.tag = part.tag.removeprefix(SPACE)
            part.tail = None
        markup = ElementTree.tostring(element, encoding="unicode").replace(" />", "/>")
        uses = tuple(dict.fromkeys(_REFERENCE.findall(markup)))
        found[element.attrib["id"]] = Shape(markup, uses, carries)
    return found


@lru_cache(maxsize=256)  # a game's pictures need the same few sets of shapes
def definitions(game: str, needed: frozenset[str], prefix: str) -> str:
    """The shapes that a picture uses, and those that they use, under the picture's own ids."""
    known = shapes(game)
    chosen: dict[str, None] = {}
    rest = sorted(needed & set(known), reverse=True)
    while rest:
        name = rest.pop()
        if name not in chosen:
            chosen[name] = None
            rest += [used for used in known[name].uses if used in known]
    markup = "".join(known[name].markup for name in sorted(chosen))
    markup = _REFERENCE.sub(lambda name: prefix + name[0], markup)
    return re.sub(r' id="([\w-]+)"', rf' id="{prefix}\1"', markup)
