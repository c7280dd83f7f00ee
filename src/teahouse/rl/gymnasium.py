"""Gymnasium environments: the agent plays one seat, bots the others. Requires `teahouse[rl]`.

Importing this module registers every game. A game's options are keyword arguments:
`gymnasium.make("teahouse/Orochi-v0", opponent=3, side=4)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teahouse.core.catalog import games
from teahouse.core.errors import IllegalMove, OptionError, quoted
from teahouse.core.extras import extra
from teahouse.core.game import Game, game_info
from teahouse.core.random import SEED_LIMIT
from teahouse.core.validate import check_choice, check_int
from teahouse.rl.episode import Episode
from teahouse.rl.opponents import ENDED, ERROR, LOSE, RANDOM, Opponent, opponent_function
from teahouse.rl.render import HUMAN, RENDER_FPS, RENDER_MODES, check_render_mode, render
from teahouse.rl.rows import start_positions
from teahouse.rl.spec import resolve_game

with extra("rl", "teahouse.rl.gymnasium"):
    import gymnasium
    from gymnasium import spaces


class AgainstBots(gymnasium.Env):
    """A game against bots.

    `opponent` is a bot, a level, "random", or a function from a position to a move text. `seat` is
    the agent's player number; None draws one for each episode. An illegal action loses the game if
    `illegal` is "lose", and raises `IllegalMove` if it is "error".
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012 - as in gymnasium.Env

    def __init__(
        self,
        game: str | Game,
        opponent: Opponent = 1,
        *,
        seat: int | None = None,
        illegal: str = LOSE,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.episode = Episode(resolve_game(game, options))
        players = len(self.episode.game.players)
        if seat is not None:
            check_int("seat", seat, 0, players - 1)
        check_choice("illegal", illegal, (LOSE, ERROR))
        self.render_mode = check_render_mode(render_mode)
        self._actions = self.episode.spec.action_count
        self.action_space = spaces.Discrete(self._actions)
        self.observation_space = spaces.Box(0.0, 1.0, self.episode.shape, np.float32)
        self.seat = seat or 0
        self._fixed_seat = seat
        self._choose = (
            None if opponent == RANDOM else opponent_function(self.episode.game, opponent)
        )
        self._illegal = illegal
        self._forfeited = True  # until the first reset

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a game; the opponents play until it is the agent's turn.

        `options["position"]`, a position or its text, is where the game starts.
        """
        given = (options or {}).get("position")
        positions = () if given is None else start_positions(self.episode.game, given)
        super().reset(seed=seed)
        players = len(self.episode.game.players)
        self.seat = (
            int(self.np_random.integers(players)) if self._fixed_seat is None else self._fixed_seat
        )
        self._forfeited = False
        self.episode.reset(int(self.np_random.integers(SEED_LIMIT)))
        for position in positions:
            self.episode.set(position)
        self._play_opponents()
        if self.episode.over:
            raise OptionError(ENDED)
        return self._observe()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take an action; the opponents play until it is the agent's turn again."""
        if self._forfeited or self.episode.over:
            raise IllegalMove(
                f"Cannot take action {quoted(action)}: the game is over; call reset first."
            )
        small = type(action) is int and 0 <= action < self._actions  # fast path
        if not small and not self.action_space.contains(action):
            raise IllegalMove(
                f"action must be an integer from 0 to {self._actions - 1}, got {quoted(action)}."
            )
        try:
            self.episode.step(int(action))
        except IllegalMove as error:
            if self._illegal == ERROR:
                raise
            self._forfeited = True
            observation, info = self._observe()
            return observation, -1.0, True, False, {**info, "illegal": str(error)}
        self._play_opponents()
        observation, info = self._observe()
        return observation, self.episode.rewards[self.seat], self.episode.over, False, info

    def action_masks(self) -> np.ndarray:
        """Return the mask of legal actions, under the name that sb3-contrib's MaskablePPO uses."""
        return np.zeros(self._actions, np.bool_) if self._forfeited else self.episode.legal

    def render(self) -> Any:
        """Return the board as text or as an image, or print it, according to the render mode."""
        return render(self.episode.position, self.render_mode)

    def _observe(self) -> tuple[np.ndarray, dict[str, Any]]:
        if self.render_mode == HUMAN:
            self.render()
        mask = np.zeros(self._actions, np.int8) if self._forfeited else self.episode.mask
        info = {"action_mask": mask, "seat": self.seat}
        return self.episode.observation(self.seat), info

    def _play_opponents(self) -> None:
        episode, choose = self.episode, self._choose
        while episode.player != self.seat and not episode.over:
            if choose is None:
                episode.play_random(self.np_random)
            else:
                episode.play(choose(episode.position, self.np_random))


def register() -> list[str]:
    """Register all games and return their ids."""
    names = [f"teahouse/{game_info(game).title}-v0" for game in games()]
    for game, name in zip(games(), names, strict=True):
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="teahouse.rl.gymnasium:AgainstBots",
                vector_entry_point="teahouse.rl.vector:BatchVectorEnv",
                kwargs={"game": game},
            )
    return names


register()
