"""The gradient step of training: loss, AdamW, moving average of the weights.

On a GPU the step is captured as a CUDA graph after some eager ones: launching its kernels one by
one takes longer than running them.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from teahouse.learn.selfplay import Sample

GRADIENT_NORM = 5.0
SMOOTHING = 0.02  # weight of the latest batch in the reported losses
EAGER_STEPS = 4  # steps before the capture: the optimiser and cuDNN allocate in the first ones


@dataclass(frozen=True)
class LossSettings:
    """Weights of the losses, and the decays of the optimiser and of the average."""

    value_weight: float
    final_planes_weight: float
    weight_decay: float
    averaging: float


class GradientStep:
    """Trains a network on batches of positions.

    `average` is the moving average of the weights, `losses` the mean of the latest losses: policy,
    value, final planes.
    """

    def __init__(
        self, network: nn.Module, settings: LossSettings, plane_scale: Tensor, device: str
    ) -> None:
        self.network = network
        self.average = copy.deepcopy(network).eval().requires_grad_(False)
        self.updates = 0
        self._settings = settings
        self._plane_scale = plane_scale
        self._device = device
        self._losses = torch.zeros(3, device=device)
        self._smoothed = 0  # number of losses in the moving average
        decayed = [p for p in network.parameters() if p.dim() > 1]
        others = [p for p in network.parameters() if p.dim() <= 1]
        graphed = device == "cuda"
        self.optimizer = torch.optim.AdamW(
            [{"params": decayed}, {"params": others, "weight_decay": 0.0}],
            lr=torch.zeros((), device=device) if graphed else 0.0,
            weight_decay=settings.weight_decay,
            fused=graphed,
            capturable=graphed,
        )
        self._graph: Any = None
        self._stream: Any = None
        self._eager_steps = 0
        self._input: Sample | None = None

    @property
    def losses(self) -> list[float]:
        """Means of the latest losses: policy, value, final planes."""
        known = 1 - (1 - SMOOTHING) ** max(1, self._smoothed)
        return [loss / known for loss in self._losses.tolist()]

    def load(self, state: dict[str, Any]) -> None:
        """Set the optimiser's moments and steps; settings stay those of this run and device."""
        own = [
            {name: value for name, value in group.items() if name != "params"}
            for group in self.optimizer.param_groups
        ]
        self.optimizer.load_state_dict(state)
        for group, settings in zip(self.optimizer.param_groups, own, strict=True):
            group.update(settings)

    def __call__(self, sample: Sample, rate: float) -> None:
        """Take one step with this learning rate."""
        for group in self.optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        if self._device == "cuda":
            self._step_graph(sample)
        else:
            self._step(sample)
        self.updates += 1
        self._smoothed += 1
        self._update_average()

    def _step_graph(self, sample: Sample) -> None:
        """Replay the captured step on a copy of the sample."""
        if self._input is None:
            self._input = Sample(*(torch.empty_like(one) for one in _tensors(sample)))
            self._stream = torch.cuda.Stream()
        for target, source in zip(_tensors(self._input), _tensors(sample), strict=True):
            target.copy_(source)
        if self._graph is not None:
            self._graph.replay()
            return
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            self._step(self._input)
        torch.cuda.current_stream().wait_stream(self._stream)
        self._eager_steps += 1
        if self._eager_steps == EAGER_STEPS:
            torch.cuda.synchronize()
            self.optimizer.zero_grad(set_to_none=True)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self._step(self._input)
            self._graph = graph

    def _step(self, sample: Sample) -> None:
        self.network.train()
        cuda = self._device == "cuda"
        with torch.autocast(self._device, torch.bfloat16, enabled=cuda, cache_enabled=not cuda):
            logits, values, *more = self.network(sample.planes)
        weights = sample.weights / sample.weights.sum().clamp_min(1)
        policy = -(sample.policies * functional.log_softmax(logits.float(), 1)).sum(1)
        value = -(sample.values * functional.log_softmax(values.float(), 1)).sum(1)
        losses = [(policy * weights).sum(), (value * weights).sum(), torch.zeros_like(policy[0])]
        if more:
            losses[2] = (self._final_planes_loss(more[0].float(), sample) * weights).sum()
        settings = self._settings
        loss = (
            losses[0] + settings.value_weight * losses[1] + settings.final_planes_weight * losses[2]
        )
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), GRADIENT_NORM)
        self.optimizer.step()
        self._losses.lerp_(torch.stack([one.detach() for one in losses]), SMOOTHING)

    def _final_planes_loss(self, predicted: Tensor, sample: Sample) -> Tensor:
        target = sample.final_planes.float() * self._plane_scale
        return functional.binary_cross_entropy_with_logits(
            predicted.flatten(2), target, reduction="none"
        ).mean((1, 2))

    @torch.no_grad()
    def _update_average(self) -> None:
        decay = min(self._settings.averaging, self.updates / (self.updates + 10))
        own, average = list(self.network.parameters()), list(self.average.parameters())
        torch._foreach_lerp_(average, own, 1 - decay)
        buffers = list(self.average.buffers())
        if buffers:
            torch._foreach_copy_(buffers, list(self.network.buffers()))


def _tensors(sample: Sample) -> tuple[Tensor, ...]:
    """Return the tensors of a sample in the order of its fields."""
    return tuple(getattr(sample, one.name) for one in fields(sample))
