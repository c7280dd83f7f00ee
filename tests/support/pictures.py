"""Parsed SVG pictures."""

import re
from xml.etree import ElementTree

import teahouse as th
from teahouse.conformance.samples import random_game

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    """Parse a picture; every reference resolves, and ids are unique."""
    root = ElementTree.fromstring(svg)
    found = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(found) == len(set(found))
    assert set(re.findall(r'(?:url\(|href=")#([^)"]+)', svg)) <= set(found)
    return root


def by(root: ElementTree.Element, attribute: str) -> dict[str, ElementTree.Element]:
    """Return the elements with an attribute by its value, which is unique."""
    found = [element for element in root.iter() if attribute in element.attrib]
    elements = {element.attrib[attribute]: element for element in found}
    assert len(elements) == len(found)
    return elements


def classes(element: ElementTree.Element) -> set[str]:
    """Return the classes of an element."""
    return set(element.attrib["class"].split())


def record_of(name: str, moves: int) -> th.Record:
    """Return a record of some random moves."""
    record = th.Record.new(th.load(name), seed=2)
    for position, move in random_game(record.game, seed=2):
        assert position == record.position
        if not move or len(record.moves) == moves:
            break
        record.play(move)
    return record
