"""Self-play of a batch of games on one device: search, act, record, sample."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from teahouse.core.encoding import draft_type, observation_spec
from teahouse.core.game import Game
from teahouse.core.random import game_seed, generator
from teahouse.core.validate import check_int
from teahouse.learn.kernels import CpuKernels, CudaKernels
from teahouse.learn.layout import edge_type, node_type, run_record, tree_type

Evaluate = Callable[[Tensor], tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class SelfPlaySettings:
    """Size of the batch and parameters of the search."""

    games: int = 4_096
    """Games side by side; with more of them the network changes less often during a game."""
    simulations: int = 32
    """Largest number of simulations per action."""
    considered: int = 16
    """Actions at the root that sequential halving starts with."""
    edges_per_node: int = 48
    """Mean number of actions that the memory of a tree is sized for."""
    ring: int = 256
    """Steps that the replay buffer holds."""
    noise: float = 1.0
    value_scale: float = 0.2
    visit_offset: float = 50.0
    opening: int = 6
    max_actions: int = 1_000
    play_on: float = 0.2
    value_mix: float = 0.3


@dataclass(frozen=True)
class Sample:
    """Rows of the replay buffer."""

    planes: Tensor
    """(rows, planes, area), uint8."""
    policies: Tensor
    values: Tensor
    """Shares of the win by side, the own side first."""
    final_planes: Tensor
    """The end of the game from the same player's view; uint8."""
    weights: Tensor
    """1, or 0 for a row whose game has not ended."""


class SelfPlay:
    """Plays a batch of games in self-play, guided by a network."""

    def __init__(
        self, game: Game, settings: SelfPlaySettings, evaluate: Evaluate, device: str, seed: int
    ) -> None:
        spec = observation_spec(game)
        self.game = game
        self.settings = settings
        self.step = 0
        self._evaluate = evaluate
        self._device = device
        games, ring, sides = settings.games, settings.ring, len(game.teams)
        area = spec.shape[0] * spec.shape[1]
        nodes = settings.simulations + 2
        edge_limit = nodes * settings.edges_per_node
        edges = max(edge_limit, min(spec.action_count, game.layout.max_moves))  # the root fits
        runs = run_record(
            game,
            max_nodes=nodes,
            max_edges=edges,
            edge_limit=edge_limit,
            considered=settings.considered,
            noise=settings.noise,
            value_scale=settings.value_scale,
            visit_offset=settings.visit_offset,
            opening=settings.opening,
            max_actions=settings.max_actions,
            play_on=settings.play_on,
            value_mix=settings.value_mix,
            ring=ring,
            games=games,
        )
        trees = np.zeros(games, tree_type(sides))
        trees["random"] = [generator(game_seed(seed, number)) for number in range(games)]
        self._kernels = (CudaKernels if device == "cuda" else CpuKernels)(game)
        put = self._kernels.put
        draft = draft_type(spec)
        self.planes = self._zeros(games, len(spec.planes), area, dtype=torch.uint8)
        self._logits = self._zeros(games, spec.action_count)
        self._values = self._zeros(games, sides)
        self._policies = self._zeros(ring, games, spec.action_count)
        self._targets = self._zeros(ring, games, sides)
        self._exact = self._zeros(ring, games, dtype=torch.int8)
        self._ends = self._zeros(ring, games, dtype=torch.int32) - 1
        share = self._kernels.share
        self.arrays: dict[str, Any] = {
            "runs": put(runs),
            "boards": put(game.layout.board),
            "states": put(np.zeros(games * nodes, game.layout.state)),
            "drafts": put(np.zeros(games * nodes, draft)),
            "nodes": put(np.zeros(games * nodes, node_type(sides))),
            "edges": put(np.zeros(games * edges, edge_type(sides))),
            "trees": put(trees),
            "masks": put(np.zeros((games, spec.action_count), np.uint8)),
            "offsets": put(spec.cell_offsets()),
            "planes": share(self.planes),
            "logits": share(self._logits),
            "values": share(self._values),
            "replay_states": put(np.zeros(ring * games, game.layout.state)),
            "replay_drafts": put(np.zeros(ring * games, draft)),
            "finals": put(np.zeros(ring * games, game.layout.state)),
            "no_draft": put(np.zeros(1, draft)),
            "policies": share(self._policies),
            "targets": share(self._targets),
            "exact": share(self._exact),
            "ends": share(self._ends),
        }
        self._schedules: dict[int, Any] = {}
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}
        self._launch("start", self.step)

    def _zeros(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=self._device)

    def _launch(self, name: str, *scalars: int, **arrays: Any) -> None:
        self._kernels.launch(name, self.settings.games, {**self.arrays, **arrays}, *scalars)

    @torch.no_grad()
    def search(self, simulations: int | None = None) -> None:
        """Search all positions; on a GPU the whole search is one CUDA graph.

        Raise `OptionError` for more simulations than the settings have, for which trees are sized.
        """
        most = self.settings.simulations
        count = check_int("simulations", simulations or most, 1, most)
        if count not in self._schedules:
            table = schedule(self.settings.considered, count)
            self._schedules[count] = self._kernels.put(table)
        if self._device != "cuda":
            self._search(count)
            return
        if count not in self._graphs:
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self._search(count)  # compile and warm up
            torch.cuda.current_stream().wait_stream(stream)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self._search(count)
            self._graphs[count] = graph
        self._graphs[count].replay()

    def _search(self, simulations: int) -> None:
        table = self._schedules[simulations]
        self._launch("begin")
        for _ in range(simulations + 1):
            self.planes.zero_()
            self._launch("select", schedule=table)
            logits, values = self._evaluate(self.planes)
            self._logits.copy_(logits)
            self._values.copy_(values)
            self._launch("expand")

    def act(self) -> None:
        """Take the chosen action in every game and record the searched positions."""
        self._launch("act", self.step)
        self.step += 1

    def sample(self, rows: int, generator: torch.Generator) -> Sample:
        """Return random rows of the replay buffer."""
        filled = min(self.step, self.settings.ring) * self.settings.games
        index = torch.randint(0, filled, (rows,), device=self._device, generator=generator)
        games = self.settings.games
        ends = self._ends.view(-1)[index]
        final = torch.where(ends >= 0, ends.long() * games + index % games, index)
        shape = (rows, *self.planes.shape[1:])
        planes, finals = (torch.zeros(shape, dtype=torch.uint8, device=self._device) for _ in "ab")
        share = self._kernels.share
        self._kernels.launch(
            "observe",
            rows,
            {
                **self.arrays,
                "index": share(index),
                "final_index": share(final),
                "planes": share(planes),
                "final_planes": share(finals),
            },
        )
        return Sample(
            planes,
            self._policies.view(-1, self._policies.shape[-1])[index].float(),
            self._targets.view(-1, self._targets.shape[-1])[index],
            finals,
            (ends >= 0).float(),
        )

    def read(self, name: str) -> np.ndarray:
        """Return a copy of an array of records in the host's memory."""
        return self._kernels.get(self.arrays[name])

    def policies(self) -> np.ndarray:
        """Return the improved policies of the last step: (games, actions)."""
        found: np.ndarray = self._policies[(self.step - 1) % self.settings.ring].cpu().numpy()
        return found

    def statistics(self) -> dict[str, float]:
        """Return counts since the start: finished games, wins of each side, proven searches."""
        trees = self._kernels.get(self.arrays["trees"])
        return {
            "games": int(trees["finished"].sum()),
            "proven": int(trees["proven"].sum()),
            **{
                f"wins_{side}": int(trees["wins"][:, side].sum())
                for side in range(len(self.game.teams))
            },
        }


def schedule(considered: int, simulations: int) -> np.ndarray:
    """Return the visits an action needs in order to be visited next, by sequential halving.

    The row is the number of actions considered; the column the simulation, of which number 0
    evaluates the root.
    """
    table = np.zeros((considered + 1, simulations + 1), np.int32)
    for count in range(1, considered + 1):
        table[count, 1:] = _considered_visits(count, simulations)
    return table


def _considered_visits(considered: int, simulations: int) -> list[int]:
    if considered == 1:
        return list(range(simulations))
    rounds = math.ceil(math.log2(considered))
    visits = [0] * considered
    sequence: list[int] = []
    left = considered
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            sequence += visits[:left]
            for index in range(left):
                visits[index] += 1
        left = max(2, left // 2)
    return sequence[:simulations]
