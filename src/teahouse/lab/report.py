"""The report on a game: figures, curves, openings, heat maps and games to replay."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields

from teahouse.core.game import Game
from teahouse.lab.curves import Curve, CurvePoint, sample_curves
from teahouse.lab.diagnose import warnings
from teahouse.lab.figures import Figure, finite
from teahouse.lab.games import PlayedGame
from teahouse.lab.measures import measures
from teahouse.lab.noted import NotedGame, noted_games
from teahouse.lab.openings import Opening, OpeningScore, opening_scores
from teahouse.lab.plan import Plan
from teahouse.lab.skill import match_kind, skill_curve, skill_figures, steps
from teahouse.lab.spots import Heatmap, heatmaps

__all__ = [
    "Curve",
    "CurvePoint",
    "Figure",
    "Heatmap",
    "NotedGame",
    "OpeningScore",
    "Report",
    "build_report",
]

Samples = Mapping[str, Sequence[PlayedGame]]
"""Games by kind."""


@dataclass(frozen=True)
class Report:
    """Figures, curves and games measured for a game with its options."""

    game: Game
    """The game with its options."""
    figures: tuple[Figure, ...]
    """All measured numbers."""
    curves: tuple[Curve, ...]
    """What is plotted."""
    openings: tuple[OpeningScore, ...]
    """First turns and their scores, the best first."""
    heatmaps: tuple[Heatmap, ...]
    """What is drawn on the board."""
    games: tuple[NotedGame, ...]
    """Games to replay: a typical one, then the most dramatic one."""
    warnings: tuple[str, ...]
    """What is wrong with the game or with the sample, as sentences."""
    plan: tuple[str, ...]
    """How many games of which kind were played, and why, as sentences."""
    complete: bool
    """Whether all planned games were played."""

    @property
    def rows(self) -> tuple[Figure, ...]:
        """The figures, as plain dataclasses for data frames."""
        return self.figures

    def to_csv(self) -> str:
        """Return the figures as CSV with a header; bounds that are infinite are empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(field.name for field in fields(Figure))
        writer.writerows(finite(vars(figure)).values() for figure in self.figures)
        return text.getvalue()

    def to_json(self) -> str:
        """Return the whole report as JSON; bounds that are not finite are null."""
        value = {
            "game": self.game.name,
            "options": self.game.options,
            "complete": self.complete,
            "plan": self.plan,
            "warnings": self.warnings,
            "figures": [asdict(one) for one in self.figures],
            "curves": [asdict(one) for one in self.curves],
            "openings": [asdict(one) for one in self.openings],
            "heatmaps": [asdict(one) for one in self.heatmaps],
            "games": [
                {
                    "kind": one.kind,
                    "reason": one.reason,
                    "record": one.record.text(),
                    "chances": one.chances,
                }
                for one in self.games
            ],
        }
        return json.dumps(finite(value), ensure_ascii=False)

    def markdown(self) -> str:
        """Return the report as Markdown."""
        from teahouse.lab.markdown import report_markdown

        return report_markdown(self)

    def html(self) -> str:
        """Return the report as one HTML file that needs no network."""
        from teahouse.lab.page import report_page

        return report_page(self)


def build_report(game: Game, plan: Plan, samples: Samples, openings: Sequence[Opening]) -> Report:
    """Return the report on the games played so far."""
    played = {kind: samples.get(kind, ()) for kind in plan.sample_kinds}
    reference = played[plan.reference_kind]
    found = steps(
        game, {level: samples.get(match_kind(level), ()) for level in range(2, plan.reference + 1)}
    )
    scores = opening_scores(game, openings, samples.get(plan.opening_kind, ()))
    curve = skill_curve(found)
    done = sum(len(samples.get(kind, ())) for kind in plan.samples)
    missing = sum(plan.samples.values()) - done
    sentences = plan.sentences()
    if missing:
        sentences += (f"{done:,} of them {'has' if done == 1 else 'have'} been played so far.",)
    return Report(
        game=game,
        figures=(
            *(
                figure
                for measure in measures(game)
                for kind, games in played.items()
                for figure in measure.figures(kind, games)
            ),
            *skill_figures(game, found),
        ),
        curves=(
            *sample_curves(played),
            *((curve,) if curve else ()),
        ),
        openings=scores,
        heatmaps=tuple(heatmaps(game, reference, scores)),
        games=noted_games(game, reference),
        warnings=warnings(game, played),
        plan=sentences,
        complete=not missing,
    )
