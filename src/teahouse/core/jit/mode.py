"""Whether kernels run interpreted or compiled."""

import os


def interpreted() -> bool:
    """Return whether TEAHOUSE_INTERPRETED=1 switches compilation off."""
    return os.environ.get("TEAHOUSE_INTERPRETED", "") not in ("", "0")
