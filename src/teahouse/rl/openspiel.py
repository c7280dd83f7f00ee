"""OpenSpiel games: importing this module registers python_teahouse_orochi and the others.

Requires `teahouse[openspiel]`. Options are parameters: `python_teahouse_orochi(side=4)`. A game
with a random setup begins with a chance node of `setups` equally likely outcomes. In OpenSpiel's
parameters write a semicolon for a comma, and quote text that looks like a number:
`python_teahouse_fillit(mode='3')`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teahouse.core.catalog import games, load
from teahouse.core.errors import PositionError, quoted
from teahouse.core.extras import extra
from teahouse.core.game import Game, game_info
from teahouse.core.options import ChoiceOption, Option, option_text
from teahouse.core.validate import check_int
from teahouse.rl.episode import Episode
from teahouse.rl.rows import as_positions
from teahouse.rl.spec import observation_spec

with extra("openspiel", "teahouse.rl.openspiel"):
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame

PREFIX = "python_teahouse_"
SETUPS = "setups"
SETUP = "setup"  # text of the chance node
DEFAULT_SETUPS, MAX_SETUPS = 1_000, 1_000_000


def has_random_setup(game: Game) -> bool:
    """Return whether the setup depends on the seed."""
    return len({game.start(seed).state for seed in range(8)}) > 1


def _parameters(name: str) -> dict[str, Any]:
    """Return a game's options and their defaults as OpenSpiel parameters."""
    options = {
        option: to_parameter(kind, kind.default) for option, kind in game_info(name).options.items()
    }
    return {**options, SETUPS: DEFAULT_SETUPS} if has_random_setup(load(name)) else options


def to_parameter(option: Option, value: Any) -> Any:
    """Return an option's value as an OpenSpiel parameter, whose type may not change."""
    if value is None:
        return ""
    if isinstance(option, ChoiceOption) and (isinstance(value, bool) or value.isdigit()):
        return f"'{option_text(value)}'"
    return value


def _from_parameter(value: Any) -> Any:
    """Return an OpenSpiel parameter as an option's value."""
    return value.strip("'").replace(";", ",") if isinstance(value, str) else value


def _game_type(name: str, players: tuple[int, int], stochastic: bool) -> Any:
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
    """A game as an OpenSpiel game."""

    name: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        setups = given.pop(SETUPS, DEFAULT_SETUPS)
        options = {option: _from_parameter(value) for option, value in given.items() if value != ""}
        self.game = load(self.name, **options)
        setups = check_int(SETUPS, setups, 1, MAX_SETUPS)
        self.setups = setups if has_random_setup(self.game) else 0
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
        game_type = _game_type(self.name, (players, players), self.setups > 0)
        super().__init__(game_type, info, params or {})

    def new_initial_state(self, text: str | None = None) -> TeahouseState:
        """Return the initial state, or the state of a text: `str(state)` or a position text.

        Raise `PositionError` if the text is neither, `IllegalMove` for an illegal draft.
        """
        state = TeahouseState(self)
        if text is not None:
            state.set(text)
        return state

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return an observer that writes planes."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PlaneObserver(self, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class TeahouseState(pyspiel.State):  # type: ignore[misc]
    """A game in progress; `setups` is not 0 while the chance node is pending."""

    def __init__(self, game: TeahouseGame) -> None:
        super().__init__(game)
        self.episode = Episode(game.game)
        self.setups = game.setups

    def set(self, text: str) -> None:
        """Continue from a position text, followed by +action for each action taken since."""
        if not isinstance(text, str):
            raise PositionError(f"A state must be given as text, got {quoted(text)}.")
        if text == SETUP and self.setups:
            return
        words = text.split()
        chosen: list[str] = []
        while words and words[-1].startswith("+"):
            chosen.insert(0, words.pop()[1:])
        (position,) = as_positions(self.episode.game, " ".join(words), 1)
        self.episode.set(position)
        for action in chosen:
            if not (action.isascii() and action.isdigit()):
                raise PositionError(f"A draft must be +action, got {quoted('+' + action)}.")
            self.episode.step(int(action))
        self.setups = 0

    def current_player(self) -> int:
        """Return the player to move, or OpenSpiel's id for chance or a terminal state."""
        if self.setups:
            return int(pyspiel.PlayerId.CHANCE)
        if self.episode.over:
            return int(pyspiel.PlayerId.TERMINAL)
        return self.episode.player

    def _legal_actions(self, player: int) -> list[int]:
        return self.episode.legal_actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the setups, which are numbered by their seeds."""
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
        """Return whether the game is over."""
        return not self.setups and self.episode.over

    def returns(self) -> list[float]:
        """Return each player's reward."""
        return self.episode.rewards

    def __str__(self) -> str:
        return SETUP if self.setups else self.episode.text


class PlaneObserver:
    """An OpenSpiel observer that writes the planes from a player's view."""

    def __init__(self, game: TeahouseGame, params: Any) -> None:
        if params:
            raise ValueError(f"Observations take no parameters, got {params}.")
        spec = observation_spec(game.game)
        shape = (len(spec.planes), *spec.shape)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: TeahouseState, player: int) -> None:
        """Write the observation of a state; all 0 before the chance node."""
        planes = self.dict["observation"]
        planes[:] = 0 if state.setups else state.episode.observation(player)

    def string_from(self, state: TeahouseState, player: int) -> str:
        """Return the position text, which is the same for all players."""
        return str(state)


def register() -> list[str]:
    """Register all games and return their names."""
    for name in games():
        seats = [len(game.players) for game in _variants(name)]
        game_class = type(f"{game_info(name).title}Game", (TeahouseGame,), {"name": name})
        pyspiel.register_game(
            _game_type(name, (min(seats), max(seats)), has_random_setup(load(name))), game_class
        )
    return [PREFIX + name for name in games()]


def _variants(name: str) -> list[Game]:
    """Return the game with every sample value of an option that is valid with the defaults."""
    found = [load(name)]
    for option, kind in game_info(name).options.items():
        for value in kind.examples:
            try:
                found.append(load(name, **{option: value}))
            except ValueError:
                continue
    return found


register()
