"""PettingZoo environments of every game: `env("orochi", side=4)`. Needs `teahouse[rl]`.

Agents are player_0, player_1 … in the order of the game's seats. An observation is a dict with the
planes (float32 from 0 to 1, as the agent sees them) and the action mask, which `info` has as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from teahouse.core.game import Game
from teahouse.core.random import SEEDS
from teahouse.core.validate import check_choice, check_int
from teahouse.rl.episode import Episode
from teahouse.rl.spec import resolve_game

RENDER_MODES = ("ansi", "human")


def env(game: str | Game = "orochi", **settings: Any) -> AECEnv:
    """The environment with PettingZoo's checks of the order of calls."""
    return wrappers.OrderEnforcingWrapper(raw_env(game, **settings))


def parallel_env(
    game: str | Game = "orochi", *, max_cycles: int | None = None, **settings: Any
) -> Any:
    """The same for trainers that want an action of every agent: that of the decider counts.

    Here a cycle is one action.
    """
    environment = raw_env(game, **settings)
    environment.max_actions = _checked(max_cycles)
    return turn_based_aec_to_parallel(environment)


class LegalActions(spaces.Discrete):
    """All actions; a sample without a mask is a legal one if it is the agent who decides."""

    def __init__(self, environment: raw_env, agent: str) -> None:
        super().__init__(environment.episode.spec.action_count)
        self._environment = environment
        self._agent = agent

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """A random action."""
        environment = self._environment
        if mask is None and probability is None and environment.agent_selection == self._agent:
            mask = environment.mask(self._agent)
        return super().sample(mask, probability)


class raw_env(AECEnv, EzPickle):  # type: ignore[misc] # noqa: N801 - PettingZoo's name
    """A game as an environment of agents that take turns.

    With `max_cycles` the game is cut short once there were so many actions for each agent.
    """

    metadata = {  # noqa: RUF012 - as PettingZoo has it
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        game: str | Game = "orochi",
        *,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        EzPickle.__init__(self, game, max_cycles=max_cycles, render_mode=render_mode, **options)
        AECEnv.__init__(self)
        if render_mode is not None:
            check_choice("render_mode", render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self.episode = Episode(resolve_game(game, options))
        players = len(self.episode.game.players)
        cycles = _checked(max_cycles)
        self.max_actions = None if cycles is None else cycles * players
        self.metadata = {**self.metadata, "name": f"teahouse_{self.episode.game.name}_v0"}
        self.possible_agents = [f"player_{player}" for player in range(players)]
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self.action_spaces = {agent: LegalActions(self, agent) for agent in self.possible_agents}
        actions = (self.episode.spec.action_count,)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, self.episode.shape, np.float32),
                    "action_mask": spaces.Box(0, 1, actions, np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._chance = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Dict:
        """What an agent may see."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> LegalActions:
        """What an agent may do."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; the seed matters where setup is random, and for the games after it."""
        if seed is not None:
            self._chance = np.random.default_rng(seed)
        self.episode.reset(int(self._chance.integers(SEEDS)))
        self.actions_taken = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._decide()

    def step(self, action: Any) -> None:
        """Take an action for the agent who decides; IllegalMove if it is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.episode.step(action)
        self.actions_taken += 1
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.agents, self.episode.rewards, strict=True))
        if self.episode.over:
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.actions_taken == self.max_actions:
            self.truncations = dict.fromkeys(self.agents, True)
        self._decide()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees."""
        viewer = self.possible_agents.index(agent)
        return {"observation": self.episode.observation(viewer), "action_mask": self.mask(agent)}

    def mask(self, agent: str) -> np.ndarray:
        """The legal actions of an agent; none unless it decides."""
        deciding = agent == self.agent_selection and not self._ended
        legal = self.episode.legal.astype(np.int8)
        return legal if deciding else np.zeros_like(legal)

    def render(self) -> str | None:
        """The board as text, returned or printed."""
        text = self.episode.position.text()
        if self.render_mode == "ansi":
            return text
        if self.render_mode == "human":
            print(text)
        return None

    def close(self) -> None:
        """Nothing is held that must be given back."""

    @property
    def _ended(self) -> bool:
        return self.episode.over or self.actions_taken == self.max_actions

    def _decide(self) -> None:
        self.agent_selection = self.possible_agents[self.episode.player]
        self.infos = {agent: {"action_mask": self.mask(agent)} for agent in self.agents}

    def __str__(self) -> str:
        return str(self.metadata["name"])


def _checked(max_cycles: int | None) -> int | None:
    return None if max_cycles is None else check_int("max_cycles", max_cycles, 1)
