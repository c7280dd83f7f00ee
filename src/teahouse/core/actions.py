"""Positions in a learner's terms: moves as actions, masks of legal actions, planes.

A move is one action, or one for each part of a compound move; `chosen` are the actions of its first
parts. Values are those of `teahouse.rl.Batch`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from teahouse.core.encoding import (
    draft_type,
    encoded_rules,
    mask_game,
    observation_spec,
    observe_game,
)
from teahouse.core.errors import IllegalMove, listing, quoted
from teahouse.core.jit import interpret
from teahouse.core.pyrecord import unpack
from teahouse.core.validate import check_int

if TYPE_CHECKING:
    from teahouse.core.position import Position


def actions_of(position: Position, text: str) -> tuple[int, ...]:
    """Return the actions that make a legal move, in order; raise `IllegalMove` with the reason."""
    move = position.move(text)
    rules, board, state = encoded_rules(position.game), position.game.board, position.state_view
    draft = _empty_draft(position)
    actions: list[int] = []
    while True:
        action = int(rules.action(board, state, move, len(actions)))
        actions.append(action)
        if rules.move(board, state, draft, action) >= 0:
            return tuple(actions)
        draft.chosen[draft.part] = action
        draft.part += 1


def move_of(position: Position, actions: int | Sequence[int]) -> str:
    """Return the text of the move that actions make together; raise `IllegalMove` if none."""
    given = _as_list(actions)
    if not given:
        raise IllegalMove("A move is one action or more, got none.")
    draft = _draft(position, given[:-1])
    action = _legal_action(position, draft, given[-1])
    game, state = position.game, position.state_view
    move = int(encoded_rules(game).move(game.board, state, draft, action))
    if move < 0:
        following = _actions(_mask(position, _draft(position, given)))
        raise IllegalMove(
            f"Actions {listing(given)} are the beginning of a move; the next one may be:"
            f" {listing(following)}."
        )
    text: str = game.notation.move_text(game.board, state, move)
    return text


def action_mask(position: Position, chosen: int | Sequence[int] = ()) -> np.ndarray:
    """Return whether each action is legal after those chosen; all False if the game is over."""
    return _mask(position, _draft(position, chosen)).view(np.bool_)


def planes(
    position: Position, chosen: int | Sequence[int] = (), viewer: int | None = None
) -> np.ndarray:
    """Return what a player observes, by default the one to move."""
    game = position.game
    if viewer is None:
        viewer = position.player
    else:
        check_int("viewer", viewer, 0, len(game.players) - 1)
    spec = observation_spec(game)
    found = np.zeros((len(spec.planes), spec.shape[0] * spec.shape[1]), np.uint8)
    draft, offsets = _draft(position, chosen), spec.cell_offsets()
    observe = interpret(observe_game, encoded_rules(game))
    observe(game.board, position.state_view, draft, viewer, offsets, found)
    return found.reshape(len(found), *spec.shape)


def _empty_draft(position: Position) -> Any:
    return unpack(np.zeros(1, draft_type(observation_spec(position.game)))[0])


def _as_list(actions: int | Sequence[int]) -> list[int]:
    return list(actions) if isinstance(actions, Iterable) else [actions]


def _draft(position: Position, chosen: int | Sequence[int]) -> Any:
    """Return the draft of a move whose first parts are chosen; raise `IllegalMove` if illegal."""
    draft = _empty_draft(position)
    game, state = position.game, position.state_view
    rules = encoded_rules(game)
    for given in _as_list(chosen):
        action = _legal_action(position, draft, given)
        if rules.move(game.board, state, draft, action) >= 0:
            raise IllegalMove(
                f"Action {action} completes a move, so no other may follow; play the move first."
            )
        draft.chosen[draft.part] = action
        draft.part += 1
    return draft


def _legal_action(position: Position, draft: Any, action: object) -> int:
    if isinstance(action, bool) or not isinstance(action, int | np.integer):
        raise IllegalMove(f"action must be an integer, got {quoted(action)}.")
    if position.over:
        raise IllegalMove(f"Action {action} is illegal: the game is over.")
    mask = _mask(position, draft)
    if not (0 <= action < len(mask) and mask[action]):
        allowed = listing(_actions(mask))
        raise IllegalMove(f"Action {action} is illegal; legal actions: {allowed}.")
    return int(action)


def _mask(position: Position, draft: Any) -> np.ndarray:
    game = position.game
    mask = np.zeros(observation_spec(game).action_count, np.uint8)
    moves = [0] * game.layout.max_moves
    write_mask = interpret(mask_game, encoded_rules(game))
    write_mask(game.board, position.unpack(), draft, moves, mask)
    return mask


def _actions(mask: np.ndarray) -> list[int]:
    return [int(action) for action in np.flatnonzero(mask)]
