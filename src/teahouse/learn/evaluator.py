"""Inference networks, with which self-play evaluates positions."""

from __future__ import annotations

import copy
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


class Evaluator:
    """A copy of a network for inference: batch normalisation folded, reduced precision.

    With `optimized`, for a GPU, blocks are fused; networks without such blocks are compiled.
    `update` copies new weights in place, so that a captured CUDA graph stays valid.
    """

    def __init__(self, network: nn.Module, dtype: torch.dtype, optimized: bool = False) -> None:
        self._network = network
        self.module = copy.deepcopy(network).eval().requires_grad_(False)
        for module in self.module.modules():
            for conv_name, norm_name in getattr(module, "NORMALIZED", ()):
                conv = getattr(module, conv_name)
                conv.bias = nn.Parameter(torch.zeros_like(conv.weight[:, 0, 0, 0]), False)
                setattr(module, norm_name, nn.Identity())
        self.module.to(dtype)
        self._call: Any = self.module
        if optimized and not _fuse(self.module):
            self._call = torch.compile(self.module, dynamic=False)
        self.update()

    def __call__(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return the policy logits and the sides' shares as `float32`."""
        logits, values, *_ = self._call(planes)
        return logits.float(), functional.softmax(values.float(), 1)

    @torch.no_grad()
    def update(self) -> None:
        """Copy the network's current weights."""
        sources = dict(self._network.named_modules())
        own = {**dict(self._network.named_parameters()), **dict(self._network.named_buffers())}
        copies = {**dict(self.module.named_parameters()), **dict(self.module.named_buffers())}
        for name in copies.keys() & own.keys():
            copies[name].copy_(own[name])
        for name, target in self.module.named_modules():
            for conv_name, norm_name in getattr(target, "NORMALIZED", ()):
                conv, norm = (getattr(sources[name], one) for one in (conv_name, norm_name))
                factor = norm.weight / torch.sqrt(norm.running_var + norm.eps)
                folded = getattr(target, conv_name)
                folded.weight.copy_(conv.weight * factor[:, None, None, None])
                folded.bias.copy_(norm.bias - norm.running_mean * factor)


def _fuse(module: nn.Module) -> bool:
    """Fuse the blocks of a folded network; return False if that is not possible."""
    if find_spec("triton") is None:
        return False
    from teahouse.learn.fused import fuse

    return fuse(module)
