"""Garbage collection without pauses.

CPython runs a full collection whenever the heap has grown by a quarter. With a thousand tables in
memory that takes some tenths of a second and blocks the event loop. It finds hardly anything:
reference counting frees almost all objects, except a few cycles such as those of a closed socket.
"""

import gc

COLLECT_SECONDS = 600
"""The interval at which to call `gc.collect`."""
NEVER = 1_000_000_000


def disable_full_collections() -> None:
    """Collect young objects only from now on, and never the objects that exist already."""
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, NEVER)
