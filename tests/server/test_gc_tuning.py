"""Full garbage collections do not block the event loop."""

import subprocess
import sys

from teahouse.server.operations.gc_tuning import WORKER_YOUNG

GROW = """
import gc
from teahouse.server.operations.gc_tuning import disable_full_collections

full = []
gc.callbacks.append(lambda phase, info: full.append(info["generation"] == 2))
disable_full_collections({young}) if {tuned} else None
full.clear()
kept = [[one] for one in range(300_000)]
print(any(full))
cycle = []
cycle.append(cycle)
del cycle
print(gc.collect() >= 1)
"""


def grow(tuned: bool, young: int | None = None) -> list[str]:
    """Return whether a growing heap led to a full collection, and whether `collect` works."""
    command = [sys.executable, "-c", GROW.format(tuned=tuned, young=young)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_a_growing_heap_causes_no_full_collection() -> None:
    assert grow(tuned=False) == ["True", "True"]
    assert grow(tuned=True) == ["False", "True"]
    assert grow(tuned=True, young=WORKER_YOUNG) == ["False", "True"]
