"""For researchers: games in batches on CPU and GPU, and adapters to their libraries."""

from teahouse.rl.batch import Batch

__all__ = ["Batch"]
