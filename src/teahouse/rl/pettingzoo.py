"""PettingZoo environments: `env("orochi", side=4)`. Requires `teahouse[rl]`.

Agents are player_0, player_1 … in seat order. An observation is a dict of `observation` (planes
from the agent's view, float32 from 0 to 1) and `action_mask`, which is in `infos` as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from teahouse.core.extras import extra
from teahouse.core.game import Game
from teahouse.core.random import SEED_LIMIT
from teahouse.core.validate import check_int
from teahouse.rl.episode import Episode
from teahouse.rl.render import HUMAN, RENDER_FPS, RENDER_MODES, check_render_mode, render
from teahouse.rl.rows import start_positions
from teahouse.rl.spec import resolve_game

with extra("rl", "teahouse.rl.pettingzoo"):
    from gymnasium import spaces
    from gymnasium.utils import EzPickle
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel


class OrderEnforced(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """PettingZoo's wrapper, with direct access to the attributes that every turn reads."""

    _has_updated: bool

    @property
    def agents(self) -> list[str]:
        """The agents that are alive."""
        return self.env.agents if self._has_reset else self.__getattr__("agents")

    @property
    def agent_selection(self) -> str:
        """The agent to move."""
        if not self._has_reset:
            self.__getattr__("agent_selection")
        return self.env.agent_selection

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, termination, truncation and info of the agent to move."""
        return self.env.last(observe) if self._has_reset else super().last(observe)

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yield the agent to move before every step."""
        if not self._has_reset:
            super().agent_iter(max_iter)
        return self._iterate(max_iter)

    def _iterate(self, max_iter: int) -> Iterator[str]:
        env = self.env
        while max_iter > 0 and env.agents:
            if not self._has_updated:
                raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
            self._has_updated = False
            yield env.agent_selection
            max_iter -= 1

    def step(self, action: Any) -> None:
        """Take an action of the agent to move."""
        if self._has_reset and self.env.agents:
            self._has_updated = True
            self.env.step(action)
        else:
            super().step(action)

    def __str__(self) -> str:
        return str(self.env)


def env(game: str | Game = "orochi", **settings: Any) -> AECEnv:
    """Return the environment wrapped so that calls in a wrong order raise an error."""
    return OrderEnforced(raw_env(game, **settings))


def parallel_env(
    game: str | Game = "orochi", *, max_cycles: int | None = None, **settings: Any
) -> Any:
    """Return a parallel environment: all agents act, and the action of the agent to move counts.

    A cycle is one action.
    """
    _check_limit("max_cycles", max_cycles)
    return turn_based_aec_to_parallel(raw_env(game, max_actions=max_cycles, **settings))


class LegalActions(spaces.Discrete):
    """All actions; without a mask, `sample` draws a legal one if it is the agent's turn."""

    def __init__(self, environment: raw_env, agent: str) -> None:
        super().__init__(environment.episode.spec.action_count)
        self.environment = environment
        self._agent = agent

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Return a random action."""
        environment = self.environment
        own_turn = environment.agents and environment.agent_selection == self._agent
        if mask is None and probability is None and own_turn:
            mask = environment.mask(self._agent)
        return super().sample(mask, probability)


class raw_env(AECEnv, EzPickle):  # type: ignore[misc] # noqa: N801 - PettingZoo's name
    """A game as an AEC environment.

    With `max_cycles` an episode is truncated after that many actions for each agent, with
    `max_actions` after that many in all.
    """

    metadata = {  # noqa: RUF012 - as in PettingZoo
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        game: str | Game = "orochi",
        *,
        max_cycles: int | None = None,
        max_actions: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        limits = {"max_cycles": max_cycles, "max_actions": max_actions}
        EzPickle.__init__(self, game, **limits, render_mode=render_mode, **options)
        AECEnv.__init__(self)
        self.render_mode = check_render_mode(render_mode)
        self.episode = Episode(resolve_game(game, options))
        players = len(self.episode.game.players)
        for name, limit in limits.items():
            _check_limit(name, limit)
        self.max_actions = max_actions if max_cycles is None else max_cycles * players
        self.metadata = {**self.metadata, "name": f"teahouse_{self.episode.game.name}_v0"}
        self.possible_agents = [f"player_{player}" for player in range(players)]
        self._players = {agent: player for player, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self.action_spaces = {agent: LegalActions(self, agent) for agent in self.possible_agents}
        actions = (self.episode.spec.action_count,)
        self._no_actions = np.zeros(actions, np.int8)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, self.episode.shape, np.float32),
                    "action_mask": spaces.Box(0, 1, actions, np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._rng = np.random.default_rng()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the environment anew, as `EzPickle` does; its spaces follow this object."""
        super().__setstate__(state)
        for space in self.action_spaces.values():
            space.environment = self

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> LegalActions:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game; the seed determines random setups of this and later episodes.

        `options["position"]`, a position or its text, is where the game starts.
        """
        given = (options or {}).get("position")
        positions = () if given is None else start_positions(self.episode.game, given)
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.episode.reset(int(self._rng.integers(SEED_LIMIT)))
        for position in positions:
            self.episode.set(position)
        self.actions_taken = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._select_agent()

    def step(self, action: Any) -> None:
        """Take an action of the agent to move; raise `IllegalMove` if it is illegal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        episode = self.episode
        episode.step(action)
        self.actions_taken += 1
        self._cumulative_rewards[agent] = 0.0
        if episode.over:
            self.rewards = dict(zip(self.agents, episode.rewards, strict=True))
            self._accumulate_rewards()
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.actions_taken == self.max_actions:
            self.truncations = dict.fromkeys(self.agents, True)
        self._select_agent()
        if self.render_mode == HUMAN:
            self.render()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, termination, truncation and info of the agent to move."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation of an agent."""
        return {
            "observation": self.episode.observation(self._players[agent]),
            "action_mask": self.mask(agent),
        }

    def mask(self, agent: str) -> np.ndarray:
        """Return the mask of legal actions; all 0 unless it is the agent's turn."""
        if agent == self.agent_selection and self.actions_taken != self.max_actions:
            return self.episode.mask_view.copy()  # all 0 if the game is over
        return self._no_actions.copy()

    def render(self) -> Any:
        """Return the board as text or as an image, or print it, according to the render mode."""
        return render(self.episode.position, self.render_mode)

    def close(self) -> None:
        """Do nothing: there are no resources to release."""

    def _select_agent(self) -> None:
        episode, nothing = self.episode, self._no_actions
        self.agent_selection = selected = self.possible_agents[episode.player]
        legal = episode.mask_view if self.actions_taken != self.max_actions else nothing
        infos = {}
        for agent in self.agents:  # a comprehension is slower
            infos[agent] = {"action_mask": (legal if agent == selected else nothing).copy()}
        self.infos = infos

    def __str__(self) -> str:
        return str(self.metadata["name"])


def _check_limit(name: str, limit: int | None) -> None:
    if limit is not None:
        check_int(name, limit, 1)
