"""Facts of the README agree with the benchmarks, and no picture is stale."""

import json
import re

import diagrams
import pictures
import pytest
from support.documents import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCES = {"manifest.json", "paths.toml", "records.txt"}
UNITS = {"million": 1e6, "billion": 1e9}
NUMBER = re.compile(r"(?<![\w=(.])(\d[\d,]*(?:\.\d+)?)(?: (million|billion))?")


def _facts() -> list[list[str]]:
    """Return the cells of the rows of measured facts."""
    (table,) = re.findall(r"^## Measured\n\n(.*?)\n\n", README, re.M | re.S)
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def _section(path: str, anchor: str) -> str:
    """Return the section of a document that an anchor leads to."""
    for part in re.split(r"^(?=## )", (ROOT / path).read_text(encoding="utf-8"), flags=re.M):
        heading = part.partition("\n")[0].lstrip("# ").lower()
        if re.sub(r"[^\w -]", "", heading).replace(" ", "-") == anchor:
            return part
    raise AssertionError(f"{path} has no section {anchor}")


def _value(text: str) -> float:
    return float(text.replace(",", ""))


@pytest.mark.parametrize("row", _facts(), ids=lambda row: re.sub(r"\W+", "-", row[1])[:24])
def test_facts_are_those_of_the_benchmarks(row: list[str]) -> None:
    (link,) = re.findall(r"\]\(([^)]+)\)", row[0])
    section = _section(*link.split("#"))
    for cell in row[1:3]:
        labels = re.findall(r"\(([a-z].*)\)", cell, re.I)
        lines = [line for line in section.splitlines() if not labels or labels[0] in line]
        known = [_value(text) for line in lines for text, _ in NUMBER.findall(line)]
        for text, unit in NUMBER.findall(cell):
            decimals = len(text.partition(".")[2])
            scaled = [number / scale for number in known for scale in {1, UNITS.get(unit, 1)}]
            assert _value(text) in [round(number, decimals) for number in scaled], (text, cell)


def test_facts_have_numbers() -> None:
    assert [len(NUMBER.findall(row[1])) > 0 for row in _facts()] == [True] * 4


@pytest.mark.parametrize("name", pictures.REDRAWN)
def test_drawings_are_current(name: str) -> None:
    assert pictures.PICTURES[name]() == (pictures.FOLDER / name).read_bytes(), "run make pictures"


@pytest.mark.parametrize("name", pictures.LOOKS)
def test_screenshots_are_current(name: str) -> None:
    manifest = json.loads(pictures.MANIFEST.read_text())
    assert manifest[name] == pictures.looks(name), "run make pictures"


def test_every_picture_is_drawn_and_shown() -> None:
    documents = "".join(
        page.read_text(encoding="utf-8")
        for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    )
    drawn = {*pictures.PICTURES, *(f"{path.name}.svg" for path in diagrams.read_paths())}
    stored = {path.name for path in pictures.FOLDER.iterdir()} - SOURCES
    assert stored == drawn
    assert [name for name in drawn if f"pictures/{name}" not in documents] == []
    assert (pictures.FOLDER / "game.webp").stat().st_size < 1_500_000
