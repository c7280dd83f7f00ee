"""Executors: run the tasks of a job in this process, in several, or on a Ray cluster.

A task of a job takes some seconds and is a pure function of its number and seed, so that the
results are the same wherever it runs, and however often.

    class Squares(Job[int, int]):
        def run(self, task: int) -> int:
            return task * task

    for task, result in LocalExecutor(processes=2).map(Squares(), range(10)):
        print(task, result)
"""

from teahouse.core.errors import TaskError
from teahouse.core.executor.base import Executor, Job
from teahouse.core.executor.local import LocalExecutor

__all__ = ["Executor", "Job", "LocalExecutor", "TaskError"]
