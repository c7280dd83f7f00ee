"""View models for the openings, heat maps and games of a report."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.lab import boards, heatmap, plots
from teahouse.lab.formatting import count_text, interval_text, number, value_text, with_unit
from teahouse.lab.measures import side_name
from teahouse.lab.report import Heatmap, NotedGame, OpeningScore, Report

SHOWN_OPENINGS = 6
"""Openings that are drawn; the others are listed."""
TITLES = {"typical": "A typical game", "dramatic": "The most dramatic game"}


@dataclass(frozen=True)
class BoardView:
    """A drawn board with its caption and numbers."""

    title: str
    svg: str
    text: str = ""
    definition: str = ""
    legend: str = ""
    values: tuple[tuple[str, str, str], ...] = ()
    """The spot, its value and the interval of that, empty if it is not known."""


@dataclass(frozen=True)
class Replay:
    """A game to replay."""

    title: str
    reason: str
    players: str
    svg: str
    plot: str
    moves: tuple[str, ...]
    result: str
    record: str


def openings(report: Report) -> tuple[BoardView, ...]:
    """Return the boards after the most successful openings."""
    return tuple(
        _opening(report.game, one, f"opening-{place}-")
        for place, one in enumerate(report.openings[:SHOWN_OPENINGS])
    )


def _opening(game: Game, opening: OpeningScore, prefix: str) -> BoardView:
    before, position = None, game.start()
    for move in opening.moves:
        before, position = (position, move), position.play(move)
    return BoardView(
        opening.description, boards.still(position, before, prefix), text=opening_score(opening)
    )


def opening_score(opening: OpeningScore) -> str:
    """Return how an opening scored, in words."""
    score, interval, games = opening_texts(opening)
    return f"{score} ({interval}), {games}"


def opening_texts(opening: OpeningScore) -> tuple[str, str, str]:
    """Return the score of an opening, its interval and the games it is of."""
    return (
        value_text(opening.value, opening.low, opening.high, "%"),
        interval_text(opening.low, opening.high),
        count_text(opening.count, "game"),
    )


def heat_maps(report: Report) -> tuple[BoardView, ...]:
    """Return the boards with a number for each spot."""
    return tuple(
        _heat_map(report, one, f"heat-{place}-") for place, one in enumerate(known_maps(report))
    )


def known_maps(report: Report) -> tuple[Heatmap, ...]:
    """Return the heat maps that have a number for some spot."""
    return tuple(one for one in report.heatmaps if _known(one))


def _heat_map(report: Report, one: Heatmap, prefix: str) -> BoardView:
    shown: list[Position] = [report.game.position(one.position), report.game.start()]
    values = _known(one)
    digits = heatmap.digits(values.values())
    ranked = ranked_values(one)
    best = ", ".join(f"{name} {value}" for name, value, _ in ranked[:3])
    unit = f" ({one.unit})" if one.unit else ""
    return BoardView(
        one.label,
        heatmap.heat_map(
            report.game,
            [position.scene for position in shown],
            values,
            f"{one.label}{unit} on the board; highest: {best}.",
            prefix,
            lambda value: number(value, digits),
            {spot: _interval(one, spot) for spot in one.intervals},
        ),
        text=", ".join(filter(None, [one.unit, count_text(one.count, "game")])),
        definition=one.definition,
        legend=heatmap.heat_legend(
            values, lambda value: with_unit(number(value, digits), one.unit)
        ),
        values=ranked,
    )


def ranked_values(one: Heatmap) -> tuple[tuple[str, str, str], ...]:
    """Return the spots of a heat map with their values and intervals, the highest first."""
    values = _known(one)
    digits = heatmap.digits(values.values())
    ranked = sorted(values.items(), key=lambda item: -item[1])
    return tuple((name, number(value, digits), _interval(one, name)) for name, value in ranked)


def _interval(one: Heatmap, spot: str) -> str:
    return interval_text(*one.intervals[spot]) if spot in one.intervals else ""


def _known(one: Heatmap) -> dict[str, float]:
    return {name: value for name, value in one.values.items() if isfinite(value)}


def replays(report: Report) -> tuple[Replay, ...]:
    """Return the games to replay."""
    return tuple(_replay(one, f"game-{place}-") for place, one in enumerate(report.games))


def _replay(one: NotedGame, prefix: str) -> Replay:
    record = one.record
    sides = [side_name(record.game, side) for side in range(len(record.game.teams))]
    return Replay(
        TITLES.get(one.kind, one.kind.capitalize()),
        one.reason,
        ", ".join(f"{seat}: {name}" for seat, name in record.names.items()),
        boards.replay(record, prefix),
        plots.chances_plot(sides, one.chances) if one.chances else "",
        tuple(
            position.describe(move)
            for position, move in zip(record.positions, record.moves, strict=False)
        ),
        record.position.status,
        record.text(),
    )
