"""Residual blocks for inference on a GPU: fused convolutions, and global context in one kernel.

Needs Triton, which is installed with PyTorch on Linux; its kernel is written once for all boards.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from teahouse.learn.network import Block, pooled

MIN_TILE = 16  # rows of the smallest matrix product of a tensor core


class FusedBlock(nn.Module):
    """A block whose normalisation was folded, with the same weights under the same names."""

    NORMALIZED = Block.NORMALIZED

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.conv1, self.conv2 = block.conv1, block.conv2
        self.norm1, self.norm2 = block.norm1, block.norm2
        self.context, self.mixing = block.context, block.mixing

    def forward(self, features: Tensor) -> Tensor:
        """Return the block's features."""
        same = (1, 1)
        inner = torch.cudnn_convolution_relu(
            features, self.conv1.weight, self.conv1.bias, same, same, same, 1
        )
        if self.context is not None:
            inner = add_context(inner, self.context, self.mixing)
        return torch.cudnn_convolution_add_relu(
            inner, self.conv2.weight, features, 1.0, self.conv2.bias, same, same, same, 1
        )


def fuse(network: nn.Module) -> bool:
    """Replace the blocks of a network for inference; return whether it has any."""
    found = [
        (holder, name, child)
        for holder in network.modules()
        for name, child in holder.named_children()
        if isinstance(child, Block)
    ]
    for holder, name, block in found:
        setattr(holder, name, FusedBlock(block))
    return bool(found)


def add_context(inner: Tensor, context: nn.Linear, mixing: nn.Linear | None) -> Tensor:
    """Add the context of pooled channels and, with `mixing`, of all cells to the features."""
    boards, channels, rows, columns = inner.shape
    if mixing is None:
        return inner + context(pooled(inner))[:, :, None, None]
    inner = inner.contiguous(memory_format=torch.channels_last)
    result = torch.empty_like(inner)
    area = rows * columns
    _context_kernel[(boards,)](
        inner,
        mixing.weight,
        context.weight,
        context.bias,
        result,
        area,
        max(MIN_TILE, triton.next_power_of_2(area)),
        channels,
        max(MIN_TILE, triton.next_power_of_2(channels)),
    )
    return result


@triton.jit
def _context_kernel(
    inner,
    mixing,
    context,
    bias,
    result,
    area: tl.constexpr,
    rows: tl.constexpr,
    channels: tl.constexpr,
    width: tl.constexpr,
):
    """Add both contexts of one board, whose features are (cells, channels).

    `rows` and `width` are the powers of two that cells and channels are padded to.
    """
    board = tl.program_id(0)
    cell = tl.arange(0, rows)
    channel = tl.arange(0, width)
    inside = (cell < area)[:, None] & (channel < channels)[None, :]
    place = board * area * channels + cell[:, None] * channels + channel[None, :]
    features = tl.load(inner + place, mask=inside, other=0.0)
    other = tl.arange(0, rows)
    matrix = tl.load(
        mixing + cell[:, None] * area + other[None, :],
        mask=(cell < area)[:, None] & (other < area)[None, :],
        other=0.0,
    )
    values = features.to(tl.float32)
    mean = tl.sum(values, 0) / area
    largest = tl.max(tl.where(inside, values, float("-inf")), 0)
    largest = tl.where(channel < channels, largest, 0.0)
    # Rows are inputs, columns outputs of the linear layer.
    source = channel[:, None] + channel[None, :] * 2 * channels
    known = (channel < channels)[:, None] & (channel < channels)[None, :]
    of_mean = tl.load(context + source, mask=known, other=0.0).to(tl.float32)
    of_largest = tl.load(context + channels + source, mask=known, other=0.0).to(tl.float32)
    added = tl.sum(of_mean * mean[:, None], 0) + tl.sum(of_largest * largest[:, None], 0)
    added += tl.load(bias + channel, mask=channel < channels, other=0.0).to(tl.float32)
    total = tl.dot(matrix, features) + values + added[None, :]
    tl.store(result + place, total.to(features.dtype), mask=inside)
