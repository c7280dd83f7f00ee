"""The symbols that pictures are made of: shared ones, and a game's own `symbols.svg`.

A file holds symbols by id, for a spot that extends from -50 to 50. Attributes declare slots for
what a symbol may carry: `data-emblem` and `data-sign` (x y scale) for the emblem of its colour and
for `Piece.sign`, `data-text` (x y) for `Piece.text`, `data-pips` for its count shown as pips.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from xml.etree import ElementTree  # reads only files of installed packages

from teahouse.core.packages import game_text

SVG_NAMESPACE = "{http://www.w3.org/2000/svg}"
_REFERENCE = re.compile(r'(?<=url\(#)[\w-]+(?=\))|(?<=href="#)[\w-]+(?=")')


@dataclass(frozen=True)
class Symbol:
    """A symbol's markup, the ids it references, and its slots."""

    markup: str
    references: tuple[str, ...]
    slots: dict[str, tuple[float, ...]]


@cache
def symbols(game: str) -> dict[str, Symbol]:
    """Return every symbol a game can draw with, by id."""
    shared = (resources.files("teahouse.draw") / "symbols.svg").read_text(encoding="utf-8")
    own = game_text(game, "symbols.svg")
    return _parse(shared) | (_parse(own) if own else {})


def _parse(text: str) -> dict[str, Symbol]:
    found = {}
    for element in ElementTree.fromstring(text):  # noqa: S314  # nosec B314
        slots = {
            attribute.removeprefix("data-"): tuple(
                map(float, element.attrib.pop(attribute).split())
            )
            for attribute in [*element.attrib]
            if attribute.startswith("data-")
        }
        for part in element.iter():
            part.tag = part.tag.removeprefix(SVG_NAMESPACE)
            part.tail = None
        markup = ElementTree.tostring(element, encoding="unicode").replace(" />", "/>")
        references = tuple(dict.fromkeys(_REFERENCE.findall(markup)))
        found[element.attrib["id"]] = Symbol(markup, references, slots)
    return found


def definitions(game: str, needed: frozenset[str], prefix: str) -> str:
    """Return the needed symbols and all they reference, with prefixed ids."""
    return "".join(definition_list(game, needed, prefix))


@lru_cache(maxsize=256)  # a game's pictures need the same few sets of symbols
def definition_list(game: str, needed: frozenset[str], prefix: str) -> tuple[str, ...]:
    """Return the needed symbols and all they reference one by one, with prefixed ids."""
    known = symbols(game)
    included: dict[str, None] = {}
    pending = sorted(needed & set(known), reverse=True)
    while pending:
        name = pending.pop()
        if name not in included:
            included[name] = None
            pending += [reference for reference in known[name].references if reference in known]
    return tuple(_prefixed(known[name].markup, prefix) for name in sorted(included))


def _prefixed(markup: str, prefix: str) -> str:
    """Return markup with a prefix in front of its ids and references."""
    markup = _REFERENCE.sub(lambda name: prefix + name[0], markup)
    return re.sub(r' id="([\w-]+)"', rf' id="{prefix}\1"', markup)
