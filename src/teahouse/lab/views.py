"""View models for the figures and curves of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TypeVar

from teahouse.lab import plots
from teahouse.lab.figures import Figure, sample_slug
from teahouse.lab.formatting import interval_text, number, value_text
from teahouse.lab.report import Curve, Report

Measured = TypeVar("Measured", Figure, Curve)
HEADLINES = {
    "length.mean": "A game takes {}",
    "choice.branching": "A position has {} legal moves",
    "seats.": "{label}: {}",
    "seats.draws": "{} of the games are drawn",
    "drama.settled": "A game is decided after {} of its length",
    "skill.depth": "{label}: {}",
}
"""Measures that say most of a game, in words; a key that ends with a dot stands for the rest."""


@dataclass(frozen=True)
class FigureRow:
    """A figure in a table."""

    label: str
    value: str
    interval: str
    count: str
    bar: str


@dataclass(frozen=True)
class MeasureView:
    """One measure on all samples."""

    label: str
    unit: str
    definition: str
    source: str
    rows: tuple[FigureRow, ...] = ()
    axis: str = ""
    plot: str = ""
    points: tuple[FigureRow, ...] = ()
    """What is plotted, as a table."""
    x_label: str = ""


@dataclass(frozen=True)
class Section:
    """Measures under a heading."""

    title: str
    measures: tuple[MeasureView, ...]

    @property
    def tables(self) -> tuple[MeasureView, ...]:
        """Measures of several samples."""
        return tuple(one for one in self.measures if len(one.rows) > 1)

    @property
    def stats(self) -> tuple[MeasureView, ...]:
        """Measures of one sample."""
        return tuple(one for one in self.measures if len(one.rows) == 1)

    @property
    def plots(self) -> tuple[MeasureView, ...]:
        """Measures with curves."""
        return tuple(one for one in self.measures if one.plot)


def headlines(report: Report) -> tuple[str, ...]:
    """Return a few sentences that summarise the game, measured on the strongest players."""
    strongest = {figure.measure: figure for figure in report.figures}  # samples: weakest first
    found: dict[str, str] = {}
    for key, phrase in HEADLINES.items():
        for measure, figure in strongest.items():
            if measure == key or (key.endswith(".") and measure.startswith(key)):
                found.setdefault(measure, _headline(figure, HEADLINES.get(measure, phrase)))
    return tuple(found.values())


def _headline(figure: Figure, phrase: str) -> str:
    value = value_text(figure.value, figure.low, figure.high, figure.unit)
    known = isfinite(figure.low) or isfinite(figure.high)
    interval = interval_text(figure.low, figure.high) if known else "interval not known"
    text = f"{value} ({interval})"
    sentence = phrase.format(text, label=figure.label)
    return f"{sentence} at {figure.sample}." if figure.sample else f"{sentence}."


def sections(report: Report) -> tuple[Section, ...]:
    """Return the figures and curves of a report by section, in the order of the report."""
    grouped: dict[str, dict[str, MeasureView]] = {}
    for key, figures in _by_measure(report.figures).items():
        grouped.setdefault(figures[0].section, {})[key] = _measure(figures)
    for key, curves in _by_measure(_known_curves(report)).items():
        grouped.setdefault(curves[0].section, {})[key] = _curves(curves)
    return tuple(Section(title, tuple(measures.values())) for title, measures in grouped.items())


def _known_curves(report: Report) -> list[Curve]:
    """Return the curves without points that have no value."""
    found = [
        replace(curve, points=tuple(point for point in curve.points if isfinite(point.value)))
        for curve in report.curves
    ]
    return [curve for curve in found if curve.points]


def _by_measure(items: Sequence[Measured]) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {}
    for one in items:
        key = one.key.removesuffix(f".{sample_slug(one.sample)}") if one.sample else one.key
        found.setdefault(key, []).append(one)
    return found


def _measure(figures: Sequence[Figure]) -> MeasureView:
    first = figures[0]
    scale = plots.IntervalScale([(one.value, one.low, one.high) for one in figures])
    rows = tuple(
        FigureRow(
            one.sample,
            value_text(one.value, one.low, one.high),
            interval_text(one.low, one.high),
            f"{one.count:,}",
            scale.bar(one.value, one.low, one.high),
        )
        for one in figures
    )
    return MeasureView(first.label, first.unit, first.definition, first.source, rows, scale.axis())


def _curves(curves: Sequence[Curve]) -> MeasureView:
    first = curves[0]
    points = tuple(
        FigureRow(
            f"{curve.sample}, {number(point.x, 0)}" if curve.sample else number(point.x, 0),
            value_text(point.value, point.low, point.high),
            interval_text(point.low, point.high),
            f"{point.count:,}",
            "",
        )
        for curve in curves
        for point in curve.points
    )
    definitions = {curve.definition: curve.sample for curve in curves}
    definition = first.definition
    if len(definitions) > 1:
        definition = " ".join(f"{sample}: {text}" for text, sample in definitions.items())
    return MeasureView(
        first.label,
        first.unit,
        definition,
        "",
        plot=plots.curve_plot(curves),
        points=points,
        x_label=first.x_label,
    )
