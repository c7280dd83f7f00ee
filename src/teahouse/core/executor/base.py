"""Abstract base classes of jobs and executors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable
from threading import Event
from typing import Generic, TypeVar

from teahouse.core.errors import OptionError, TaskError

Task = TypeVar("Task")
Result = TypeVar("Result")


USER_ERRORS = (TaskError, OptionError)
"""Errors of a task that are raised to the caller as they are; others get their traceback."""


class Job(ABC, Generic[Task, Result]):
    """Computes the result of each task. It is pickled once for each process that runs tasks."""

    @property
    def cores(self) -> int:
        """Cores that a task keeps busy."""
        return 1

    @abstractmethod
    def run(self, task: Task) -> Result:
        """Return the result of a task, which depends on the job and the task alone."""

    def prepare(self) -> None:
        """Compile or load what all tasks need, so that other processes find it compiled."""

    def close(self) -> None:
        """Release resources that tasks keep for later tasks."""


class Executor(ABC):
    """Runs the tasks of jobs."""

    @abstractmethod
    def map(
        self, job: Job[Task, Result], tasks: Iterable[Task], cancel: Event | None = None
    ) -> Generator[tuple[Task, Result], None, None]:
        """Yield each task with its result when it ends, in any order.

        Tasks are taken from the iterable when they can start, so it may be endless. Tasks in work
        are abandoned when the generator is closed or `cancel` is set. Raise `TaskError` if one
        fails.
        """

    @property
    def capacity(self) -> int:
        """The number of tasks of one core that run at the same time."""
        return 1

    def status(self) -> str:
        """Return which machines work and what they have done; empty for this machine alone."""
        return ""
