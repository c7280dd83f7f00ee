"""Batches of games on CPU and GPU, and adapters to Gymnasium, PettingZoo and OpenSpiel."""

from teahouse.core.encoding import observation_spec
from teahouse.rl.batch import Batch

__all__ = ["Batch", "observation_spec"]
