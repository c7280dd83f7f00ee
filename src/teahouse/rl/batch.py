"""A batch of games that are stepped together, one action for each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from teahouse.core.errors import IllegalMove, OptionError, listing, quoted
from teahouse.core.game import Game
from teahouse.core.planes import ObservationSpec
from teahouse.core.playouts import DEVICES
from teahouse.core.position import Position
from teahouse.core.symmetries import Symmetries
from teahouse.core.validate import check_bool, check_choice, check_int, check_seed
from teahouse.rl.cpu_batch import ROWS, CpuBatch, new_rows
from teahouse.rl.kernels import REFRESH, RESET_FIRST, RESET_NEXT, SKIP, new_slots
from teahouse.rl.rows import as_positions, as_rows, check_mask, copy_rows, generators
from teahouse.rl.spec import UINT8, check_dtype, observation_spec, resolve_game

MAX_SIZE = 1 << 26
MAX_THREADS = 1024


class Batch:
    """A vectorised environment: `size` games of the same kind.

    The arrays belong to the batch: the next step overwrites them, so copy what you keep. They are
    NumPy arrays with device "cpu"; with "cuda" they are GPU arrays that PyTorch, JAX and CuPy take
    without a copy.

    >>> batch = Batch("orochi", size=4, side=3)
    >>> batch.legal.shape, batch.observation.shape
    ((4, 57), (4, 4, 5, 5))
    >>> for _ in range(100):
    ...     batch.step(batch.sample())
    >>> branches = batch[[0, 0, 2]]
    >>> branches.size, branches.position(1) == batch.position(0)
    (3, True)
    """

    def __init__(
        self,
        game: str | Game,
        size: int = 1024,
        *,
        device: str = "cpu",
        seed: int = 0,
        threads: int = 1,
        auto_reset: bool = True,
        validate: bool = True,
        dtype: Any = UINT8,
        **options: Any,
    ) -> None:
        self._game = resolve_game(game, options)
        self._size = check_int("size", size, 1, MAX_SIZE)
        self._threads = check_int("threads", threads, 1, MAX_THREADS)
        self._device = check_choice("device", device, DEVICES)
        self._auto_reset = check_bool("auto_reset", auto_reset)
        self._validate = check_bool("validate", validate)
        self._dtype = check_dtype(dtype)
        self._seed = check_seed(seed)
        self._attach(self._new_backend(new_rows(self._game, self._size)))
        self.reset(seed=self._seed)

    def _new_backend(self, rows: dict[str, np.ndarray]) -> Any:
        if self._device == "cpu":
            return CpuBatch(self._game, rows, self._threads)
        from teahouse.rl.cuda_batch import CudaBatch

        return CudaBatch(self._game, rows)

    def _attach(self, backend: Any) -> None:
        """Use a backend and expose its rows."""
        self._spec = observation_spec(self._game)
        self._backend = backend
        self._size = backend.size
        self._legal = backend.public(backend.legal, np.bool_)
        self._player = backend.public(backend.players)
        self._rewards = backend.public(backend.rewards)
        self._done = backend.public(backend.done, np.bool_)
        self._over: Any = None
        self._steps = 0
        self._shown: dict[bool, tuple[Any, int]] = {}
        """The observations, of the last states of games or of the current ones, and their step."""

    @property
    def game(self) -> Game:
        """The game played."""
        return self._game

    @property
    def spec(self) -> ObservationSpec:
        """What actions and planes mean."""
        return self._spec

    @property
    def size(self) -> int:
        """The number of games."""
        return self._size

    @property
    def device(self) -> str:
        """Where the games are played: cpu or cuda."""
        return self._device

    @property
    def legal(self) -> Any:
        """The mask of legal actions: (size, actions), bool. All False if the game is over."""
        return self._legal

    @property
    def player(self) -> Any:
        """The player to move: (size,), uint8."""
        return self._player

    @property
    def rewards(self) -> Any:
        """Each player's reward of the last step: (size, players), float32.

        0 until the game ends and in a draw; else 1 for each winner and equal negative shares for
        the others, so that the sum is 0.
        """
        return self._rewards

    @property
    def done(self) -> Any:
        """Whether the last step ended the game: (size,), bool."""
        return self._done

    @property
    def over(self) -> Any:
        """Whether the game is over: (size,), bool. With `auto_reset` only games set so are."""
        if self._over is None:
            self._over = self._backend.public(self._backend.over, np.bool_)
        self._backend.update_over()
        return self._over

    @property
    def observation(self) -> Any:
        """What the player to move observes: (size, planes, rows, columns).

        uint8, counts as they are, or float32, each plane divided by its largest value: see `dtype`.
        """
        return self._observe(finals=False)

    @property
    def final_observation(self) -> Any:
        """The last observation of a game that ended, as `observation`; valid where `done`.

        It is what the player to move would have observed if the game had not been reset.
        """
        return self._observe(finals=True)

    @property
    def final_player(self) -> Any:
        """The player who was to move when the game ended: (size,), uint8; valid where `done`."""
        return self._backend.public(self._backend.final_players())

    @property
    def symmetries(self) -> Symmetries:
        """The game's symmetries as index tables."""
        return Symmetries.of(self._game)

    def reset(self, *, seed: int | None = None, where: Any = None) -> None:
        """Start new games, all of them or those where a bool array is True.

        The first game in slot i has the number i, and each next one there a number greater by the
        size of the batch. A seed restarts the numbering.
        """
        if seed is not None and where is not None:
            raise OptionError("Give either seed or where, not both: a seed resets all games.")
        actions = np.full(self._size, RESET_NEXT if seed is None else RESET_FIRST, np.int64)
        if where is not None:
            where = np.asarray(where)
            check_mask("where", where, self._size)
            actions[~where] = SKIP
        if seed is not None:
            self._seed = check_seed(seed)
        self._run(actions)

    def step(self, actions: Any) -> None:
        """Take one action in each game; raise `IllegalMove` and take none if one is illegal.

        A game that ends is replaced by a new one in the same step: `rewards` and `done` are of the
        old game, all else of the new one. Without `auto_reset` it stays over and ignores actions.
        """
        actions = self._backend.as_actions(actions)
        illegal = self._backend.step(actions, self._seed, self._auto_reset, self._validate)
        if illegal is not None:
            raise self._illegal_move(*illegal)
        self._steps += 1

    def sample(self, seed: int | None = None) -> Any:
        """Return a uniformly random legal action for each game, drawn by the game's generator.

        With a seed, use the generators of the seed's games; the batch's own are unchanged.
        """
        if seed is None:
            return self._backend.sample()
        slots = new_slots(self._spec, self._size)
        slots["random"] = generators(check_seed(seed), self._size)
        return self._backend.sample_with(slots)

    def reseed(self, seed: int) -> None:
        """Give each game the generator and the number of the seed's game in its slot.

        Positions stay. Rows that were gathered twice draw different actions from then on.
        """
        self._seed = check_seed(seed)
        slots = self._backend.read("slots")
        slots["random"] = generators(self._seed, self._size)
        slots["game"] = np.arange(self._size)
        self._backend.write("slots", slots)

    def position(self, index: int) -> Position:
        """Return the position of one game, without the draft of a compound move."""
        size = self._size
        if (
            isinstance(index, bool)
            or not isinstance(index, int | np.integer)
            or not -size <= index < size
        ):
            raise IndexError(f"index must be from {-size} to {size - 1}, got {quoted(index)}.")
        index = int(index) % size
        row = self._backend.row
        return Position(self._game, row("states", index).tobytes(), int(row("slots", index)["ply"]))

    def positions(self) -> list[Position]:
        """Return the position of every game, without drafts of compound moves."""
        plies = self._backend.read("slots")["ply"].tolist()
        states = self._backend.read("states").tobytes()
        width = self._game.layout.state.itemsize
        return [
            Position(self._game, states[width * index : width * (index + 1)], ply)
            for index, ply in enumerate(plies)
        ]

    def set(
        self, positions: Batch | Position | str | Iterable[Position | str], rows: Any = None
    ) -> None:
        """Set games to positions or their texts: all, or those of `rows` (see `gather`).

        A single position is set in all of them. Drafts of compound moves are dropped, and the last
        rewards with them; games keep their numbers and generators. Another batch of the same size
        is copied, with drafts and generators.
        """
        if isinstance(positions, Batch):
            self._set_batch(positions, rows)
            return
        index = np.arange(self._size) if rows is None else as_rows(rows, self._size)
        given = as_positions(self._game, positions, len(index))
        states, slots = self._backend.read("states"), self._backend.read("slots")
        states[index] = np.frombuffer(
            b"".join(position.state for position in given), self._game.layout.state
        )
        slots["ply"][index] = [position.ply for position in given]
        slots["part"][index] = 0
        self._backend.write("states", states)
        self._backend.write("slots", slots)
        actions = np.full(self._size, SKIP, np.int64)
        actions[index] = REFRESH
        self._run(actions)

    def _set_batch(self, other: Batch, rows: Any) -> None:
        if rows is not None:
            raise OptionError("A batch sets all rows; give its positions() to set some of them.")
        if other._game != self._game or other._size != self._size:
            raise OptionError(f"The other batch must be like {self!r}, got {other!r}.")
        if other._device == self._device:
            self._backend.assign(other._backend)
        else:
            for name in ROWS:
                self._backend.write(name, other._backend.read(name))
        self._seed = other._seed
        self._steps += 1

    def copy(self) -> Batch:
        """Return an independent copy, which draws the same actions and resets to the same games."""
        return self._new_like(self._backend.copy())

    def gather(self, rows: Any) -> Batch:
        """Return a new batch of these games: an index, a slice, indices or a bool array.

        Indices may repeat. Each game keeps its draft and its generator, so that repeated ones draw
        the same actions until `reseed`; games are numbered afresh.
        """
        index = self._backend.as_index(rows, self._validate)
        if not len(index):
            raise IndexError("A batch has at least one game, got no rows.")
        return self._new_like(self._backend.gather(index))

    def __getitem__(self, rows: Any) -> Batch:
        return self.gather(rows)

    def __len__(self) -> int:
        return self._size

    def __reduce__(self) -> tuple[Any, ...]:
        settings = {
            name: value
            for name, value in vars(self).items()
            if name
            in ("_game", "_threads", "_device", "_auto_reset", "_validate", "_dtype", "_seed")
        }
        rows = {name: copy_rows(self._backend.read(name)) for name in ROWS}
        return (_restore, (settings, rows))

    def _new_like(self, backend: Any) -> Batch:
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._attach(backend)
        return twin

    def _run(self, actions: np.ndarray) -> None:
        """Take pseudo-actions."""
        backend = self._backend
        backend.step(backend.as_actions(actions), self._seed, self._auto_reset, validate=False)
        self._steps += 1

    def _observe(self, finals: bool) -> Any:
        shown, step = self._shown.get(finals, (None, -1))
        if step != self._steps:
            planes = self._backend.observe(finals, scaled=self._dtype != UINT8)
            if shown is None:
                shape = (self._size, len(self._spec.planes), *self._spec.shape)
                shown = self._backend.public(planes.reshape(shape))
            self._shown[finals] = (shown, self._steps)
        return shown

    def _illegal_move(self, index: int, action: int) -> IllegalMove:
        last = self._spec.action_count - 1
        if not 0 <= action <= last:
            return IllegalMove(f"Game {index}: actions must be from 0 to {last}, got {action}.")
        allowed = listing(self._backend.legal_actions(index))
        return IllegalMove(f"Game {index}: action {action} is illegal; legal actions: {allowed}.")

    def __repr__(self) -> str:
        return f"<Batch of {self._size} games of {self._game!r} on {self._device}>"


def _restore(settings: dict[str, Any], rows: dict[str, np.ndarray]) -> Batch:
    """Return an unpickled batch; raise ValueError if another version wrote other rows."""
    for name, row in new_rows(settings["_game"], 1).items():
        found = rows.get(name, np.zeros(0))
        if (found.dtype, found.shape[1:]) != (row.dtype, row.shape[1:]):
            raise ValueError(
                f"Cannot unpickle a batch of {settings['_game']!r}: it is of another version, with"
                f" other {name}."
            )
    batch = object.__new__(Batch)
    vars(batch).update(settings)
    batch._attach(batch._new_backend(rows))
    return batch
