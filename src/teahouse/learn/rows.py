"""Training data from a network of `teahouse train`, by batched Gumbel search on one device.

A source for `teahouse.rl.data`: its rows have the search's policies.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from teahouse.core.encoding import observation_spec
from teahouse.core.game import Game
from teahouse.core.random import game_seed
from teahouse.core.validate import check_int, check_seed
from teahouse.learn.checkpoint import CHECKPOINT, CheckpointError, load_checkpoint
from teahouse.learn.evaluator import Evaluator
from teahouse.learn.network import NetworkShape, PolicyValueNetwork
from teahouse.learn.selfplay import Evaluate, SelfPlay, SelfPlaySettings
from teahouse.learn.trainer import check_device
from teahouse.rl.data.rows import join, row_type
from teahouse.rl.data.store import header
from teahouse.rl.kernels import assign_rewards

SIMULATIONS = 32
MAX_SIMULATIONS = 1024


@dataclass(frozen=True)
class TrainedNetwork:
    """An evaluator, and a hash of its weights."""

    evaluate: Evaluate
    digest: str

    @classmethod
    def load(cls, game: Game, folder: Path, device: str) -> TrainedNetwork:
        """Return the network of a training run; raise `CheckpointError` if there is none."""
        check_device(device)
        found = load_checkpoint(folder, game, device)
        if found is None:
            raise CheckpointError(f"{folder} has no {CHECKPOINT}; `teahouse train` writes one.")
        digest = hashlib.sha256()
        for name, tensor in sorted(found.average.items()):
            digest.update(name.encode() + tensor.cpu().numpy().tobytes())
        try:
            network = PolicyValueNetwork(game, NetworkShape(**found.settings["shape"]))
            network.load_state_dict(found.average)
        except (KeyError, TypeError, RuntimeError) as error:
            raise CheckpointError(
                f"{folder / CHECKPOINT} holds a custom network: {error}"
            ) from None
        dtype = torch.bfloat16 if device == "cuda" else torch.float32
        return cls(Evaluator(network.to(device).eval(), dtype), digest.hexdigest()[:16])


class NetworkGames:
    """Games of a network against itself: in each shard the first game of every slot of a batch."""

    def __init__(
        self,
        game: Game,
        network: TrainedNetwork,
        *,
        seed: int,
        device: str,
        shard_games: int,
        simulations: int = SIMULATIONS,
    ) -> None:
        self.game = game
        self.shard_games = check_int("shard_games", shard_games, 2, 1 << 20)
        self._settings = SelfPlaySettings(
            games=shard_games,
            simulations=check_int("simulations", simulations, 2, MAX_SIMULATIONS),
            ring=1,
        )
        self._network = network
        self._seed = check_seed(seed)
        self._device = device
        self.header = header(
            game,
            policy=True,
            player="checkpoint",
            network=network.digest,
            simulations=simulations,
            seed=self._seed,
            opening=self._settings.opening,
            shard_games=shard_games,
        )

    def rows(self, shard: int, games: int) -> np.ndarray:
        """Play the first games of a shard; `ply` counts the rows of a game."""
        play = SelfPlay(
            self.game,
            self._settings,
            self._network.evaluate,
            self._device,
            game_seed(self._seed, shard),
        )
        going = np.arange(games)
        firsts = np.zeros(games, np.int64)  # step in which the game that counts began
        rewards = np.zeros((games, len(self.game.players)), np.float32)
        steps: list[np.ndarray] = []
        while len(going):
            play.search()
            play.act()
            trees = play.read("trees")
            steps.append(self._step_rows(play, trees, going))
            finished = trees["finished"][going] > 0
            restarted = trees["first_step"][going] == play.step
            firsts[going[restarted & ~finished]] = play.step  # too long: its rows do not count
            for slot in going[finished]:
                rewards[slot] = self._rewards(trees["value"][slot])
            going = going[~finished]
        rows = join(steps, row_type(self.game, policy=True))
        taken = np.repeat(np.arange(len(steps)), [len(step) for step in steps])
        rows = rows[taken >= firsts[rows["game"]]]
        rows = rows[np.argsort(rows["game"], kind="stable")]
        begins = np.searchsorted(rows["game"], np.arange(games))
        rows["ply"] = np.arange(len(rows)) - begins[rows["game"]]
        rows["rewards"] = rewards[rows["game"]]
        rows["game"] += shard * self.shard_games
        return rows

    def _step_rows(self, play: SelfPlay, trees: np.ndarray, slots: np.ndarray) -> np.ndarray:
        """Return the rows of the last step in these slots; `game` is the slot."""
        drafts = play.read("replay_drafts")[slots]
        rows = np.zeros(len(slots), row_type(self.game, policy=True))
        rows["state"] = play.read("replay_states")[slots]
        rows["player"] = rows["state"]["player"]
        rows["part"] = drafts["part"]
        for part in range(observation_spec(self.game).max_parts - 1):
            rows["chosen"][:, part] = np.where(drafts["part"] > part, drafts["chosen"][:, part], 0)
        rows["action"] = trees["action"][slots]
        rows["policy"] = play.policies()[slots]
        rows["game"] = slots
        return rows

    def _rewards(self, shares: np.ndarray) -> Any:
        """Return the rewards of all players from the sides' shares of the win."""
        found = [0.0] * len(self.game.players)
        winners = [
            seat
            for side, team in enumerate(self.game.teams)
            if shares[side] == 1.0
            for seat in team
        ]
        assign_rewards(found, sum(1 << seat for seat in winners))
        return found
