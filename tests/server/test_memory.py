"""Nobody waits while memory is looked through."""

import subprocess
import sys

GROWING = """
import gc
from teahouse.server.gc_tuning import calm

whole = []
gc.callbacks.append(lambda phase, found: whole.append(found["generation"] == 2))
calm() if {calm} else None
whole.clear()
kept = [[one] for one in range(300_000)]
print(any(whole))
ring = []
ring.append(ring)
del ring
print(gc.collect() >= 1)
"""


def grown(calm: bool) -> list[str]:
    """Whether all was looked through while memory grew, and whether a cycle is found when asked."""
    command = [sys.executable, "-c", GROWING.format(calm=calm)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_growing_does_not_lead_to_pauses() -> None:
    assert grown(calm=False) == ["True", "True"]
    assert grown(calm=True) == ["False", "True"]
