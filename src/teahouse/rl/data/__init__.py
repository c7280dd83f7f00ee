"""Training data: files of self-play, and datasets over them and over game records."""

from teahouse.rl.data.dataset import Dataset, Samples
from teahouse.rl.data.generate import write_records, write_selfplay
from teahouse.rl.data.store import DataError

__all__ = ["DataError", "Dataset", "Samples", "write_records", "write_selfplay"]
