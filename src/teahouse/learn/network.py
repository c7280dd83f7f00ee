"""The policy and value network: residual convolutions with global context."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from teahouse.core.encoding import observation_spec
from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.core.planes import ObservationSpec

MAX_MIXED_AREA = 128  # cells up to which blocks mix all of them by a matrix
POLICY_CHANNELS = 16
VALUE_CHANNELS = 8
VALUE_WIDTH = 64


@dataclass(frozen=True)
class NetworkShape:
    """Size of a network."""

    blocks: int = 6
    channels: int = 64


class PolicyValueNetwork(nn.Module):
    """Maps planes to policy logits, value logits and a prediction of the final planes.

    Planes are `uint8`, as `Batch.observe` returns them. Value logits are those of the sides, the
    own side first; their softmax is each side's expected share of the win.
    """

    NORMALIZED = (("stem", "stem_norm"),)

    def __init__(self, game: Game, shape: NetworkShape) -> None:
        super().__init__()
        spec = observation_spec(game)
        self.settings = asdict(shape)
        self.rows, self.columns = spec.shape
        channels, area = shape.channels, self.rows * self.columns
        self.register_buffer("scale", torch.tensor([1 / p.max_value for p in spec.planes]))
        self.stem = nn.Conv2d(len(spec.planes), channels, 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(channels)
        self.blocks = nn.ModuleList(
            Block(channels, area if number % 2 else 0) for number in range(shape.blocks)
        )
        self.policy = PolicyHead(spec, channels)
        self.value_conv = nn.Conv2d(channels, VALUE_CHANNELS, 1)
        self.value_hidden = nn.Linear(VALUE_CHANNELS * area + 2 * channels, VALUE_WIDTH)
        self.value = nn.Linear(VALUE_WIDTH, len(game.teams))
        self.final_planes = nn.Conv2d(channels, len(spec.planes), 1)
        for last in (self.value, self.final_planes):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of all actions, of all sides, and the predicted final planes."""
        features = self.trunk(planes)
        return self.policy(features), self.value_logits(features), self.final_planes(features)

    def trunk(self, planes: Tensor) -> Tensor:
        """Return the features that all heads share."""
        scaled = planes.reshape(-1, len(self.scale), self.rows, self.columns)
        scaled = scaled.to(self.stem.weight.dtype)
        scaled = scaled * self.scale[:, None, None].to(scaled.dtype)
        scaled = scaled.contiguous(memory_format=torch.channels_last)
        features = functional.relu(self.stem_norm(self.stem(scaled)))
        for block in self.blocks:
            features = block(features)
        return features

    def value_logits(self, features: Tensor) -> Tensor:
        """Return the logits of the sides' shares."""
        local = functional.relu(self.value_conv(features)).flatten(1)
        hidden = self.value_hidden(torch.cat([local, pooled(features)], 1))
        return self.value(functional.relu(hidden))


@torch.no_grad()
def check_outputs(network: nn.Module, game: Game) -> None:
    """Raise `OptionError` unless a network's outputs fit a game, for cells in a row or a board."""
    if not isinstance(network, nn.Module):
        raise OptionError(f"network must be a torch.nn.Module, got {quoted(network)}.")
    spec = observation_spec(game)
    batch, planes, area = 2, len(spec.planes), spec.shape[0] * spec.shape[1]
    expected = ((batch, spec.action_count), (batch, len(game.teams)), (batch, planes, area))
    training, device = network.training, next(network.parameters(), torch.zeros(0)).device
    network.eval()
    for cells in ((area,), spec.shape):  # in training, and in the exported file
        outputs = network(torch.zeros((batch, planes, *cells), dtype=torch.uint8, device=device))
        found = outputs if isinstance(outputs, tuple | list) else (outputs,)
        shapes = [tuple((one.flatten(2) if one.dim() > 3 else one).shape) for one in found]
        if len(shapes) not in (2, 3) or shapes != [*expected[: len(shapes)]]:
            raise OptionError(
                f"The network's outputs for {game!r} must have the shapes {expected[0]} (policy),"
                f" {expected[1]} (value, a logit for each side) and, if there is a third,"
                f" {expected[2]} (final planes) for a batch of {batch}; got {shapes}."
            )
    network.train(training)


class Block(nn.Module):
    """A residual block; with `area`, global context is added between its convolutions.

    Context is the mean and maximum of each channel, and on small boards a matrix that mixes all
    cells, which learns relations between cells that are not neighbours.
    """

    NORMALIZED = (("conv1", "norm1"), ("conv2", "norm2"))

    def __init__(self, channels: int, area: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.context = nn.Linear(2 * channels, channels) if area else None
        self.mixing = nn.Linear(area, area, bias=False) if 0 < area <= MAX_MIXED_AREA else None
        if self.mixing is not None:
            nn.init.normal_(self.mixing.weight, std=0.5 / area)

    def forward(self, features: Tensor) -> Tensor:
        """Return the block's features."""
        inner = functional.relu(self.norm1(self.conv1(features)))
        return functional.relu(features + self.norm2(self.conv2(self.add_context(inner))))

    def add_context(self, inner: Tensor) -> Tensor:
        """Return the features of the first convolution with global context."""
        added = inner
        if self.context is not None:
            added = added + self.context(pooled(inner))[:, :, None, None]
        if self.mixing is not None:
            cells = inner.permute(0, 2, 3, 1).flatten(1, 2)  # no copy in channels-last format
            mixed = torch.matmul(self.mixing.weight, cells)
            added = added + mixed.unflatten(1, inner.shape[2:]).permute(0, 3, 1, 2)
        return added


class PolicyHead(nn.Module):
    """Logits of all actions.

    A range of actions whose count is a multiple of the number of cells is predicted cell by cell,
    by a convolution; other actions from the whole board.
    """

    def __init__(self, spec: ObservationSpec, channels: int) -> None:
        super().__init__()
        cells, area = len(spec.cell_coordinates), spec.shape[0] * spec.shape[1]
        offsets = spec.cell_offsets()
        local = sum(group.count // cells for group in spec.actions if group.count % cells == 0)
        source: list[int] = []
        plane, other = 0, local * area
        for group in spec.actions:
            if group.count % cells == 0:
                each = group.count // cells
                for offset in offsets:
                    source += [(plane + index) * area + int(offset) for index in range(each)]
                plane += each
            else:
                source += range(other, other + group.count)
                other += group.count
        others = other - local * area
        self.conv = nn.Conv2d(channels, POLICY_CHANNELS, 1) if others else None
        self.others = nn.Linear(POLICY_CHANNELS * area, others) if others else None
        self.cells = nn.Conv2d(channels, local, 1) if local else None
        for last in (self.others, self.cells):
            if last is not None:
                nn.init.zeros_(last.weight)
                nn.init.zeros_(last.bias)
        self.register_buffer("source", torch.tensor(source))

    def forward(self, features: Tensor) -> Tensor:
        """Return the logits of all actions."""
        parts = []
        if self.cells is not None:
            parts.append(self.cells(features).flatten(1))
        if self.others is not None and self.conv is not None:
            parts.append(self.others(functional.relu(self.conv(features)).flatten(1)))
        return torch.cat(parts, 1)[:, self.source]


def pooled(features: Tensor) -> Tensor:
    """Return the mean and the maximum of each channel."""
    return torch.cat([features.mean((2, 3)), features.amax((2, 3))], 1)
