"""Small reports of real games, without bots."""

from __future__ import annotations

from functools import cache

import teahouse as th
from teahouse.lab.curves import sample_curves
from teahouse.lab.games import GameRun
from teahouse.lab.measures import USES, measures
from teahouse.lab.openings import opening_scores, openings
from teahouse.lab.report import NotedGame, Report
from teahouse.lab.spots import heatmaps

SAMPLES = {"random": 3, "level 1": 2}
"""Games by the sample that they stand for."""


@cache
def small_report(name: str, **options: object) -> Report:
    """Return a report on a few random games; their winning chances are made up."""
    game = th.load(name, **options)
    run = GameRun(game, "random", seed=1)
    played = [run.play(number) for number in range(max(SAMPLES.values()))]
    samples = {kind: played[:count] for kind, count in SAMPLES.items()}
    scores = opening_scores(game, openings(game)[:8], played)
    sides = len(game.teams)
    noted = []
    for kind, one in zip(("typical", "dramatic"), played, strict=False):
        plies = len(one.moves) + 1
        first = [ply / (plies - 1) for ply in range(plies)]
        chances = tuple((now, *((1 - now) / (sides - 1),) * (sides - 1)) for now in first)
        noted.append(NotedGame(kind, f"It is {kind}.", one.record(game), chances))
    return Report(
        game=game,
        figures=tuple(
            figure
            for measure in measures(game)
            for kind, games in samples.items()
            for figure in measure.figures(kind, games)
            if kind == "random" or figure.section != USES  # some figures have one sample
        ),
        curves=tuple(sample_curves(samples)),
        openings=scores,
        heatmaps=tuple(heatmaps(game, played, scores)),
        games=tuple(noted),
        warnings=("Games are <b>short</b> & few.",),
        plan=("Five games.",),
        complete=False,
    )
