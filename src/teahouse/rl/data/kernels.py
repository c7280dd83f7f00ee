"""Kernels over rows of training data: replay games from their actions, and encode rows.

`rules` stands for the kernels of a game's `rules.py` and `planes.py` (`core.encoding`).
"""

from typing import Any

from teahouse.core.encoding import mask_game, observe_game
from teahouse.rl.kernels import assign_rewards, start_game

rules: Any = None  # replaced when a kernel is bound


def replay_games(
    boards: Any,
    states: Any,
    slots: Any,
    actions: Any,
    firsts: Any,
    moves: Any,
    row_states: Any,
    row_slots: Any,
    row_actions: Any,
    rewards: Any,
    seed: int,
) -> None:
    """Replay games by their actions, one column for each, and write a row before each action.

    The rows of a game begin at `firsts`. Every game must end with its actions.
    """
    for game in range(len(firsts)):
        state = states[game]
        slot = slots[game]
        start_game(boards[0], state, slot, seed, game)
        row = int(firsts[game])
        step = 0
        while not state.over:
            action = int(actions[step][game])
            row_states[row] = states[game]
            row_slots[row] = slots[game]
            row_actions[row] = action
            move = rules.move(boards[0], state, slot, action)
            if move < 0:
                slot.chosen[slot.part] = action
                slot.part += 1
            else:
                slot.part = 0
                slot.ply += 1
                rules.play(boards[0], state, move)
            row += 1
            step += 1
        assign_rewards(rewards[game], rules.winners(boards[0], state, moves))


def encode_rows(
    boards: Any, states: Any, slots: Any, offsets: Any, moves: Any, planes: Any, legal: Any
) -> None:
    """Write planes and masks of legal actions for each row."""
    for row in range(len(planes)):
        state = states[row]
        player = int(state.player)
        observe_game(boards[0], state, slots[row], player, offsets, planes[row])
        mask_game(boards[0], state, slots[row], moves, legal[row])
