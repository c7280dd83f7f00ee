"""Rows of training data: one for each action that a player took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from teahouse.core import jit
from teahouse.core.actions import actions_of
from teahouse.core.encoding import encoded_rules, observation_spec
from teahouse.core.game import Game
from teahouse.core.record import Record
from teahouse.core.result import UNFINISHED
from teahouse.rl import kernels
from teahouse.rl.data.kernels import encode_rows, replay_games
from teahouse.search.openings import random_plies


def row_type(game: Game, policy: bool = False) -> np.dtype:
    """Return the record type of a row; `policy` adds a distribution over all actions."""
    spec = observation_spec(game)
    fields = [
        ("state", game.layout.state),
        ("game", np.int64),  # number of the game in its file
        ("chosen", np.int32, (max(1, spec.max_parts - 1),)),  # earlier parts of a compound move
        ("part", np.int32),  # how many of `chosen` are set
        ("action", np.int32),
        ("ply", np.int32),  # of the position in its game
        ("player", np.int32),  # the player to move
        ("rewards", np.float32, (len(game.players),)),  # at the end of the game
        *([("policy", np.float16, (spec.action_count,))] if policy else ()),
    ]
    return np.dtype(fields, align=True)


def row_error(game: Game, rows: np.ndarray) -> tuple[int, str] | None:
    """Return the first row with an impossible value, and why, as a clause; None if there is none.

    Kernels and indexing trust these values. Whether an action is legal is seen once rows are
    encoded.
    """
    spec, players = observation_spec(game), len(game.players)
    chosen, part, state = rows["chosen"], rows["part"], rows["state"]
    policies = rows["policy"] if has_policy(rows) else np.zeros((len(rows), 1))
    for impossible, reason in (
        (_outside(rows["action"], spec.action_count), f"the action is below {spec.action_count}"),
        (_outside(rows["player"], players), f"the player is below {players}"),
        (state["player"] != rows["player"], "the player is that of the state"),
        (state["over"] != 0, "the game is not over"),
        (_outside(part, spec.max_parts), f"the part is below {spec.max_parts}"),
        (
            _outside(chosen, spec.action_count).any(axis=1),
            f"earlier parts of the move are below {spec.action_count}",
        ),
        (rows["ply"] < 0, "the ply is not negative"),
        (~np.isfinite(rows["rewards"]).all(axis=1), "rewards are finite"),
        (~(policies >= 0).all(axis=1), "the policy is not negative"),
    ):
        if impossible.any():
            return int(impossible.argmax()), f"is impossible: in every row {reason}"
    return None


def _outside(numbers: np.ndarray, end: int) -> Any:
    return (numbers < 0) | (numbers >= end)


def has_policy(rows: np.ndarray) -> bool:
    """Return whether rows have the search's distributions."""
    return "policy" in (rows.dtype.names or ())


def with_policy(rows: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return rows with distributions: 1 for the action taken if none are stored."""
    if has_policy(rows):
        return rows
    found = np.zeros(len(rows), dtype)
    for name in rows.dtype.names or ():
        found[name] = rows[name]
    found["policy"][np.arange(len(rows)), rows["action"]] = 1
    return found


def replayed_rows(game: Game, seed: int, actions: np.ndarray, first_game: int) -> np.ndarray:
    """Return the rows of a batch's games from their actions: (steps, games), -1 after the end.

    Column i is game i of the seed, as in `Batch`; its number in the file is `first_game` + i.
    """
    lengths = (actions >= 0).sum(axis=0)
    firsts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
    spec, layout = observation_spec(game), game.layout
    count, games = int(lengths.sum()), actions.shape[1]
    states = jit.as_records(np.zeros(count, layout.state))
    slots = jit.as_records(np.zeros(count, kernels.slot_type(spec)))
    taken = np.zeros(count, np.int32)
    rewards = np.zeros((games, len(game.players)), np.float32)
    jit.specialize(replay_games, game, encoded_rules(game))(
        jit.as_records(layout.board),
        jit.as_records(np.zeros(games, layout.state)),
        jit.as_records(kernels.new_slots(spec, games)),
        np.ascontiguousarray(actions, np.int32),
        firsts,
        jit.move_buffers(1, layout.max_moves)[0],
        states,
        slots,
        taken,
        rewards,
        seed,
    )
    slots = jit.to_array(slots, 0, count)
    rows = np.zeros(count, row_type(game))
    rows["state"] = jit.to_array(states, 0, count)
    numbers = np.repeat(np.arange(games), lengths)
    rows["game"] = first_game + numbers
    _set_drafts(rows, slots)
    rows["action"] = taken
    rows["ply"] = slots["ply"]
    rows["player"] = rows["state"]["player"]
    rows["rewards"] = rewards[numbers]
    return rows


def _set_drafts(rows: np.ndarray, slots: np.ndarray) -> None:
    """Copy the chosen parts of drafts, without stale entries beyond them."""
    parts = slots["part"]
    rows["part"] = parts
    for part in range(slots["chosen"].shape[1]):
        rows["chosen"][:, part] = np.where(parts > part, slots["chosen"][:, part], 0)


def record_rows(record: Record, number: int) -> np.ndarray | None:
    """Return the rows of a finished record, None if it has no result.

    Moves of a random opening, as the arena's tag `Opening` counts them, were nobody's choice and
    have no rows.
    """
    if record.result == UNFINISHED:
        return None
    game = record.game
    winners = [game.players.index(name) for name in record.result.split("+") if name != "draw"]
    rewards = [0.0] * len(game.players)
    kernels.assign_rewards(rewards, sum(1 << winner for winner in winners))
    first = random_plies(record)
    positions, moves = record.positions[first:-1], record.moves[first:]
    taken = [actions_of(position, move) for position, move in zip(positions, moves, strict=True)]
    rows = np.zeros(sum(map(len, taken)), row_type(game))
    row = 0
    for position, actions in zip(positions, taken, strict=True):
        state = np.frombuffer(position.state, game.layout.state)[0]
        for part, action in enumerate(actions):
            one = rows[row]
            one["state"] = state
            one["chosen"][:part] = actions[:part]
            one["part"], one["action"] = part, action
            one["ply"], one["player"] = position.ply, position.player
            row += 1
    rows["game"] = number
    rows["rewards"] = rewards
    return rows


def records_rows(records: Iterable[Record], game: Game, first_game: int = 0) -> np.ndarray:
    """Return the rows of finished records, numbered in order."""
    found = [record_rows(record, first_game + index) for index, record in enumerate(records)]
    return join([rows for rows in found if rows is not None], row_type(game))


def join(parts: Sequence[np.ndarray], dtype: np.dtype) -> np.ndarray:
    """Concatenate rows; NumPy's `concatenate` would drop the padding of their type."""
    rows = np.zeros(sum(map(len, parts)), dtype)
    end = 0
    for part in parts:
        rows[end : end + len(part)] = part
        end += len(part)
    return rows


def encode(game: Game, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the planes (uint8) and masks of legal actions (bool) of rows."""
    spec, layout, count = observation_spec(game), game.layout, len(rows)
    planes = np.zeros((count, len(spec.planes), spec.shape[0] * spec.shape[1]), np.uint8)
    legal = np.zeros((count, spec.action_count), np.uint8)
    states = np.zeros(count, layout.state)  # aligned, which a file's type does not say
    states[:] = rows["state"]
    slots = np.zeros(count, kernels.slot_type(spec))
    slots["chosen"] = rows["chosen"][:, : spec.max_parts - 1]
    slots["part"] = rows["part"]
    jit.specialize(encode_rows, game, encoded_rules(game))(
        jit.as_records(layout.board),
        jit.as_records(states),
        jit.as_records(slots),
        spec.cell_offsets(),
        jit.move_buffers(1, layout.max_moves)[0],
        planes,
        legal,
    )
    return planes.reshape(count, len(spec.planes), *spec.shape), legal.view(np.bool_)
