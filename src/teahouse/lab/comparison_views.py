"""View models for the page of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from teahouse.lab.comparison import ComparedFigure, Comparison
from teahouse.lab.formatting import count_text, interval_text, value_text
from teahouse.lab.plots import IntervalScale


@dataclass(frozen=True)
class ComparedRow:
    """A figure of both rule sets in a table."""

    sample: str
    a: tuple[str, str]
    """Value and interval."""
    b: tuple[str, str]
    difference: tuple[str, str]
    bar: str
    verdict: str
    count: str


@dataclass(frozen=True)
class ComparedMeasure:
    """One measure on all samples."""

    label: str
    unit: str
    definition: str
    source: str
    rows: tuple[ComparedRow, ...]
    axis: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class ComparedSection:
    """Measures under a heading."""

    title: str
    measures: tuple[ComparedMeasure, ...]


def sections(comparison: Comparison) -> tuple[ComparedSection, ...]:
    """Return the figures of a comparison by section, in its order."""
    grouped: dict[str, dict[str, list[ComparedFigure]]] = {}
    for row in comparison.rows:
        grouped.setdefault(row.section, {}).setdefault(row.measure, []).append(row)
    return tuple(
        ComparedSection(title, tuple(_measure(rows) for rows in measures.values()))
        for title, measures in grouped.items()
    )


def _measure(figures: list[ComparedFigure]) -> ComparedMeasure:
    first = figures[0]
    scale = IntervalScale([(one.difference, one.low, one.high) for one in figures], reference=0)
    rows = tuple(
        ComparedRow(
            one.sample,
            _texts(one.a, one.a_low, one.a_high),
            _texts(one.b, one.b_low, one.b_high),
            _texts(one.difference, one.low, one.high),
            scale.bar(one.difference, one.low, one.high),
            _verdict(one),
            count_text(one.count, "pair"),
        )
        for one in figures
    )
    sentences = tuple(one.sentence for one in figures if one.differs)
    return ComparedMeasure(
        first.label, first.unit, first.definition, first.source, rows, scale.axis(), sentences
    )


def _texts(value: float, low: float, high: float) -> tuple[str, str]:
    return value_text(value, low, high), interval_text(low, high)


def _verdict(one: ComparedFigure) -> str:
    if one.differs:
        return "differs for sure"
    return "no sure difference" if one.reached else "not decided"
