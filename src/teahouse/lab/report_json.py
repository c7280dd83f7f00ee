"""Parsing of reports that `Report.to_json` wrote."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from teahouse.core.catalog import load
from teahouse.core.errors import OptionError, RecordError
from teahouse.core.record import Record
from teahouse.lab.figures import Figure
from teahouse.lab.report import Curve, CurvePoint, Heatmap, NotedGame, OpeningScore, Report

_UNKNOWN = {"value": math.nan, "low": -math.inf, "high": math.inf}


def report_from_json(text: str) -> Report:
    """Parse a report; raise `ValueError` with the reason if it is invalid."""
    try:
        return _report(json.loads(text))
    except (OptionError, RecordError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"This is not a report: {error!r}.") from None
    except ValueError as error:
        raise ValueError(f"This is not a report: {error}.") from None


def _report(data: Mapping[str, Any]) -> Report:
    return Report(
        game=load(data["game"], **data["options"]),
        figures=tuple(Figure(**_known(one)) for one in data["figures"]),
        curves=tuple(
            Curve(**{**one, "points": tuple(CurvePoint(**_known(at)) for at in one["points"])})
            for one in data["curves"]
        ),
        openings=tuple(
            OpeningScore(**{**_known(one), "moves": tuple(one["moves"])})
            for one in data["openings"]
        ),
        heatmaps=tuple(
            Heatmap(
                **{
                    **one,
                    "values": {spot: _value(at) for spot, at in one["values"].items()},
                    "intervals": {
                        spot: _interval(*bounds)
                        for spot, bounds in one.get("intervals", {}).items()
                    },
                }
            )
            for one in data["heatmaps"]
        ),
        games=tuple(
            NotedGame(
                kind=one["kind"],
                reason=one["reason"],
                record=Record.parse(one["record"]),
                chances=tuple(tuple(now) for now in one["chances"]),
            )
            for one in data["games"]
        ),
        warnings=tuple(data["warnings"]),
        plan=tuple(data["plan"]),
        complete=data["complete"],
    )


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an estimate; null is a bound that is infinite, or no value."""
    return {
        name: _UNKNOWN[name] if value is None and name in _UNKNOWN else value
        for name, value in values.items()
    }


def _value(value: float | None) -> float:
    return math.nan if value is None else value


def _interval(low: float | None, high: float | None) -> tuple[float, float]:
    return (
        _UNKNOWN["low"] if low is None else low,
        _UNKNOWN["high"] if high is None else high,
    )
