"""The report and the comparison as pages and as Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from support.html import Outline
from support.reports import small_report

import teahouse as th
from teahouse.draw import themes
from teahouse.lab import boards
from teahouse.lab.assets import asset
from teahouse.lab.comparison import ComparedFigure, Comparison
from teahouse.lab.formatting import value_text
from teahouse.lab.markdown import comparison_markdown, report_markdown
from teahouse.lab.page import comparison_page, report_fragment, report_page
from teahouse.lab.report import CurvePoint
from teahouse.lab.report_json import report_from_json
from teahouse.lab.stored import find_report, other_reports, report_command, store_report

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", th.games())
def test_page(name: str) -> None:
    """The file loads nothing, its ids are unique, and it shows all that was measured."""
    report = small_report(name)
    page = report_page(report)
    tags = Outline(page).elements
    for tag, attributes in tags:
        assert tag not in ("link", "img", "iframe", "object", "base"), tag
        assert "src" not in attributes, attributes
        assert (attributes.get("href") or "#").startswith("#"), attributes
        assert "style" not in attributes, attributes
        assert not [key for key in attributes if key.startswith("on")], attributes
    assert not re.search(r"url\((?!#)|@import", page)
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {(attributes.get("href") or "#")[1:] for _, attributes in tags} - {""}
    assert targets <= set(ids)
    text = re.sub(r"<[^>]+>", " ", page)
    for figure in report.figures:
        assert figure.label in text.replace("&#39;", "'")
    length = next(one for one in reversed(report.figures) if one.measure == "length.mean")
    assert f"A game takes {value_text(length.value, length.low, length.high, 'plies')} (" in text
    assert text.count("Cameron Browne, Automatic Generation") == 1
    assert "Games are &lt;b&gt;short&lt;/b&gt; &amp; few." in page
    assert page.count('class="card replay"') == len(report.games)
    assert page.count('class="heat-legend"') == len([one for one in report.heatmaps if one.values])


@pytest.mark.parametrize("name", th.games())
def test_replay(name: str) -> None:
    """At each ply the picture shows the pieces of that position, and nothing else."""
    record = small_report(name).games[0].record
    picture = ElementTree.fromstring(boards.replay(record, "x-"))

    def shown(element: ElementTree.Element, ply: int) -> Iterator[str]:
        ranges = element.get("data-plies")
        if ranges is not None:
            pairs = [map(int, one.split("-")) for one in ranges.split(" ")]
            if not any(first <= ply <= last for first, last in pairs):
                return
            assert (element.get("display") == "none") == (len(record.moves) not in plies_of(ranges))
        if "data-at" in element.attrib:
            yield element.attrib["data-at"]
        for child in element:
            yield from shown(child, ply)

    for ply, position in enumerate(record.positions):
        pieces = [spot.name for spot in position.scene.spots for _ in spot.pieces]
        names = {spot.name for spot in position.scene.spots}
        assert sorted(at for at in shown(picture, ply) if at in names) == sorted(pieces)


def plies_of(ranges: str) -> set[int]:
    """Return the plies of some ranges."""
    pairs = [[int(end) for end in one.split("-")] for one in ranges.split(" ")]
    return {ply for first, last in pairs for ply in range(first, last + 1)}


def test_json_is_read_again() -> None:
    for name in th.games():
        report = small_report(name)
        again = report_from_json(report.to_json())
        assert again.to_json() == report.to_json()
        assert report_fragment(again) == report_fragment(report)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"game": "chess", "options": {}}'])
def test_what_is_no_report_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a report"):
        report_from_json(text)


def test_unknown_and_open_intervals() -> None:
    report = small_report(th.games()[0])
    figure = replace(report.figures[0], value=math.nan, low=-math.inf, high=math.inf)
    half = replace(report.figures[0], key="other", low=-math.inf, high=40.0, sample="")
    points = (CurvePoint(0, math.nan, -math.inf, math.inf, 0), CurvePoint(1, 2, -math.inf, 9, 1))
    curve = replace(report.curves[0], points=points)
    nothing = replace(report.curves[1], points=points[:1])
    heat = replace(report.heatmaps[0], values={})
    changed = replace(
        report, figures=(figure, half), curves=(curve, nothing), heatmaps=(heat,), games=()
    )
    for text in (report_page(changed), report_markdown(changed)):
        assert "not known" in text
        assert "up to 40.0" in text
        assert not re.search(r"\bnan\b|\binf\b", text)
        assert nothing.label not in text
    Outline(report_page(changed))


def test_colours() -> None:
    """Numbers on heat maps and lines of plots can be told from what they are drawn on."""
    css = asset("report.css")
    heat = r"\.heat-(\d) { --heat: (#\w+); --heat-ink: (#\w+); }"
    light, dark, dark_again = _thirds(re.findall(heat, css))
    assert dark == dark_again
    for scale in (light, dark):
        assert [int(step) for step, _, _ in scale] == list(range(7))
        assert all(_contrast(ground, ink) >= 4.5 for _, ground, ink in scale)
        lightness = [_luminance(ground) for _, ground, _ in scale]
        assert sorted(lightness, reverse=scale is light) == lightness
    series = _thirds(re.findall(r"--series-(\d): (#\w+);", css))
    assert series[1] == series[2]
    for theme, colours in zip(("light", "dark"), series, strict=False):
        ground = themes.THEMES[theme]["raised"]
        assert all(_contrast(ground, colour) >= 3 for _, colour in colours)


def _thirds(found: list[tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
    size = len(found) // 3
    assert size
    return [found[part * size : (part + 1) * size] for part in range(3)]


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", th.games())
def test_markdown(name: str) -> None:
    """Tables are tables, and no text of the report is interpreted."""
    report = small_report(name)
    tokens = MarkdownIt("commonmark").enable("table").parse(report_markdown(report))
    assert not [token for token in tokens if token.type == "html_block"]
    widths: list[int] = []
    for token in tokens:
        if token.type == "tr_open":
            widths.append(0)
        elif token.type in ("th_open", "td_open"):
            widths[-1] += 1
        elif token.type == "table_close":
            assert len(set(widths)) == 1
            widths = []
    rows = sum(token.type == "tr_open" for token in tokens)
    assert rows > len(report.figures) + len(report.openings)
    assert [token.content for token in tokens if token.type == "fence"] == [
        f"{game.record.text().rstrip()}\n" for game in report.games
    ]


def compared(sample: str, low: float, high: float) -> ComparedFigure:
    """Return a figure whose difference has this interval."""
    middle = (low + high) / 2 if math.isfinite(high - low) else 1.0
    return ComparedFigure(
        key=f"length.mean.{sample.replace(' ', '')}",
        label="Length",
        section="Length",
        sample=sample,
        unit="plies",
        a=20.0,
        a_low=19.0,
        a_high=21.0,
        b=20 + middle,
        b_low=19 + middle,
        b_high=21 + middle,
        difference=middle,
        low=low,
        high=high,
        count=200,
        precision=2.0,
        definition="Moves of a game.",
        source="Browne 2008 (duration)",
    )


def test_comparison() -> None:
    game = th.load(th.games()[0])
    rows = (
        compared("random", 8.1, 10.3),
        compared("level 1", -1.5, 1.2),
        compared("level 2", -math.inf, math.inf),
    )
    pairs: Mapping[str, int] = {row.sample: row.count for row in rows}
    comparison = Comparison(game, game, rows, pairs, True, 1, ("Take <care>.",))
    page, text = comparison_page(comparison), comparison_markdown(comparison)
    Outline(page)
    assert page.count(rows[0].sentence) == 2
    assert page.count('class="reference"') == len(rows)
    for words in ("differs for sure", "no sure difference", "not decided", "8.1 to 10.3"):
        assert words in page
        assert words in text
    for words in ("Moves of a game.", "Browne 2008 (duration)", "PhD thesis"):
        assert page.count(words) == text.count(words) == 1
    assert "Take &lt;care&gt;." in page


def test_stored_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest report of the same options is found; broken folders are passed over."""
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path))
    name = th.games()[0]
    report = small_report(name)
    assert find_report(report.game) is None
    settings = report.to_json()  # has the same keys, game and options
    for number in range(2):
        folder = tmp_path / "lab" / f"{name}-{number}"
        folder.mkdir(parents=True)
        (folder / "lab.json").write_text(settings)
        store_report(replace(report, plan=(f"Plan {number}.",)), folder)
    for number, broken in enumerate(["", "[1]", '{"game": "x", "options": {}}']):
        folder = tmp_path / "lab" / f"{name}-broken{number}"
        folder.mkdir()
        (folder / "lab.json").write_text(broken)
        (folder / "report.json").write_text("{")
    found = find_report(report.game)
    assert found is not None
    assert found.read().plan in (("Plan 0.",), ("Plan 1.",))
    assert found.path == f"/lab/{name}"
    assert other_reports(report.game) == ()
    assert report_command(report.game) == f"teahouse report {name}"
