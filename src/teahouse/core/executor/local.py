"""Run tasks on this machine: in this process, or in several worker processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Generator, Iterable
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from threading import Event, Thread
from typing import Any

from teahouse.core.errors import TaskError
from teahouse.core.executor.base import USER_ERRORS, Executor, Job, Result, Task
from teahouse.core.validate import check_int

CANCEL_SECONDS = 0.2  # seconds between polls of `cancel`


class LocalExecutor(Executor):
    """Runs tasks in a number of processes; with one, in this process."""

    def __init__(self, processes: int = 1) -> None:
        self.processes = check_int("processes", processes, 1)

    @property
    def capacity(self) -> int:
        """The number of processes."""
        return self.processes

    def map(
        self, job: Job[Task, Result], tasks: Iterable[Task], cancel: Event | None = None
    ) -> Generator[tuple[Task, Result], None, None]:
        """Yield each task with its result when it ends."""
        run = _run_here if self.processes == 1 else self._run_in_processes
        return run(job, tasks, cancel or Event())

    def _run_in_processes(
        self, job: Job[Task, Result], tasks: Iterable[Task], cancel: Event
    ) -> Generator[tuple[Task, Result], None, None]:
        context = multiprocessing.get_context("spawn")  # forking is unsafe with threads
        waiting = iter(tasks)
        workers: dict[Connection, Any] = {}
        running: dict[Connection, Task] = {}

        def send(connection: Connection, task: Task) -> None:
            running[connection] = task
            with suppress(OSError):  # a dead worker is detected when its result is read
                connection.send(task)

        try:
            for task in waiting:
                own_end, worker_end = context.Pipe()
                worker = context.Process(target=_run_worker, args=(worker_end, job), daemon=True)
                worker.start()
                worker_end.close()
                workers[own_end] = worker
                send(own_end, task)
                if len(workers) == self.processes:
                    break
            while workers and not cancel.is_set():
                for connection in wait(list(workers), CANCEL_SECONDS):
                    assert isinstance(connection, Connection)
                    task, result = running.pop(connection), _receive(connection)
                    try:
                        send(connection, next(waiting))
                    except StopIteration:
                        connection.close()
                        workers.pop(connection).join()
                    yield task, result
                    if cancel.is_set():
                        return
        finally:
            for connection, worker in workers.items():
                worker.kill()
                worker.join()
                connection.close()


def _run_here(
    job: Job[Task, Result], tasks: Iterable[Task], cancel: Event
) -> Generator[tuple[Task, Result], None, None]:
    try:
        for task in tasks:
            if cancel.is_set():
                return
            yield task, job.run(task)
    finally:
        job.close()


def _receive(connection: Connection) -> Any:
    """Return the result that a worker sends; raise its error."""
    try:
        result, error = connection.recv()
    except (EOFError, OSError):
        raise TaskError("A worker process died.") from None
    if isinstance(error, str):
        raise TaskError(f"A task failed in a worker process:\n{error}")
    if error is not None:
        raise error
    return result


def _run_worker(connection: Connection, job: Job[Task, Result]) -> None:
    """Run the tasks received from the connection until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    Thread(target=_exit_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            task = connection.recv()
            connection.send(attempt(job, task))
    job.close()


def attempt(job: Job[Task, Result], task: Task) -> tuple[Result | None, Exception | str | None]:
    """Run a task; return its result, or an error for the user or the traceback of another one."""
    try:
        return job.run(task), None
    except USER_ERRORS as error:
        return None, error
    except Exception:
        return None, traceback.format_exc()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
