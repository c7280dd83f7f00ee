"""The worker side of a Ray cluster: functions that Ray calls in processes of the nodes."""

from __future__ import annotations

import hashlib
import pickle
import socket
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from teahouse.core.errors import TaskError
from teahouse.core.executor.base import USER_ERRORS, Job
from teahouse.core.executor.local import attempt

PACKAGE = Path(__file__).parents[2]
PARTS = ("core", "games", "lab", "learn", "search")
SUFFIXES = {".py", ".json", ".onnx", ".txt"}
"""Of code, of the budgets of bots, of networks and of layouts."""


@dataclass(frozen=True)
class JobKey:
    """Identifies a job and the code version of its tasks."""

    job: str
    version: str
    code: str

    @staticmethod
    def new(job: str) -> JobKey:
        """Return a key with the version and the code of this process."""
        return JobKey(job, version(PACKAGE.name), code_digest())


@dataclass(frozen=True)
class TaskOutcome:
    """The result or the error of a task, and the node that ran it."""

    node: str
    result: Any = None
    error: Exception | str | None = None
    """An error for the user, or the traceback of another one."""


_jobs: dict[JobKey, Job[Any, Any]] = {}
"""The job of this process; Ray reuses a process for the next job."""


def run_task(key: JobKey, payload: bytes, task: Any) -> TaskOutcome:
    """Run a task of a pickled job."""
    job, error = _load(key, payload)
    if job is None:
        return TaskOutcome(_node_id(), error=error)
    return TaskOutcome(_node_id(), *attempt(job, task))


def prepare_node(key: JobKey, payload: bytes) -> TaskOutcome:
    """Compile what the tasks of a job need into the kernel cache of this node."""
    job, error = _load(key, payload)
    if job is not None:
        try:
            job.prepare()
        except USER_ERRORS as failure:
            error = failure
        except Exception:
            error = traceback.format_exc()
    return TaskOutcome(_node_id(), error=error)


def _load(key: JobKey, payload: bytes) -> tuple[Job[Any, Any] | None, Exception | str | None]:
    """Return the job, unpickled by its first task in this process, or what is wrong with it."""
    if key not in _jobs:
        if key != JobKey.new(key.job):
            return None, _mismatch(key)
        for job in _jobs.values():
            job.close()
        _jobs.clear()
        try:
            _jobs[key] = pickle.loads(payload)
        except USER_ERRORS as failure:
            return None, failure
        except Exception:
            return None, traceback.format_exc()
    return _jobs[key], None


def _mismatch(key: JobKey) -> TaskError:
    own = version(PACKAGE.name)
    found = f"teahouse {own}" if own != key.version else f"other code of teahouse {own}"
    return TaskError(
        f"Node {socket.gethostname()} has {found}, not the teahouse {key.version} of this machine: "
        "results would differ. Install the same version on all nodes."
    )


@cache
def code_digest() -> str:
    """Return a hash of the code and the data that results depend on."""
    return files_digest(PACKAGE, PARTS)


def files_digest(package: Path, parts: Iterable[str]) -> str:
    """Return a hash of the files in parts of a package; a wheel has no tests, so without these."""
    digest = hashlib.sha256()
    for part in parts:
        for path in sorted((package / part).rglob("*")):
            if path.suffix in SUFFIXES and not path.name.startswith("test_"):
                digest.update(path.relative_to(package).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _node_id() -> str:
    import ray

    return str(ray.get_runtime_context().get_node_id())
