"""Run the conformance suite on a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from teahouse.conformance import (
    analysing,
    drawing,
    explaining,
    learning,
    playing,
    studying,
    teaching,
)
from teahouse.conformance.checks import (
    CHECKS,
    PLAYABLE,
    STUDIED,
    Check,
    CheckError,
    Missing,
    UsesDefault,
)
from teahouse.conformance.samples import variants
from teahouse.core.catalog import load
from teahouse.core.contract import contract_error, error_text
from teahouse.core.game import Game, non_default_options
from teahouse.core.options import format_options

MODULES = (playing, drawing, explaining, learning, studying, teaching, analysing)
"""The modules that register checks."""
ALL_CHECKS = tuple(
    check
    for module in MODULES
    for check in CHECKS.values()
    if check.run.__module__ == module.__name__
)
"""All checks, in the order in which they run."""
OK, DEFAULT, MISSING, FAILED = "ok", "default", "missing", "failed"


@dataclass(frozen=True)
class CheckResult:
    """The result of one check."""

    check: Check
    status: str
    """ok, default (nothing to do), missing (of its tier) or failed."""
    message: str


@dataclass(frozen=True)
class ConformanceReport:
    """The results of all checks of a game."""

    game: str
    results: tuple[CheckResult, ...]

    @property
    def tier(self) -> str | None:
        """The highest tier whose checks all pass; None if the game is not playable."""
        open_tiers = {result.check.tier for result in self.results if _open(result)}
        if PLAYABLE in open_tiers:
            return None
        return PLAYABLE if STUDIED in open_tiers else STUDIED

    @property
    def next_tier(self) -> str | None:
        """The tier to reach next."""
        return {None: PLAYABLE, PLAYABLE: STUDIED, STUDIED: None}[self.tier]

    @property
    def to_do(self) -> tuple[CheckResult, ...]:
        """The results that keep the game from the next tier."""
        return tuple(
            result
            for result in self.results
            if _open(result) and result.check.tier == self.next_tier
        )

    @property
    def failed(self) -> tuple[CheckResult, ...]:
        """The results of all checks that fail."""
        return tuple(result for result in self.results if result.status == FAILED)


def _open(result: CheckResult) -> bool:
    return result.status in (FAILED, MISSING)


def run_checks(
    name: str, on_result: Callable[[CheckResult], None] = lambda result: None
) -> ConformanceReport:
    """Run all checks on a game."""
    results = []
    for result in _results(name):
        on_result(result)
        results.append(result)
    return ConformanceReport(name, tuple(results))


def _results(name: str) -> Iterator[CheckResult]:
    error = contract_error(name)
    if error:
        yield CheckResult(CHECKS["contract"], FAILED, f"{name}: {error}.")
        return
    games = variants(name)
    for check in ALL_CHECKS:
        result = run_check(check, games if check.every_variant else [load(name)])
        yield result
        if check.name == "endings" and result.status == FAILED:
            return  # later checks play whole games in kernels, which might never return


def can_be_played_out(name: str) -> bool:
    """Return whether a game fulfils the contract and its random games end."""
    if contract_error(name):
        return False
    return run_check(CHECKS["endings"], variants(name)).status == OK


def run_check(check: Check, games: list[Game]) -> CheckResult:
    """Run a check on variants of a game until one fails."""
    status, message = OK, check.requirement
    for game in games:
        try:
            check.run(game)
        except UsesDefault as default:
            status, message = DEFAULT, str(default)
        except Missing as missing:
            return CheckResult(check, MISSING, str(missing))
        except CheckError as error:
            return CheckResult(check, FAILED, f"{_variant(game)}{error}")
        except Exception as error:  # the game's code may raise anything
            return CheckResult(check, FAILED, f"{_variant(game)}{error_text(error)}")
    return CheckResult(check, status, message)


def _variant(game: Game) -> str:
    """Return the options that differ from the defaults, for a message."""
    changed = format_options(non_default_options(game), ", ")
    return f"With {changed}: " if changed else ""
