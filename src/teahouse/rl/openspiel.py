"""OpenSpiel games: importing this registers python_teahouse_orochi and the others.

Needs `teahouse[openspiel]`. Options are parameters: `python_teahouse_orochi(side=4)`. Where the
setup is random, a game begins with a chance node of `setups` equally likely ones. OpenSpiel's
parameters cannot hold a comma, for which a semicolon is written, and take what looks like a number
for one, unless it is in quotes: `python_teahouse_fillit(mode='3')`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from teahouse.core.catalog import games, load
from teahouse.core.game import Game, game_info
from teahouse.core.validate import check_int
from teahouse.rl.episode import Episode
from teahouse.rl.spec import observation_spec

PREFIX = "python_teahouse_"
SETUPS = "setups"
USUAL_SETUPS, MAX_SETUPS = 1_000, 1_000_000


def shuffled(game: Game) -> bool:
    """Whether the setup is random."""
    return len({game.start(seed).state for seed in range(8)}) > 1


def _parameters(name: str) -> dict[str, Any]:
    """The game's options with their defaults, as OpenSpiel has them."""
    options = {option: _written(kind.default) for option, kind in game_info(name).options.items()}
    return {**options, SETUPS: USUAL_SETUPS} if shuffled(load(name)) else options


def _written(value: Any) -> Any:
    """An option's value as a parameter."""
    if value is None:
        return ""
    return f"'{value}'" if isinstance(value, str) and value.isdigit() else value


def _read(value: Any) -> Any:
    """A parameter as an option's value."""
    return value.strip("'").replace(";", ",") if isinstance(value, str) else value


def _type(name: str, players: tuple[int, int], stochastic: bool) -> Any:
    modes = pyspiel.GameType.ChanceMode
    return pyspiel.GameType(
        short_name=PREFIX + name,
        long_name=f"Teahouse {game_info(name).title}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if stochastic else modes.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=players[0],
        max_num_players=players[1],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(name),
    )


class TeahouseGame(pyspiel.Game):  # type: ignore[misc]
    """A game of the house for OpenSpiel."""

    name: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        setups = given.pop(SETUPS, USUAL_SETUPS)
        options = {option: _read(value) for option, value in given.items() if value != ""}
        self.game = load(self.name, **options)
        setups = check_int(SETUPS, setups, 1, MAX_SETUPS)
        self.setups = setups if shuffled(self.game) else 0
        players = len(self.game.players)
        spec = observation_spec(self.game)
        largest = max(len(team) for team in self.game.teams)
        info = pyspiel.GameInfo(
            num_distinct_actions=spec.action_count,
            max_chance_outcomes=self.setups,
            num_players=players,
            min_utility=-float(largest / (players - largest)) if players > 2 else -1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=spec.max_game_length,
        )
        kind = _type(self.name, (players, players), self.setups > 0)
        super().__init__(kind, info, params or {})

    def new_initial_state(self, *_: Any) -> TeahouseState:
        """The start of a game."""
        return TeahouseState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """What turns a state into planes."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PlaneObserver(self, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class TeahouseState(pyspiel.State):  # type: ignore[misc]
    """A game in play."""

    def __init__(self, game: TeahouseGame) -> None:
        super().__init__(game)
        self.episode = Episode(game.game)
        self.setups = game.setups

    def current_player(self) -> int:
        """Who decides."""
        if self.setups:
            return int(pyspiel.PlayerId.CHANCE)
        if self.episode.over:
            return int(pyspiel.PlayerId.TERMINAL)
        return self.episode.player

    def _legal_actions(self, player: int) -> list[int]:
        return self.episode.legal_actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The setups, which are those of the seeds from 0."""
        return [(setup, 1 / self.setups) for setup in range(self.setups)]

    def _apply_action(self, action: int) -> None:
        if self.setups:
            self.episode.reset(action)
            self.setups = 0
        else:
            self.episode.step(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"setup {action}" if self.setups else self.episode.action_text(action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return not self.setups and self.episode.over

    def returns(self) -> list[float]:
        """What each player has got."""
        return self.episode.rewards

    def __str__(self) -> str:
        return "setup" if self.setups else self.episode.text


class PlaneObserver:
    """The planes as a player sees them, as OpenSpiel's observers have it."""

    def __init__(self, game: TeahouseGame, params: Any) -> None:
        if params:
            raise ValueError(f"there are no parameters of observations; given were {params}")
        spec = observation_spec(game.game)
        shape = (len(spec.planes), *spec.shape)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: TeahouseState, player: int) -> None:
        """Look at a state; nothing is seen before the setup."""
        seen = self.dict["observation"]
        seen[:] = 0 if state.setups else state.episode.observation(player)

    def string_from(self, state: TeahouseState, player: int) -> str:
        """The position as text, the same for all."""
        return str(state)


def register() -> list[str]:
    """Register all games; their names."""
    for name in games():
        seats = [len(game.players) for game in _modes(name)]
        kind = type(f"{game_info(name).title}Game", (TeahouseGame,), {"name": name})
        pyspiel.register_game(_type(name, (min(seats), max(seats)), shuffled(load(name))), kind)
    return [PREFIX + name for name in games()]


def _modes(name: str) -> list[Game]:
    """The game with every example of an option that goes with the other defaults."""
    found = [load(name)]
    for option, kind in game_info(name).options.items():
        for value in kind.examples:
            try:
                found.append(load(name, **{option: value}))
            except ValueError:
                continue
    return found


register()
