"""Whether kernels run interpreted or compiled, and which are being compiled."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident

_compilations: dict[int, object] = {}


def interpreted() -> bool:
    """Return whether TEAHOUSE_INTERPRETED=1 switches compilation off."""
    return os.environ.get("TEAHOUSE_INTERPRETED", "") not in ("", "0")


@contextmanager
def compiling() -> Iterator[None]:
    """Mark this thread as compiling a kernel: it cannot handle signals while LLVM runs."""
    thread = get_ident()
    _compilations[thread] = object()
    try:
        yield
    finally:
        _compilations.pop(thread, None)


def compilations() -> dict[int, object]:
    """Return the threads that are compiling, each with a token that is unique to the kernel."""
    return dict(_compilations)
