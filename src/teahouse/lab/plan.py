"""The plan of a report: sample sizes from the requested precision and the measured cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from threading import Event
from time import perf_counter
from typing import Any

from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.lab.games import RANDOM, GameRun
from teahouse.lab.openings import Opening
from teahouse.lab.skill import match_kind
from teahouse.search.arena.ratings import Z95
from teahouse.search.levels import DEFAULT_LEVELS, profile

LOW_LEVELS = (1, 3)
"""Levels that play a sample besides the reference level."""
REFERENCE_LEVELS = (6, 5, 4)
"""Levels to measure most figures at; the strongest that the time allows."""
EVALUATION_LEVEL = 5
"""Winning chances are by a search with the budget of this level."""
TRIAL_GAMES = 2
SMALLEST = 20
"""Games of a sample at least, however little time there is."""
GAMES_PER_OPENING = 10
EFFICIENCY = 0.9
"""What cores that all work at once achieve of a single one, and what is left for other work."""


class PlanCancelled(Exception):  # noqa: N818 - no error: the user asked for it
    """The report was cancelled before there was a plan."""


@dataclass(frozen=True)
class Plan:
    """How many games of each kind to play."""

    precision: float
    """Points of % on either side of a share of about half, at 95 %."""
    seconds: float | None
    jobs: int
    reference: int
    """The level whose games are evaluated."""
    simulations: int
    """Of the search that evaluates a position."""
    samples: Mapping[str, int]
    """Games by kind."""
    costs: Mapping[str, float]
    """Seconds of a game by kind, measured."""
    wanted: int
    """Games of a sample that the precision needs."""

    @property
    def reference_kind(self) -> str:
        """The kind of the games that are evaluated."""
        return f"level {self.reference}"

    @property
    def opening_kind(self) -> str:
        """The kind of the games after each opening."""
        return opening_kind(self.reference)

    @property
    def sample_kinds(self) -> tuple[str, ...]:
        """The kinds between equal players who choose every move, weakest first."""
        return tuple(kind for kind in self.samples if "against" not in kind and "after" not in kind)

    def runs(self, game: Game, seed: int, openings: tuple[Opening, ...]) -> dict[str, GameRun]:
        """Return the run of each kind."""
        lines = tuple(opening.moves for opening in openings)
        return {
            kind: GameRun(
                game,
                kind,
                seed,
                self.simulations if kind == self.reference_kind else 0,
                lines if kind == self.opening_kind else (),
            )
            for kind in self.samples
        }

    def grown(self, played: Mapping[str, int]) -> Plan:
        """Return a plan with at least these games of each kind."""
        samples = {kind: max(size, played.get(kind, 0)) for kind, size in self.samples.items()}
        return replace(self, samples=samples)

    def json(self) -> dict[str, Any]:
        """Return the plan for `plan.json`."""
        return asdict(self)

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Plan | None:
        """Read what `json` returned; None for a plan of another version."""
        try:
            return cls(**data)
        except TypeError:
            return None

    def sentences(self) -> tuple[str, ...]:
        """Return how the sizes of the samples were chosen."""
        total = sum(self.samples.values())
        limit = "planned without a limit of time"
        if self.seconds is not None:
            processes = "1 process" if self.jobs == 1 else f"{self.jobs} processes"
            limit = f"planned for {self.seconds:.0f} s on {processes} or played before"
        shown = ", ".join(f"{games:,} {kind}" for kind, games in self.samples.items())
        reference = self.costs.get(self.reference_kind, math.nan)
        fits = self.samples[self.reference_kind] >= self.wanted
        return (
            f"{total:,} games, {limit}: {shown}.",
            f"A share of about half is known to ± {self.precision:g} points after "
            f"{self.wanted:,} games of a sample."
            + ("" if fits else " The time does not suffice for that, so samples are smaller."),
            f"A game at level {self.reference} took {reference:.2g} s, with an evaluation of every "
            f"position by {self.simulations:,} simulations. Level {self.reference} is the "
            + ("strongest" if fits else "weakest")
            + f" of levels {min(REFERENCE_LEVELS)} to {max(REFERENCE_LEVELS)}"
            + (" for which the time suffices." if fits else "."),
        )


def opening_kind(reference: int) -> str:
    """Return the kind of the games after each opening, at the level below the reference."""
    return f"level {reference - 1} after each opening"


def check_precision(precision: Any) -> float:
    """Return the precision; raise `OptionError` if it is no number from 0.1 to 50."""
    if isinstance(precision, bool) or not isinstance(precision, int | float):
        raise OptionError(f"precision must be a number, not {quoted(precision)}.")
    if not 0.1 <= precision <= 50:
        raise OptionError(f"precision must be from 0.1 to 50 points of %, got {quoted(precision)}.")
    return float(precision)


def games_wanted(precision: float) -> int:
    """Return the games after which a share of about half has this precision.

    >>> games_wanted(5)
    385
    """
    return math.ceil((Z95 * 50 / precision) ** 2)


def evaluation_simulations(game: Game) -> int:
    """Return the budget of the search that evaluates a position."""
    budget = profile(game).levels[EVALUATION_LEVEL - 1].simulations
    return budget or DEFAULT_LEVELS[EVALUATION_LEVEL - 1].simulations or 1


def make_plan(
    game: Game,
    openings: int,
    precision: float,
    seconds: float | None,
    jobs: int,
    seed: int,
    progress: Callable[[str], None],
    cancel: Event | None = None,
    clock: Callable[[], float] = perf_counter,
) -> Plan:
    """Measure the cost of games and choose the samples: the strongest reference level that fits.

    Raise `PlanCancelled` if `cancel` is set before that.
    """
    wanted = games_wanted(precision)
    simulations = evaluation_simulations(game)
    budget = math.inf if seconds is None else seconds * jobs * EFFICIENCY
    started = clock()
    costs = _measure(game, simulations, seed, wanted, budget, progress, cancel or Event(), clock)
    budget -= (clock() - started) * jobs
    for reference in REFERENCE_LEVELS:
        if f"level {reference}" not in costs:
            continue
        plan = _plan(wanted, reference, openings, costs)
        total = sum(games * plan.costs[kind] for kind, games in plan.samples.items())
        if total <= budget or reference == REFERENCE_LEVELS[-1]:
            break
    share = min(1.0, max(0.0, budget / total))
    samples = {}
    for kind, games in plan.samples.items():
        size = openings if kind == opening_kind(reference) else GameRun(game, kind).round_size
        rounds = math.ceil(max(SMALLEST, games * share) / size)
        samples[kind] = rounds * size
    return Plan(precision, seconds, jobs, reference, simulations, samples, plan.costs, wanted)


@dataclass(frozen=True)
class _Draft:
    samples: dict[str, int]
    costs: dict[str, float]


def _plan(wanted: int, reference: int, openings: int, measured: Mapping[str, float]) -> _Draft:
    """Return the samples for a reference level, and the seconds of a game of each."""
    samples = {RANDOM: wanted}
    costs = {RANDOM: measured[RANDOM]}
    for level in LOW_LEVELS:
        samples[f"level {level}"] = wanted
        costs[f"level {level}"] = measured[f"level {level}"]
    samples[f"level {reference}"] = wanted
    costs[f"level {reference}"] = measured[f"level {reference}"] + measured["evaluation"]
    for level in range(2, reference + 1):
        samples[match_kind(level)] = wanted // 2
        pair = (measured[f"level {level}"], measured[f"level {level - 1}"])
        costs[match_kind(level)] = sum(pair) / 2
    if openings > 1:
        kind = opening_kind(reference)
        samples[kind] = max(wanted, GAMES_PER_OPENING * openings)
        costs[kind] = measured[f"level {reference - 1}"]
    return _Draft(samples, costs)


def _measure(
    game: Game,
    simulations: int,
    seed: int,
    wanted: int,
    budget: float,
    progress: Callable[[str], None],
    cancel: Event,
    clock: Callable[[], float],
) -> dict[str, float]:
    """Return the seconds of a game by kind, and of the evaluation of its positions.

    Stronger levels than the budget allows are left out.
    """

    def seconds(run: GameRun) -> float:
        started = clock()
        for number in range(TRIAL_GAMES):
            run.play(number)
            if cancel.is_set():
                raise PlanCancelled
        return (clock() - started) / TRIAL_GAMES

    costs = {RANDOM: seconds(GameRun(game, RANDOM, seed))}
    progress("Loading the bots")
    evaluated = GameRun(game, "level 1", seed, simulations)
    evaluated.play(0)  # compiles or loads the kernels
    progress("Measuring the time of games")
    for level in range(1, max(REFERENCE_LEVELS) + 1):
        costs[f"level {level}"] = seconds(GameRun(game, f"level {level}", seed))
        if level >= min(REFERENCE_LEVELS) and wanted * costs[f"level {level}"] > budget:
            break
    costs["evaluation"] = max(0.0, seconds(evaluated) - costs["level 1"])
    return costs
