"""Gymnasium environments: one seat is the learner's, bots sit on the others. Needs `teahouse[rl]`.

Importing this registers every game, so that `gymnasium.make("teahouse/Orochi-v0", opponent=3)`
works; a game's options go along by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from teahouse.core.catalog import games
from teahouse.core.errors import IllegalMove, OptionError, quoted
from teahouse.core.game import Game, game_info
from teahouse.core.position import Position
from teahouse.core.random import SEEDS
from teahouse.core.validate import check_choice, check_int
from teahouse.rl.episode import Episode
from teahouse.rl.spec import resolve_game
from teahouse.search.bot import Bot, bot

RENDER_MODES = ("ansi", "human")
RANDOM = "random"
LOSE, ERROR = "lose", "error"


class AgainstBots(gymnasium.Env):
    """A game against bots.

    `opponent` is a bot or its level, "random", or a function from a position to a move's text.
    `seat` is the learner's player number; without it, one is drawn for each game. An action that
    is not legal loses the game if `illegal` is "lose", and is an IllegalMove if it is "error".
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 - as its base

    def __init__(
        self,
        game: str | Game,
        opponent: int | str | Bot | Callable[[Position], str] = 1,
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
        if render_mode is not None:
            check_choice("render_mode", render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self._actions = self.episode.spec.action_count
        self.action_space = spaces.Discrete(self._actions)
        self.observation_space = spaces.Box(0.0, 1.0, self.episode.shape, np.float32)
        self.seat = seat or 0
        self._given_seat = seat
        self._reply = self._replying(opponent)
        self._illegal = illegal
        self._lost = True  # until the first reset

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a game and let the others play until the learner decides."""
        super().reset(seed=seed)
        players = len(self.episode.game.players)
        self.seat = (
            int(self.np_random.integers(players)) if self._given_seat is None else self._given_seat
        )
        self._lost = False
        self.episode.reset(int(self.np_random.integers(SEEDS)))
        self._others_play()
        return self._seen()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take an action, and let the others play until the learner decides again."""
        if self._lost or self.episode.over:
            raise IllegalMove(f"action {quoted(action)} cannot be taken: reset first")
        if not self.action_space.contains(action):
            raise IllegalMove(
                f"actions are whole numbers from 0 to {self._actions - 1}, not {quoted(action)}"
            )
        try:
            self.episode.step(int(action))
        except IllegalMove as error:
            if self._illegal == ERROR:
                raise
            self._lost = True
            observation, info = self._seen()
            return observation, -1.0, True, False, {**info, "illegal": str(error)}
        self._others_play()
        observation, info = self._seen()
        return observation, self.episode.rewards[self.seat], self.episode.over, False, info

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions, by the name that maskable trainers look for."""
        if self._lost or self.episode.over:
            return np.zeros(self._actions, np.bool_)
        return self.episode.legal

    def render(self) -> Any:
        """The board as text, returned or printed."""
        text = self.episode.position.text()
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def _seen(self) -> tuple[np.ndarray, dict[str, Any]]:
        if self.render_mode == "human":
            self.render()
        info = {"action_mask": self.action_masks().astype(np.int8), "seat": self.seat}
        return self.episode.observation(self.seat), info

    def _others_play(self) -> None:
        while not self.episode.over and self.episode.player != self.seat:
            self.episode.play(self._reply(self.episode.position))

    def _replying(
        self, opponent: int | str | Bot | Callable[[Position], str]
    ) -> Callable[[Position], str]:
        """What an opponent plays; chance is the environment's."""
        if callable(opponent):
            return opponent
        if isinstance(opponent, Bot):
            return lambda position: self._chosen(opponent, position)
        if opponent == RANDOM:
            return lambda position: position.legal[self.np_random.integers(len(position.legal))]
        if isinstance(opponent, str):
            raise OptionError(
                f"opponent is a level, {RANDOM} or a function, not {quoted(opponent)}"
            )
        player = bot(self.episode.game, opponent)
        return lambda position: self._chosen(player, position)

    def _chosen(self, player: Bot, position: Position) -> str:
        return player.choose(position, seed=int(self.np_random.integers(SEEDS)))


def register() -> list[str]:
    """Register all games; their names."""
    names = [f"teahouse/{game_info(game).title}-v0" for game in games()]
    for game, name in zip(games(), names, strict=True):
        if name not in gymnasium.registry:
            gymnasium.register(
                name, entry_point="teahouse.rl.gymnasium:AgainstBots", kwargs={"game": game}
            )
    return names


register()
