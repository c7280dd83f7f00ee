"""PyTorch over training data: a dataset, and a loader of shuffled batches.

    from torch.utils.data import DataLoader
    from teahouse.rl.data.torch import TorchDataset, loader

    for batch in loader(TorchDataset("games"), 256, seed=1, workers=2):
        ...  # batch.planes, batch.policy and the others are tensors

Requires `teahouse[learn]`, or PyTorch alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from teahouse.core.extras import extra
from teahouse.core.record import Record
from teahouse.rl.data.dataset import Dataset, Samples

with extra("learn", "teahouse.rl.data.torch"):
    import torch
    from torch.utils.data import DataLoader
    from torch.utils.data import Dataset as BaseDataset


class TorchDataset(BaseDataset):
    """A map-style dataset whose samples are tensors."""

    def __init__(self, *sources: Path | str | Sequence[Record]) -> None:
        self.data = Dataset(*sources)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> Samples:
        return Samples(*(torch.as_tensor(field) for field in self.data[index]))

    def batch(self, indices: Sequence[int]) -> Samples:
        """Return several samples, encoded together."""
        return Samples(*map(torch.from_numpy, self.data[indices]))


class _Batches(BaseDataset):
    """The batches of a dataset: an item is given by the indices of its samples."""

    def __init__(self, dataset: TorchDataset) -> None:
        self._dataset = dataset

    def __len__(self) -> int:
        return len(self._dataset)

    def __getitem__(self, indices: Sequence[int]) -> Samples:
        return self._dataset.batch(indices)


def loader(
    dataset: TorchDataset,
    size: int,
    *,
    seed: int | None = 0,
    workers: int = 0,
    drop_last: bool = False,
    **arguments: Any,
) -> DataLoader:
    """Return a loader of batches, shuffled by the seed, with any number of worker processes.

    Without a seed the order is that of the files. Other arguments are those of `DataLoader`.
    """
    order: Any
    if seed is None:
        order = torch.utils.data.SequentialSampler(dataset)
    else:
        generator = torch.Generator()
        generator.manual_seed(seed)
        order = torch.utils.data.RandomSampler(dataset, generator=generator)
    batches = torch.utils.data.BatchSampler(order, size, drop_last)
    return DataLoader(
        _Batches(dataset), sampler=batches, batch_size=None, num_workers=workers, **arguments
    )
