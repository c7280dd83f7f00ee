"""The report and the comparison as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from teahouse.lab import board_views, views
from teahouse.lab.comparison import Comparison
from teahouse.lab.comparison_views import ComparedMeasure
from teahouse.lab.comparison_views import sections as compared_sections
from teahouse.lab.formatting import count_text, with_unit
from teahouse.lab.measures import references
from teahouse.lab.page import options_text, report_title
from teahouse.lab.report import Report
from teahouse.lab.stored import report_command

TOP_SPOTS = 10


def report_markdown(report: Report) -> str:
    """Return the report as Markdown."""
    lines = [f"# {_text(report_title(report))}", "", _text(report.game.summary), ""]
    lines += [_text(options_text(report.game)), ""]
    lines += [f"> **Take care.** {_text(warning)}\n" for warning in report.warnings]
    if not report.complete:
        lines += ["> **Not complete.** Not all planned games were played.", ""]
    lines += ["## In short", "", *(f"- {_text(one)}" for one in views.headlines(report)), ""]
    for section in views.sections(report):
        lines += _section(section)
    if report.openings:
        lines += ["## Openings", ""]
        lines += _table(
            ("first turn", "score", "95 % interval", "games"),
            ((one.description, *board_views.opening_texts(one)) for one in report.openings),
        )
    maps = board_views.known_maps(report)
    if maps:
        lines += ["## The board", ""]
    for one in maps:
        ranked = board_views.ranked_values(one)[:TOP_SPOTS]
        values = ", ".join(
            f"{name} {value}{f' ({interval})' if interval else ''}"
            for name, value, interval in ranked
        )
        highest = f"Highest: {values}. {count_text(one.count, 'game').capitalize()}."
        lines += [f"### {_text(one.label)}", "", _text(highest), "", _text(one.definition), ""]
    if report.games:
        lines += ["## Games", ""]
    for game in report.games:
        title = board_views.TITLES.get(game.kind, game.kind)
        lines += [f"### {_text(title)}", "", _text(game.reason), ""]
        lines += ["```", game.record.text().rstrip(), "```", ""]
    lines += ["## How it was measured", ""]
    lines += [f"- {_text(sentence)}" for sentence in report.plan]
    lines += ["", f"The same games again, or more of them: `{report_command(report.game)}`", ""]
    lines += _references(figure.source for figure in report.figures)
    return "\n".join(lines)


def comparison_markdown(comparison: Comparison) -> str:
    """Return the comparison as Markdown."""
    a, b = comparison.names
    lines = [f"# {_text(comparison.a.title)}: {_text(a)} against {_text(b)}", ""]
    lines += [f"> **Take care.** {_text(warning)}\n" for warning in comparison.warnings]
    lines += ["## What differs for sure", ""]
    lines += [f"- {_text(one)}" for one in comparison.sentences] or ["Nothing, so far."]
    lines.append("")
    if comparison.unreached:
        lines += ["Not as precise as asked:", ""]
        lines += [*(f"- {_text(one)}" for one in comparison.unreached), ""]
    for section in compared_sections(comparison):
        lines += [f"## {_text(section.title)}", ""]
        lines += _table(
            ("figure", "games of", "a", "b", "b − a", "95 % interval", "", "pairs"),
            (
                (
                    measure.label,
                    row.sample,
                    row.a[0],
                    row.b[0],
                    *row.difference,
                    row.verdict,
                    row.count,
                )
                for measure in section.measures
                for row in measure.rows
            ),
        )
        lines += _definitions(section.measures)
    lines += _references(row.source for row in comparison.rows)
    return "\n".join(lines)


def _section(section: views.Section) -> list[str]:
    lines = [f"## {_text(section.title)}", ""]
    figures = [measure for measure in section.measures if measure.rows]
    if figures:
        lines += _table(
            ("figure", "games of", "value", "95 % interval", "count"),
            (
                (
                    measure.label,
                    row.label,
                    with_unit(row.value, measure.unit),
                    row.interval,
                    row.count,
                )
                for measure in figures
                for row in measure.rows
            ),
        )
    for measure in section.measures:
        if measure.points:
            unit = f" ({measure.unit})" if measure.unit else ""
            lines += [f"### {_text(measure.label + unit)}", ""]
            lines += _table(
                (measure.x_label, "value", "95 % interval", "count"),
                ((row.label, row.value, row.interval, row.count) for row in measure.points),
            )
    return lines + _definitions(section.measures)


def _definitions(measures: Iterable[views.MeasureView | ComparedMeasure]) -> list[str]:
    lines = []
    for measure in measures:
        source = f" Source: {measure.source}." if measure.source else ""
        lines.append(f"- **{_text(measure.label)}.** {_text(measure.definition + source)}")
    return [*lines, ""]


def _references(sources: Iterable[str]) -> list[str]:
    found = references(sources)
    return ["## Sources", "", *(f"- {_text(one)}" for one in found), ""] if found else []


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(_text(cell) for cell in line)} |" for line in lines] + [""]


def _text(text: str) -> str:
    """Return a text without characters that Markdown would interpret in it.

    >>> _text("a|b <c> *d*")
    'a\\\\|b &lt;c> \\\\*d\\\\*'
    """
    for letter in "\\|*_`":
        text = text.replace(letter, f"\\{letter}")
    return " ".join(text.replace("<", "&lt;").split())
