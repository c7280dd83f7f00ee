"""The tables of docs/benchmarks.md and the README's figures are those of the history."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import history
import pytest
import roofline
import tables

WRITERS = ((tables.PAGE, tables.page), (tables.README, tables.readme))


@pytest.mark.parametrize(("path", "write"), WRITERS)
def test_documents_have_the_latest_figures(
    path: Path, write: Callable[[str, list[history.Entry]], str]
) -> None:
    text = path.read_text(encoding="utf-8")
    assert write(text, history.read()) == text, "run python benchmarks/tables.py"


def test_every_table_is_in_the_page() -> None:
    text = tables.PAGE.read_text(encoding="utf-8")
    assert sorted(match["name"] for match in tables.TABLE.finditer(text)) == sorted(tables.TABLES)


def test_tables_follow_the_history() -> None:
    entries = history.read()
    later = [*entries, *(replace(one, date="9999-12-31", value=1.5 * one.value) for one in entries)]
    page = tables.PAGE.read_text(encoding="utf-8")
    found = tables.page(page, later)
    before = [match[0] for match in tables.TABLE.finditer(page)]
    after = [match[0] for match in tables.TABLE.finditer(found)]
    assert all("9999-12-31" in table for table in after)
    assert all(one != other for one, other in zip(before, after, strict=True))
    readme = tables.README.read_text(encoding="utf-8")
    lines = zip(readme.splitlines(), tables.readme(readme, later).splitlines(), strict=True)
    changed = [line for line, other in lines if line != other]
    assert [line.split("]")[0] for line in changed] == [
        "| random moves per second, [one CPU core",
        "| random moves per second, [one GPU",
    ]


def test_a_partial_run_replaces_its_own_tables_only() -> None:
    entries = history.read()
    newer = [
        replace(one, date="9999-12-31") for one in entries if one.row.startswith("GPU playouts")
    ]
    page = tables.PAGE.read_text(encoding="utf-8")
    found = tables.page(page, [*entries, *newer])
    assert found.count("9999-12-31") == 1


def test_the_roofline_has_the_latest_figures() -> None:
    cpu, gpu = roofline.PAGE.read_text(encoding="utf-8").split(f"## {roofline.H200}")
    entries = history.read()
    for text, tables_shown in ((cpu, roofline.CPU_TABLES), (gpu, roofline.GPU_TABLES)):
        figures = roofline.figures(entries, tables_shown)
        assert figures
        for row, entry in figures.items():
            start = f"| {row.removeprefix('GPU ')} | {entry.commit} | "
            (line,) = (line for line in text.splitlines() if line.startswith(start))
            rate = roofline.rounded(entry.value)
            assert f" | {rate} | " in line, "run python benchmarks/roofline.py"
    limits = [one for one in entries if one.row in roofline.LIMITS][-len(roofline.LIMITS) :]
    for one in limits:
        what, _ = roofline.LIMITS[one.row]
        assert f"| {what} | {roofline.rounded(one.value)} |" in cpu
