"""Batches of games on CPU and GPU, and adapters to Gymnasium, PettingZoo and OpenSpiel."""

from teahouse.rl.batch import Batch
from teahouse.rl.spec import observation_spec

__all__ = ["Batch", "observation_spec"]
