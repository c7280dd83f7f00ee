"""The report as HTML: a fragment for pages of the server, and one self-contained page."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from teahouse.core.game import Game, non_default_options
from teahouse.core.options import format_options
from teahouse.draw import themes
from teahouse.lab import board_views, comparison_views, views
from teahouse.lab.assets import asset
from teahouse.lab.comparison import Comparison
from teahouse.lab.measures import references
from teahouse.lab.report import Report
from teahouse.lab.stored import report_command

TOKENS = ("paper", "raised", "ink", "quiet", "accent", "hint")
"""Colours of the boards' themes that the standalone page uses."""
_DARK = re.compile(r"@media \(prefers-color-scheme: ?dark\)")


def report_page(report: Report) -> str:
    """Return the report as one HTML file that needs no network."""
    return standalone_page(report_title(report), report_fragment(report))


def report_title(report: Report) -> str:
    """Return the heading of a report."""
    return f"{report.game.title}: what kind of game is this?"


def options_text(game: Game) -> str:
    """Return the options of a game that are not the default ones, as a sentence."""
    others = format_options(non_default_options(game))
    return f"Options: {others}; others as by default." if others else "Options: all as by default."


def report_fragment(report: Report) -> str:
    """Return the report without a heading, for a page with `report.css` and `replay.js`."""
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            options=options_text(report.game),
            command=report_command(report.game),
            headlines=views.headlines(report),
            sections=views.sections(report),
            openings=board_views.openings(report),
            other_openings=report.openings[board_views.SHOWN_OPENINGS :],
            heat_maps=board_views.heat_maps(report),
            replays=board_views.replays(report),
            references=references(figure.source for figure in report.figures),
        )
    )


def comparison_page(comparison: Comparison) -> str:
    """Return a comparison as one HTML file that needs no network."""
    a, b = comparison.names
    body = (
        _environment()
        .get_template("comparison.html")
        .render(
            comparison=comparison,
            names=comparison.names,
            sections=comparison_views.sections(comparison),
            references=references(row.source for row in comparison.rows),
        )
    )
    return standalone_page(f"{comparison.a.title}: {a} against {b}", body)


def standalone_page(title: str, body: str) -> str:
    """Return a page that carries its styles and script, and loads nothing."""
    return (
        _environment()
        .get_template("standalone.html")
        .render(
            title=title,
            body=Markup(body),  # noqa: S704 - rendered by our own templates
            style=Markup(_standalone_css()),  # noqa: S704
            script=Markup(asset("replay.js")),  # noqa: S704
            script_hash=_hash(asset("replay.js")),
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("teahouse.lab"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {"opening_score": board_views.opening_score}
    environment.filters.update(filters)
    return environment


@cache
def _standalone_css() -> str:
    """Return the stylesheet of a file; it is printed in the light theme."""
    light, dark = (f":root{{{_tokens(theme)}}}" for theme in themes.THEMES)
    parts = [
        f"{light}\n@media (prefers-color-scheme:dark){{{dark}}}",
        asset("standalone.css"),
        themes.stylesheet(),
        asset("report.css"),
    ]
    return _DARK.sub("@media screen and (prefers-color-scheme:dark)", "\n".join(parts))


def _tokens(theme: str) -> str:
    colours = ";".join(f"--{name}:{themes.THEMES[theme][name]}" for name in TOKENS)
    return f"color-scheme:{theme};{colours}"


def _hash(script: str) -> str:
    """Return the source expression that lets a Content-Security-Policy run a script."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
