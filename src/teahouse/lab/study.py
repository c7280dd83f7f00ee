"""Play the games of a report, or continue one that was interrupted: `th.report`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic

from teahouse.core.catalog import as_game
from teahouse.core.executor import Executor, Job, LocalExecutor
from teahouse.core.game import Game
from teahouse.core.validate import check_int, check_positive, check_seed
from teahouse.lab.games import GameRun, PlayedGame
from teahouse.lab.openings import openings
from teahouse.lab.plan import Plan, check_precision, make_plan
from teahouse.lab.report import Report, build_report
from teahouse.lab.store import LabStore

PRECISION = 5.0
SECONDS = 270.0

GameTask = tuple[str, int]
"""The kind and the number of a game."""


@dataclass(frozen=True)
class ReportProgress:
    """The state of a report in progress."""

    stage: str
    """What is done now, in words."""
    done: int = 0
    """Games played so far."""
    games: int = 0
    """All games of the plan; 0 as long as there is none."""
    seconds_left: float | None = None
    """The time that is left, as far as it is known."""


class PlayGames(Job[GameTask, PlayedGame]):
    """Plays games of several samples."""

    def __init__(self, runs: Mapping[str, GameRun]) -> None:
        self._runs = dict(runs)

    def run(self, task: GameTask) -> PlayedGame:
        """Play one game."""
        kind, number = task
        return self._runs[kind].play(number)

    def prepare(self) -> None:
        """Compile the kernels: play the first game of each sample."""
        for run in self._runs.values():
            run.play(0)


def report(
    game: str | Game,
    *,
    precision: float = PRECISION,
    seconds: float | None = SECONDS,
    folder: Path | str | None = None,
    jobs: int = 1,
    seed: int = 0,
    progress: Callable[[ReportProgress], None] | None = None,
    cancel: Event | None = None,
    executor: Executor | None = None,
    plan: Plan | None = None,
) -> Report:
    """Play games and return the report on a game with its options.

    Shares of about half are measured to ± `precision` points of %, if `seconds` suffice for that;
    None sets no limit. With a `folder` every finished game is stored, and the same call continues
    there. `executor` plays the games; by default `jobs` processes do: with more than one, a script
    needs the guard `if __name__ == "__main__"`. A `plan` replaces the one that is made from the
    time measured. When `cancel` is set, the report is on the games so far; `PlanCancelled` is
    raised if there is no plan yet.
    """
    game = as_game(game)
    precision = check_precision(precision)
    if seconds is not None:
        seconds = check_positive("seconds", seconds)
    check_int("jobs", jobs, 1)
    seed = check_seed(seed)
    deadline = None if seconds is None else monotonic() + seconds
    tell = progress or (lambda _: None)
    with ExitStack() as stack:
        if folder is None:
            folder = stack.enter_context(TemporaryDirectory(prefix="teahouse-lab-"))
        store = LabStore(Path(folder), game, seed)
        stack.enter_context(store.locked())
        found = openings(game)
        if plan is None:
            plan = _stored_plan(store, precision, seconds, jobs)
        if plan is None:
            stage: Callable[[str], None] = lambda text: tell(ReportProgress(text))  # noqa: E731
            plan = make_plan(game, len(found), precision, seconds, jobs, seed, stage, cancel)
            runs = plan.runs(game, seed, found)
            plan = plan.grown({kind: store.size(run) for kind, run in runs.items()})
        store.plan = plan.json()
        study = Study(store, plan, plan.runs(game, seed, found))
        study.play(executor or LocalExecutor(jobs), tell, cancel, deadline)
        return build_report(game, plan, study.samples, found)


def _stored_plan(
    store: LabStore, precision: float, seconds: float | None, jobs: int
) -> Plan | None:
    """Return the plan of the folder if it was made for the same precision and time."""
    plan = store.plan and Plan.parse(store.plan)
    if plan and (plan.precision, plan.seconds, plan.jobs) == (precision, seconds, jobs):
        return plan
    return None


class Study:
    """The games of a plan, finished and missing."""

    def __init__(self, store: LabStore, plan: Plan, runs: Mapping[str, GameRun]) -> None:
        self._store = store
        self._plan = plan
        self._runs = runs
        self._finished = {kind: store.games(run) for kind, run in runs.items()}

    @property
    def samples(self) -> dict[str, list[PlayedGame]]:
        """The finished games of the plan by kind, in order."""
        return {
            kind: [games[number] for number in sorted(games) if number < self._plan.samples[kind]]
            for kind, games in self._finished.items()
        }

    def play(
        self,
        executor: Executor,
        progress: Callable[[ReportProgress], None],
        cancel: Event | None,
        deadline: float | None,
    ) -> None:
        """Play the missing games until all are played, the time is over or `cancel` is set."""
        missing = list(self._missing())
        total = sum(self._plan.samples.values())
        work = sum(self._cost(task) for task in missing)
        left, started = work, monotonic()
        done = total - len(missing)
        progress(ReportProgress("Playing", done, total))
        if not missing:
            return
        games = executor.map(PlayGames(self._runs), missing, cancel)
        try:
            for task, game in games:
                self._store.add(self._runs[task[0]], game)
                self._finished[task[0]][game.number] = game
                done, left = done + 1, left - self._cost(task)
                elapsed = monotonic() - started
                seconds_left = elapsed * left / max(work - left, 1e-9)
                if deadline is not None:
                    seconds_left = min(seconds_left, max(0.0, deadline - monotonic()))
                progress(ReportProgress("Playing", done, total, seconds_left))
                if deadline is not None and monotonic() > deadline:
                    break
        finally:
            games.close()

    def _cost(self, task: GameTask) -> float:
        return self._plan.costs.get(task[0], 1.0)

    def _missing(self) -> Iterator[GameTask]:
        """Yield the missing games, all samples side by side, so that they grow together."""
        tasks = [
            ((number + 0.5) / count, kind, number)
            for kind, count in self._plan.samples.items()
            for number in range(count)
            if number not in self._finished[kind]
        ]
        yield from ((kind, number) for _, kind, number in sorted(tasks))
