"""A Gymnasium vector environment on a `Batch`. Requires `teahouse[rl]`.

After `import teahouse.rl.gymnasium`, `gymnasium.make_vec("teahouse/Orochi-v0", num_envs=64,
vectorization_mode="vector_entry_point")` makes one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teahouse.core.errors import IllegalMove, OptionError
from teahouse.core.extras import extra
from teahouse.core.game import Game
from teahouse.core.random import SEED_LIMIT
from teahouse.core.validate import check_choice, check_int
from teahouse.rl.batch import Batch
from teahouse.rl.kernels import SKIP, assign_rewards
from teahouse.rl.opponents import ENDED, ERROR, LOSE, RANDOM, Opponent, opponent_function
from teahouse.rl.render import RENDER_FPS, RENDER_MODES, check_render_mode, render
from teahouse.rl.rows import check_mask, start_positions
from teahouse.rl.spec import FLOAT32, UINT8, check_dtype, max_values

with extra("rl", "teahouse.rl.vector"):
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space


class BatchVectorEnv(VectorEnv):
    """`num_envs` games: in self-play, or each with one seat for the agent and bots in the others.

    With `opponent` None the agent plays every seat: it acts for the player to move, whose view it
    observes, and its reward is that of the player who acted. Otherwise `opponent`, `seat` and
    `illegal` are those of `AgainstBots`. All rewards are in `info["rewards"]`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in gymnasium.vector.VectorEnv
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        opponent: Opponent | None = None,
        *,
        seat: int | None = None,
        illegal: str = LOSE,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        threads: int = 1,
        dtype: Any = FLOAT32,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        dtype = check_dtype(dtype)
        self.batch = batch = Batch(
            game, num_envs, threads=threads, dtype=dtype, auto_reset=False, **options
        )
        self.num_envs = batch.size
        if seat is not None:
            check_int("seat", seat, 0, len(batch.game.players) - 1)
            if opponent is None:
                raise OptionError("seat needs an opponent: in self-play the agent has every seat.")
        self._self_play = opponent is None
        self._fixed_seat = seat
        self._choose = (
            opponent_function(batch.game, opponent) if opponent not in (None, RANDOM) else None
        )
        self._illegal = check_choice("illegal", illegal, (LOSE, ERROR))
        self.render_mode = check_render_mode(render_mode)
        self.autoreset_mode = _as_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        spec = batch.spec
        shape = (len(spec.planes), *spec.shape)
        high = max_values(spec)[:, None, None] if dtype == UINT8 else np.float32(1)
        kind = np.dtype(dtype).type
        self._scaled = dtype != UINT8
        self.single_observation_space = Box(
            np.zeros(shape, kind), np.broadcast_to(high, shape).astype(kind), dtype=kind
        )
        self.single_action_space = Discrete(spec.action_count)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._rows = np.arange(self.num_envs)
        self._seats = np.zeros(self.num_envs, np.int64)
        self._over = np.zeros(self.num_envs, np.bool_)  # ended and not reset yet
        self._started = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start new games: all, or those where `options["reset_mask"]` is True.

        The first reset starts all of them. They start from `options["position"]`: a position or
        text for all, or one for each game that starts.
        """
        given = (options or {}).get("position")
        mask = (options or {}).get("reset_mask")
        everyone = mask is None or not self._started
        mask = np.ones(self.num_envs, np.bool_) if mask is None else np.asarray(mask)
        check_mask("reset_mask", mask, self.num_envs)
        if everyone:
            mask = np.ones(self.num_envs, np.bool_)
        positions = (
            None if given is None else start_positions(self.batch.game, given, int(mask.sum()))
        )
        super().reset(seed=seed)
        if everyone:
            self.batch.reset(seed=int(self.np_random.integers(SEED_LIMIT)))
        else:
            self.batch.reset(where=mask)
        if positions is not None:
            self.batch.set(positions, mask)
        self._begin(mask)
        if (self.batch.over & mask).any():
            raise OptionError(ENDED)
        self._started = True
        return self._observation(), self._info()

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take one action in each game; the opponents play until it is the agent's turn again.

        Games that end are replaced as `metadata["autoreset_mode"]` says.
        """
        restarted = self._over
        if not self._started or (restarted.any() and not self._resets_next):
            raise IllegalMove("Cannot step games that are over: call reset first.")
        actions = self.batch._backend.as_actions(actions).copy()
        illegal = self._find_illegal(actions, ~restarted)
        reasons = {index: self.batch._illegal_move(index, int(actions[index])) for index in illegal}
        if restarted.any():
            self.batch.reset(where=restarted)
            self._begin(restarted)
        actors = self.seats.copy()
        forfeited = np.zeros(self.num_envs, np.bool_)
        forfeited[illegal] = True
        actions[restarted | forfeited] = SKIP
        self.batch._run(actions)
        self._play_opponents(~forfeited)
        ended = self.batch.over | forfeited
        self._over = ended.copy()  # users may change what is returned
        everyone = self.batch.rewards.copy()
        for index in illegal:
            everyone[index] = self._forfeit_rewards(int(actors[index]))
        rewards = everyone[self._rows, actors].astype(np.float64)
        final: dict[str, Any] = {}
        if ended.any() and self.autoreset_mode is AutoresetMode.SAME_STEP:
            final = self._final(ended, reasons)
            self.batch.reset(where=ended)
            self._begin(ended)
            reasons = {}
        info = {**self._info(), **final, "rewards": everyone, **self._reasons(reasons)}
        return self._observation(), rewards, ended, np.zeros(self.num_envs, np.bool_), info

    @property
    def seats(self) -> np.ndarray:
        """The player for whom the agent acts in each game."""
        return self.batch.player.astype(np.int64) if self._self_play else self._seats

    def action_masks(self) -> np.ndarray:
        """Return the masks of legal actions, under the name that MaskablePPO uses."""
        masks: np.ndarray = self.batch.legal & ~self._over[:, None]
        return masks

    def render(self) -> tuple[Any, ...] | None:
        """Return the board of each game as text or as an image, or print it."""
        if self.render_mode is None:
            return None
        return tuple(render(position, self.render_mode) for position in self.batch.positions())

    @property
    def _resets_next(self) -> bool:
        return self.autoreset_mode is AutoresetMode.NEXT_STEP

    def _find_illegal(self, actions: np.ndarray, acting: np.ndarray) -> np.ndarray:
        """Return the games with an illegal action; raise `IllegalMove` if that is an error."""
        count = self.batch.spec.action_count
        outside = (actions < 0) | (actions >= count)
        legal = self.batch.legal[self._rows, np.where(outside, 0, actions)]
        illegal = np.flatnonzero(acting & (outside | ~legal))
        for index in illegal:
            if outside[index] or self._illegal == ERROR:
                raise self.batch._illegal_move(int(index), int(actions[index]))
        return illegal

    def _forfeit_rewards(self, seat: int) -> np.ndarray:
        """Return the rewards of all players if a seat's side loses: those of its win, negated."""
        game = self.batch.game
        rewards = np.zeros(len(game.players), np.float32)
        assign_rewards(rewards, sum(1 << one for one in game.teams[game.side(seat)]))
        return -rewards

    def _begin(self, mask: np.ndarray) -> None:
        """Draw seats in games that have started and let the opponents play."""
        self._over = self._over & ~mask
        if self._self_play:
            return
        players = len(self.batch.game.players)
        self._seats[mask] = (
            self.np_random.integers(players, size=int(mask.sum()))
            if self._fixed_seat is None
            else self._fixed_seat
        )
        self._play_opponents(mask)

    def _play_opponents(self, playing: np.ndarray) -> None:
        """Let the opponents play in some of the games until it is the agent's turn."""
        if self._self_play:
            return
        plans: dict[int, list[int]] = {}  # the next actions of compound moves
        while (waiting := playing & ~self.batch.over & (self.batch.player != self._seats)).any():
            actions = np.full(self.num_envs, SKIP, np.int64)
            if self._choose is None:
                actions[waiting] = self._sample(waiting)
            else:
                for index in map(int, np.flatnonzero(waiting)):
                    if not plans.get(index):
                        position = self.batch.position(index)
                        move = self._choose(position, self.np_random)
                        plans[index] = list(position.actions_of(move))
                    actions[index] = plans[index].pop(0)
            self.batch._run(actions)

    def _sample(self, waiting: np.ndarray) -> np.ndarray:
        """Draw actions in some games; the generators of the others stay."""
        backend = self.batch._backend
        before = backend.read("slots")["random"].copy()
        actions: np.ndarray = backend.sample()
        slots = backend.read("slots")
        slots["random"][~waiting] = before[~waiting]
        backend.write("slots", slots)
        return actions[waiting]

    def _observation(self) -> np.ndarray:
        """Return what the agent observes of each game, as an array of its own."""
        backend, spec = self.batch._backend, self.batch.spec
        shape = (self.num_envs, len(spec.planes), *spec.shape)
        planes: np.ndarray = np.empty((*shape[:2], shape[2] * shape[3]), np.uint8)
        backend.observe_states(backend.states, backend.slots, self.seats.astype(np.uint8), planes)
        if self._scaled:
            planes = planes.astype(np.float32)
            planes /= max_values(spec)[:, None]
        return planes.reshape(shape)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8), "seat": self.seats.copy()}

    def _final(self, ended: np.ndarray, reasons: dict[int, IllegalMove]) -> dict[str, Any]:
        """Return Gymnasium's `final_obs` and `final_info` of games that are about to be reset."""
        observations = self._observation()
        final_obs = np.full(self.num_envs, None, object)
        for index in np.flatnonzero(ended):
            final_obs[index] = observations[index]
        info: dict[str, Any] = {}
        for name, value in self._info().items():
            info |= {name: value, f"_{name}": ended.copy()}
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": {**info, **self._reasons(reasons)},
            "_final_info": ended.copy(),
        }

    def _reasons(self, reasons: dict[int, IllegalMove]) -> dict[str, Any]:
        """Return why games were lost by illegal actions, if any were."""
        if not reasons:
            return {}
        texts, mask = np.full(self.num_envs, None, object), np.zeros(self.num_envs, np.bool_)
        for index, error in reasons.items():
            texts[index], mask[index] = str(error), True
        return {"illegal": texts, "_illegal": mask}


def _as_mode(mode: AutoresetMode | str) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    modes = tuple(one.value for one in AutoresetMode)
    return AutoresetMode(check_choice("autoreset_mode", mode, modes))
