"""Networks of learned players: ONNX files in a game's folder, or a user's own.

A file maps `planes` (uint8, batch × planes × rows × columns, as `Batch.observation`) to
`policy` (float, batch × actions: logits) and `value` (float, batch × sides: logits of the shares of
the win, the own side first, the others in turn order). Its metadata say what it was trained for:

    teahouse_network  version of this format
    game, options     such as `orochi` and `side=4`; options that are not named do not matter
    encoding          `encoding_hash` of that game

Other metadata, such as the minutes of training, are informational. A game's own networks are in its
folder as `networks/OPTIONS.onnx`, `networks/default.onnx` for all options.
"""

from __future__ import annotations

import logging
from functools import cache, lru_cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from teahouse.core.catalog import load
from teahouse.core.encoding import (
    draft_type,
    encoded_rules,
    mask_game,
    observation_spec,
    observe_game,
)
from teahouse.core.errors import OptionError, quoted
from teahouse.core.extras import install_command
from teahouse.core.game import Game, house_rules, non_default_options
from teahouse.core.jit import interpret
from teahouse.core.options import format_options, most_specific, parse_options
from teahouse.core.packages import game_file
from teahouse.core.pyrecord import unpack
from teahouse.core.random import advance, bounded, generator

log = logging.getLogger("teahouse.search.networks")

FORMAT = "1"
FOLDER = "networks"
SUFFIX = ".onnx"
ALL_OPTIONS = "default"
MAX_FILE_SIZE = 64 << 20
HASHED_ACTIONS = 24
MAX_NETWORKS = 32
"""Games whose networks stay loaded: options that a network does not name may have any value."""


class NetworkError(OptionError):
    """A network that cannot be loaded, or that is for another game."""


class Network:
    """A policy and value network for a game, evaluated by ONNX Runtime on one thread a call."""

    def __init__(self, game: Game, model: bytes, origin: str) -> None:
        """Load a model; raise `NetworkError` if it is not a network for this game."""
        self.game = game
        self.origin = origin
        """The file, for messages."""
        self._session = _open_session(model, origin)
        self.metadata: dict[str, str] = self._session.get_modelmeta().custom_metadata_map
        self.hash = sha256(model).hexdigest()
        spec = observation_spec(game)
        self._shape = (len(spec.planes), *spec.shape)
        self._check_metadata()
        self._check_shapes(spec.action_count, len(game.teams))

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the policy logits and the value logits of a batch of observations."""
        policy, value = self._session.run(
            ["policy", "value"], {"planes": planes.reshape(-1, *self._shape)}
        )
        return policy, value

    def _check_metadata(self) -> None:
        found = self.metadata
        if "teahouse_network" not in found:
            raise self._error("it is not a network of a Teahouse game")
        if found["teahouse_network"] != FORMAT:
            version = quoted(found["teahouse_network"])
            raise self._error(f"its format is {version}, this version reads {FORMAT}")
        options = found.get("options", "")
        text = f"{found.get('game')} {options}".strip()
        if found.get("game") != self.game.name:
            raise self._error(f"it is for {quoted(text)}, not for {self.game.name}")
        if most_specific(self.game.options, [options], house_rules(self.game)) is None:
            raise self._error(f"it is for {quoted(text)}, not for {self.game!r}")
        try:
            trained_for = _load(self.game.name, options)
        except OptionError as error:
            raise self._error(f"its options are invalid: {error}") from None
        if found.get("encoding") != encoding_hash(trained_for):
            raise self._error(f"the planes, actions or rules of {text} have changed since")

    def _check_shapes(self, actions: int, sides: int) -> None:
        """Evaluate the start of a game and check the results."""
        planes = np.zeros((2, *self._shape), np.uint8)
        try:
            policy, value = self.evaluate(planes)
        except Exception as error:  # ONNX Runtime's errors have no common base class
            raise self._error(f"it cannot be evaluated: {_first_line(error)}") from None
        for name, array, shape in (("policy", policy, (2, actions)), ("value", value, (2, sides))):
            if array.shape != shape or array.dtype != np.float32:
                expected = f"float32 {shape}"
                raise self._error(f"{name} is {array.dtype} {array.shape}, not {expected}")
            if not np.isfinite(array).all():
                raise self._error(f"{name} is not finite")

    def _error(self, reason: str) -> NetworkError:
        return NetworkError(f"Cannot use the network {self.origin}: {reason}.")


def load_network(game: Game, path: str | Path) -> Network:
    """Load a network file for a game; raise `NetworkError` if it does not fit."""
    return Network(game, _read_model(Path(path)), str(path))


def network_game(path: str | Path) -> Game:
    """Return the game that a network file is for, options that do not matter at their defaults.

    Raise `NetworkError` if it is not a network of a game.
    """
    session = _open_session(_read_model(Path(path)), str(path))
    found = session.get_modelmeta().custom_metadata_map
    try:
        return _load(found["game"], found.get("options", ""))
    except (KeyError, OptionError) as error:
        raise NetworkError(
            f"Cannot use the network {path}: it is not a network of a game ({error})."
        ) from None


def _read_model(file: Path) -> bytes:
    try:
        if file.stat().st_size > MAX_FILE_SIZE:
            limit = MAX_FILE_SIZE >> 20
            raise NetworkError(f"Cannot use the network {file}: it is larger than {limit} MB.")
        return file.read_bytes()
    except OSError as error:
        raise NetworkError(f"Cannot read the network {file}: {error.strerror}.") from None


@lru_cache(maxsize=MAX_NETWORKS)
def shipped_network(game: Game) -> Network:
    """Return the network in the game's folder for its options, or raise `NetworkError`."""
    name = shipped_name(game)
    if name is None:
        raise NetworkError(f"There is no network for {game!r}.")
    return Network(game, game_file(game.name, f"{FOLDER}/{name}").read_bytes(), name)


@lru_cache(maxsize=MAX_NETWORKS)
def find_network(game: Game) -> Network | None:
    """Return the network in the game's folder for its options, if there is one that can be used.

    The reason why there is none is logged, but not again for the next bots of the game.
    """
    try:
        return shipped_network(game)
    except NetworkError as error:
        level = logging.INFO if shipped_name(game) is None else logging.WARNING
        log.log(level, "%s is played without a network. %s", game.title, error)
        return None


def has_network(game: Game) -> bool:
    """Return whether there is a network for the game and its options, and ONNX Runtime to run it.

    Loads neither.
    """
    return shipped_name(game) is not None and find_spec("onnxruntime") is not None


def shipped_name(game: Game) -> str | None:
    """Return the file name of the network for a game with its options, None if there is none."""
    folder = game_file(game.name, FOLDER)
    if not folder.is_dir():
        return None
    names = [file.name for file in folder.iterdir() if file.name.endswith(SUFFIX)]
    keys = {"" if n == ALL_OPTIONS + SUFFIX else n.removesuffix(SUFFIX): n for n in names}
    key = most_specific(game.options, keys, house_rules(game))
    return None if key is None else keys[key]


def metadata(game: Game, options: str | None = None, **others: str) -> dict[str, str]:
    """Return the metadata of a network file for a game.

    `options`, such as `side=4`, are those that have to agree, by default all that differ from their
    defaults.
    """
    if options is None:
        options = format_options(non_default_options(game), ",")
    values = {"teahouse_network": FORMAT, "game": game.name, "options": options}
    return {**values, "encoding": encoding_hash(_load(game.name, options)), **others}


def _load(name: str, options: str) -> Game:
    """Return the game with options such as `side=4`, the others at their defaults."""
    return load(name, **parse_options(options.split(",") if options else ()))


@cache
def encoding_hash(game: Game) -> str:
    """Return a hash of what the encoding of a game gives in a short random game.

    It changes with any change of the planes, the actions or the rules that a network would notice.
    """
    spec = observation_spec(game)
    rules = encoded_rules(game)
    write_mask, observe = interpret(mask_game, rules), interpret(observe_game, rules)
    state: Any = game.start().unpack()
    draft: Any = unpack(np.zeros(1, draft_type(spec))[0])
    mask = np.zeros(spec.action_count, np.uint8)
    planes = np.zeros((len(spec.planes), spec.shape[0] * spec.shape[1]), np.uint8)
    moves = [0] * game.layout.max_moves
    sizes = (spec.shape, [plane.max_value for plane in spec.planes], len(game.teams))
    digest = sha256(repr(sizes).encode())
    random = generator(0)
    for _ in range(HASHED_ACTIONS):
        if state.over:
            break
        write_mask(game.board, state, draft, moves, mask)
        observe(game.board, state, draft, state.player, spec.cell_offsets(), planes)
        digest.update(mask.tobytes() + planes.tobytes())
        random = advance(random)
        legal = np.flatnonzero(mask)
        action = int(legal[bounded(random, len(legal))])
        move = rules.move(game.board, state, draft, action)
        if move < 0:
            draft.chosen[draft.part] = action
            draft.part += 1
        else:
            draft.part = 0
            rules.play(game.board, state, move)
    return digest.hexdigest()[:16]


def _open_session(model: bytes, origin: str) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise NetworkError(
            f"Cannot use the network {origin}: ONNX Runtime is not installed; install it with "
            f"{install_command('learned')}"
        ) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # each search thread calls it
    options.log_severity_level = 4  # errors are raised
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's errors have no common base class
        raise NetworkError(
            f"Cannot use the network {origin}: the file is damaged or not an ONNX model "
            f"({_first_line(error)})."
        ) from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
