"""Run tasks on a Ray cluster.

A task whose process or node dies runs again elsewhere. The cluster may grow and shrink meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from threading import Event
from time import monotonic
from typing import Any
from uuid import uuid4

from teahouse.core.errors import TaskError
from teahouse.core.executor.base import Executor, Job, Result, Task
from teahouse.core.executor.ray_connection import connect
from teahouse.core.executor.ray_nodes import Node, Nodes
from teahouse.core.executor.ray_worker import JobKey, TaskOutcome, prepare_node, run_task
from teahouse.core.validate import check_int

WAIT_SECONDS = 0.2  # seconds between polls of `cancel`
NODES_SECONDS = 2.0  # seconds between polls of the table of nodes
RETRIES = 10  # per task, if its process or node dies
QUEUE = 2  # tasks submitted per slot, so that no node is idle


class RayExecutor(Executor):
    """Runs tasks on a cluster; with `local`, on one that is started on this machine.

    `at_once` limits the tasks that run at the same time, by default as many as there are cores.
    `notify` is called with a sentence when a node joins, is ready or is lost.
    """

    def __init__(
        self,
        address: str,
        at_once: int | None = None,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        if at_once is not None:
            check_int("at_once", at_once, 1)
        self._ray, self._connected = connect(address, at_once)
        self._at_once = at_once
        self._notify = notify or (lambda _: None)
        self._nodes = Nodes()

    def __enter__(self) -> RayExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster, which goes on; one that was started for this executor ends."""
        if self._connected:
            self._ray.shutdown()

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes that have taken part, those that are lost too."""
        return tuple(self._nodes)

    @property
    def capacity(self) -> int:
        """The number of cores that the cluster has now, or fewer if tasks are limited."""
        cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return cores if self._at_once is None else min(cores, self._at_once)

    def status(self) -> str:
        """Return the nodes with the number of tasks done."""
        return self._nodes.describe()

    def map(
        self, job: Job[Task, Result], tasks: Iterable[Task], cancel: Event | None = None
    ) -> Generator[tuple[Task, Result], None, None]:
        """Yield each task with its result when it ends."""
        return _RayRun(self._ray, self._nodes, self._notify, job, self._at_once).results(
            tasks, cancel or Event()
        )


class _RayRun:
    """The tasks of one job on a cluster."""

    def __init__(
        self,
        ray: Any,
        nodes: Nodes,
        notify: Callable[[str], None],
        job: Job[Any, Any],
        at_once: int | None,
    ) -> None:
        self._ray = ray
        self._nodes = nodes
        self._notify = notify
        self._at_once = at_once
        self._cores = job.cores
        self._key = JobKey.new(uuid4().hex)
        self._payload = ray.put(ray.cloudpickle.dumps(job))
        self._run_task = ray.remote(run_task)
        self._running: dict[Any, Any] = {}
        self._preparing: dict[Any, str] = {}
        self._polled = 0.0

    def results(
        self, tasks: Iterable[Any], cancel: Event
    ) -> Generator[tuple[Any, Any], None, None]:
        waiting = iter(tasks)
        more = True
        try:
            while not cancel.is_set():
                self._poll_nodes()
                more = more and self._submit(waiting)
                if not self._running:
                    return
                for reference in self._wait():
                    if reference in self._preparing:
                        self._mark_ready(reference)
                        continue
                    task, outcome = self._running.pop(reference), self._get(reference)
                    self._count(outcome)
                    yield task, _result(outcome)
                    if cancel.is_set():
                        return
        finally:
            with suppress(Exception):  # the cluster may be gone
                for reference in (*self._running, *self._preparing):
                    self._ray.cancel(reference)

    def _submit(self, waiting: Any) -> bool:
        """Submit as many tasks as can run and a few more; return whether there are others."""
        slots, cores = self._nodes.slots(self._cores)
        limit = self._at_once if self._at_once is not None else QUEUE * slots
        remote = self._run_task.options(num_cpus=cores, max_retries=RETRIES)
        while len(self._running) < limit:
            try:
                task = next(waiting)
            except StopIteration:
                return False
            self._running[remote.remote(self._key, self._payload, task)] = task
        return True

    def _wait(self) -> list[Any]:
        """Return the finished references; none after a timeout."""
        everything = [*self._running, *self._preparing]
        ended, _ = self._ray.wait(everything, num_returns=1, timeout=WAIT_SECONDS)
        if ended:  # and all others that have finished
            ended, _ = self._ray.wait(everything, num_returns=len(everything), timeout=0)
        return list(ended)

    def _get(self, reference: Any) -> TaskOutcome:
        try:
            outcome = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise TaskError(
                f"A task cannot start on a node: {error}\n"
                "All nodes need the same Python and teahouse[ray] as this machine."
            ) from None
        except self._ray.exceptions.RayError as error:
            raise TaskError(f"A task failed repeatedly on the Ray cluster: {error}") from None
        assert isinstance(outcome, TaskOutcome)
        return outcome

    def _count(self, outcome: TaskOutcome) -> None:
        with suppress(KeyError):  # a node that joined and was lost between two polls
            self._nodes[outcome.node].done += 1

    def _poll_nodes(self) -> None:
        """Detect new and lost nodes; let new ones compile their kernels."""
        if monotonic() - self._polled < NODES_SECONDS and self._polled:
            return
        self._polled = monotonic()
        new, lost = self._nodes.update(self._ray.nodes())
        for node_id in new:
            node = self._nodes[node_id]
            cores = f"{node.cores:g} core" + "s" * (node.cores != 1)
            self._notify(f"Node {node.name} ({cores}) starts. What it lacks is compiled once.")
            self._preparing[self._prepare(node_id)] = node_id
        for node_id in lost:
            self._notify(f"Node {self._nodes[node_id].name} is lost; its tasks run again.")

    def _prepare(self, node_id: str) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        placement = NodeAffinitySchedulingStrategy(node_id, soft=False)
        remote = self._ray.remote(prepare_node)
        options = remote.options(num_cpus=0, max_retries=0, scheduling_strategy=placement)
        return options.remote(self._key, self._payload)

    def _mark_ready(self, reference: Any) -> None:
        node = self._nodes[self._preparing.pop(reference)]
        try:
            outcome = self._ray.get(reference)
        except self._ray.exceptions.RayError:
            return  # the node is lost, or tasks will fail on it and say why
        _result(outcome)
        node.ready = True
        self._notify(f"Node {node.name} is ready.")


def _result(outcome: TaskOutcome) -> Any:
    """Return the result of an outcome; raise its error."""
    if isinstance(outcome.error, str):
        raise TaskError(f"A task failed on a node of the Ray cluster:\n{outcome.error}")
    if outcome.error is not None:
        raise outcome.error
    return outcome.result
