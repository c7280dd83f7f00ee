"""Garbage collection without pauses.

CPython runs a full collection whenever the heap has grown by a quarter. With a thousand tables in
memory that takes some tenths of a second and blocks the event loop. It finds hardly anything:
reference counting frees almost all objects, except a few cycles such as those of a closed socket.
"""

import gc

COLLECT_SECONDS = 600
"""The interval at which to call `gc.collect`."""
NEVER = 1_000_000_000
WORKER_YOUNG = 50_000
"""Allocations between collections in a worker: some megabytes. There are hardly any cycles, and
every collection takes time: 42 µs of each snapshot with CPython's 700."""


def disable_full_collections(young: int | None = None) -> None:
    """Collect young objects only from now on, and never the objects that exist already.

    `young` is the number of new objects until the next collection, by default CPython's.
    """
    gc.collect()
    gc.freeze()
    default, middle, _ = gc.get_threshold()
    gc.set_threshold(young or default, middle, NEVER)
