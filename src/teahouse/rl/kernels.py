"""Kernels that step, observe and sample a batch of any game.

`rules` stands for the kernels of a game's `rules.py` and `planes.py` (`core.encoding`). Every
game of a batch has a slot: the draft of its next move (see `core.planes`), its number and its
random generator.
"""

from typing import Any

import numpy as np

from teahouse.core.encoding import nth_legal, observe_game
from teahouse.core.planes import ObservationSpec
from teahouse.core.random import advance, bounded, game_seed, generator, setup_seed

rules: Any = None  # replaced when a kernel is bound

# Pseudo-actions: reset to the slot's first game, reset to its next game, do nothing, or write the
# mask and the player of a state that was set. A game that is over ignores all actions that a user
# may give it, so these values must not clash with usual padding.
_PSEUDO = -(1 << 62)
RESET_FIRST, RESET_NEXT, SKIP, REFRESH = _PSEUDO - 2, _PSEUDO - 3, _PSEUDO - 4, _PSEUDO - 5


def slot_type(spec: ObservationSpec) -> np.dtype:
    """Return the record type of a slot."""
    return np.dtype(
        [
            ("random", np.int64),  # generator for `sample`
            ("game", np.int64),  # number: the slot's index plus a multiple of the batch size
            ("chosen", np.int32, (spec.max_parts - 1,)),  # actions of the draft
            ("part", np.int32),  # how many of `chosen` are set
            ("ply", np.int32),
        ],
        align=True,
    )


def new_slots(spec: ObservationSpec, size: int) -> np.ndarray:
    """Return slots that are not started; `RESET_FIRST` starts them."""
    slots = np.zeros(size, slot_type(spec))
    slots["game"] = np.arange(size)
    return slots


def start_game(board: Any, state: Any, slot: Any, seed: int, game: int) -> None:
    """Start the game of this number."""
    own_seed = game_seed(seed, game)
    rules.start(board, state, setup_seed(own_seed))
    slot.random = generator(own_seed)
    slot.game = game
    slot.part = 0
    slot.ply = 0


def assign_rewards(rewards: Any, winners: int) -> None:
    """Give each winner 1 and the others equal negative shares; the sum is 0."""
    players = len(rewards)
    count = 0
    for player in range(players):
        count += winners >> player & 1
    share = count / (players - count) if count < players else 0.0
    for player in range(players):
        rewards[player] = 1.0 if winners >> player & 1 else -share


def step_game(
    board: Any,
    states: Any,
    index: int,
    finals: Any,
    final_index: int,
    slot: Any,
    action: int,
    moves: Any,
    mask: Any,
    rewards: Any,
    seed: int,
    batch_size: int,
    auto_reset: int,
) -> int:
    """Take an action in the game states[index]; return the number of legal actions afterwards.

    The number is returned as -1 - number if the action ended the game. A game that is over ignores
    actions. With `auto_reset` a game that ends is replaced by the slot's next one, whose number is
    greater by `batch_size`. Its last state is copied to finals[final_index] before `winners`, which
    may modify it.
    """
    for player in range(len(rewards)):
        rewards[player] = 0.0
    state = states[index]
    done = False
    next_game = -1
    if action == RESET_FIRST:
        next_game = slot.game % batch_size
    elif action == RESET_NEXT:
        next_game = slot.game + batch_size
    elif action != REFRESH and not state.over:
        move = rules.move(board, state, slot, action)
        if move < 0:
            slot.chosen[slot.part] = action
            slot.part += 1
        else:
            slot.part = 0
            slot.ply += 1
            rules.play(board, state, move)
            if state.over:
                done = True
                finals[final_index] = states[index]
                assign_rewards(rewards, rules.winners(board, state, moves))
                states[index] = finals[final_index]
                if auto_reset:
                    next_game = slot.game + batch_size
    if next_game >= 0:
        start_game(board, state, slot, seed, next_game)
    count = int(rules.legal_mask(board, state, slot, moves, mask))
    return -1 - count if done else count


def step_games(
    boards: Any,
    states: Any,
    finals: Any,
    slots: Any,
    actions: Any,
    moves: Any,
    legal: Any,
    legal_counts: Any,
    players: Any,
    rewards: Any,
    done: Any,
    seed: int,
    auto_reset: int,
    first: int,
    end: int,
) -> None:
    """Take one action in each of the games range(first, end).

    The last state of a game that ends is kept in `finals`.
    """
    for index in range(first, end):
        action = int(actions[index])
        if action == SKIP:
            continue
        count = step_game(
            boards[0],
            states,
            index,
            finals,
            index,
            slots[index],
            action,
            moves,
            legal[index],
            rewards[index],
            seed,
            len(actions),
            auto_reset,
        )
        done[index] = count < 0
        legal_counts[index] = max(count, -1 - count)
        players[index] = states[index].player


def observe_games(
    boards: Any,
    states: Any,
    slots: Any,
    viewers: Any,
    offsets: Any,
    planes: Any,
    first: int,
    end: int,
) -> None:
    """Write what the player viewers[index] observes of each of the games range(first, end)."""
    for index in range(first, end):
        observe_game(
            boards[0], states[index], slots[index], int(viewers[index]), offsets, planes[index]
        )


def draw_rank(slot: Any, legal_count: int) -> int:
    """Draw which of the legal actions to take, as a number from 0; -1 if there are none."""
    if legal_count == 0:
        return -1
    random = advance(slot.random)
    slot.random = random
    return bounded(random, legal_count)


def sample_action(slot: Any, mask: Any, legal_count: int) -> int:
    """Return a uniformly random legal action, or -1 if there is none."""
    rank = draw_rank(slot, legal_count)
    return nth_legal(mask, rank) if rank >= 0 else -1


def sample_games(
    slots: Any, legal: Any, legal_counts: Any, actions: Any, first: int, end: int
) -> None:
    """Draw a legal action for each of the games range(first, end)."""
    for index in range(first, end):
        actions[index] = sample_action(slots[index], legal[index], int(legal_counts[index]))


def is_illegal(mask: Any, legal_count: int, action: int) -> bool:
    """Return whether the action is illegal; games that are over accept and ignore all."""
    if legal_count == 0:
        return False
    return action < 0 or action >= len(mask) or mask[action] == 0


def find_illegal(legal: Any, legal_counts: Any, actions: Any) -> int:
    """Return the index of the first game with an illegal action, or -1."""
    for index in range(len(actions)):
        if is_illegal(legal[index], int(legal_counts[index]), int(actions[index])):
            return index
    return -1
