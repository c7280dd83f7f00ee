"""A game's encoding for learners: its spec, and the kernels that mask actions and observe.

`rules` stands for the kernels of a game's `rules.py` and `planes.py` in one module
(`encoded_rules`). A draft is any record with the fields of `draft_type`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from teahouse.core.bits import count_bytes, lowest_bit, mark_bytes
from teahouse.core.defaults.planes import default_kernels, default_spec
from teahouse.core.game import MAX_GAMES, Game
from teahouse.core.packages import optional_module, package_name
from teahouse.core.planes import ObservationSpec, mark_actions

RULES_KERNELS = ("start", "legal", "play", "winners")
ENCODING_KERNELS = ("action", "move", "observe", "mark_legal", "mark_planes")
CHUNK = 64  # actions of a mask that are counted at a time
BYTE = 8  # actions or cells that are marked at a time

rules: Any = None  # replaced when a kernel is bound


@lru_cache(maxsize=MAX_GAMES)
def observation_spec(game: Game) -> ObservationSpec:
    """Return the spec of a game's `planes.py`, or the default one."""
    planes = optional_module(game.name, "planes")
    spec: ObservationSpec = (
        planes.observation_spec(game.all_options) if planes else default_spec(game)
    )
    return spec


def encoded_rules(game: Game) -> ModuleType:
    """Return the kernels of a game's rules and of its encoding in one module."""
    layout = game.layout
    planes = optional_module(game.name, "planes") or default_kernels(
        layout.state, layout.move_limit
    )
    return _merge(game.name, game.rules, planes)


@cache
def _merge(name: str, rules: ModuleType, planes: ModuleType) -> ModuleType:
    module = ModuleType(f"{package_name(name)}.planes")
    vars(module).update(
        {
            **{kernel: vars(rules)[kernel] for kernel in RULES_KERNELS},
            "legal_mask": legal_mask,
            "mark_legal": mark_listed,
            "write_actions": write_actions,
            "count_actions": count_actions,
            "write_cells": write_cells,
            "write_value": write_value,
            **{k: vars(planes)[k] for k in ENCODING_KERNELS if k in vars(planes)},
        }
    )
    if "mark_planes" in vars(planes):
        vars(module)["observe"] = planes.mark_planes
    return module


def write_actions(mask: Any, first: int, count: int, bits: int) -> None:
    """Mark those of `count` actions whose bits are set; the mask is 0 there."""
    _mark(mask, first, bits)


def _mark(values: Any, first: int, bits: int) -> None:
    """Set the values whose bits are set to 1."""
    first += 0  # signed, if a game passes an unsigned number
    while bits and first + BYTE <= len(values):
        mark_bytes(values, first, bits & 255)
        bits >>= BYTE
        first += BYTE
    while bits:
        values[first + lowest_bit(bits)] = 1
        bits &= bits - 1


def count_actions(mask: Any) -> int:
    """Return the number of actions marked."""
    count = 0
    for action in range(len(mask)):
        count += int(mask[action])
    return count


def write_cells(planes: Any, plane: int, first: int, count: int, bits: int) -> None:
    """Mark those of `count` cells of a plane whose bits are set with 1."""
    _mark(planes[plane], first, bits)


def write_value(planes: Any, plane: int, value: int) -> None:
    """Set all cells of a plane to a value."""
    values = planes[plane]
    for offset in range(len(values)):
        values[offset] = value


def draft_type(spec: ObservationSpec) -> np.dtype:
    """Return the record type of the draft of a compound move."""
    return np.dtype(
        [
            ("chosen", np.int32, (spec.max_parts - 1,)),  # actions of the draft
            ("part", np.int32),  # how many of `chosen` are set
        ],
        align=True,
    )


def legal_mask(board: Any, state: Any, draft: Any, moves: Any, mask: Any) -> int:
    """Write the mask of legal actions; return their number."""
    for index in range(len(mask)):
        mask[index] = 0
    return int(rules.mark_legal(board, state, draft, moves, mask))


def mark_listed(board: Any, state: Any, draft: Any, moves: Any, mask: Any) -> int:
    """Mark the actions of the legal moves in the mask, which is 0; return their number."""
    move_count = rules.legal(board, state, moves)
    part = int(draft.part)
    for index in range(move_count):
        if part == 0 or _matches_draft(board, state, draft, int(moves[index])):
            mark_actions(mask, rules.action(board, state, int(moves[index]), part), 1, 1)
    if len(draft.chosen) == 0:
        return move_count  # moves and actions are one to one
    return int(rules.count_actions(mask))


def _matches_draft(board: Any, state: Any, draft: Any, move: int) -> bool:
    for part in range(draft.part):
        if rules.action(board, state, move, part) != draft.chosen[part]:
            return False
    return True


def mask_game(board: Any, state: Any, draft: Any, moves: Any, mask: Any) -> int:
    """Write the mask of legal actions by the game's own kernel or by `legal_mask`."""
    return int(rules.legal_mask(board, state, draft, moves, mask))


def nth_legal(mask: Any, rank: int) -> int:
    """Return the legal action that `rank` others precede."""
    first = 0
    while first + CHUNK <= len(mask):
        inside = 0
        for action in range(first, first + CHUNK, BYTE):
            inside += count_bytes(mask, action)
        if rank < inside:
            break
        rank -= inside
        first += CHUNK
    action = first
    rank -= int(mask[first])
    while rank >= 0:
        action += 1
        rank -= int(mask[action])
    return action


def observe_game(
    board: Any, state: Any, draft: Any, viewer: int, offsets: Any, planes: Any
) -> None:
    """Write a player's observation of one game."""
    for plane in range(len(planes)):
        values = planes[plane]
        for offset in range(len(values)):
            values[offset] = 0
    rules.observe(board, state, draft, viewer, offsets, planes)
